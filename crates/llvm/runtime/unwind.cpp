// The way of an exception from the code that raises it to a landing pad: the unwinder of the Itanium C++ ABI, for any language.
//
// It has two phases: first the handler is searched for, so that an exception without one ends the program where it was thrown;
// then the thread lands at each pad on the way that cleans up, and at the handler. The machine knows where the landing pads
// are; this file reads their clauses, which are those of LLVM's `landingpad`, as the lowering has put them into words:
//
//   flags, number of clauses, and for each clause its selector and
//     catch (selector > 0):   the type, or null for any
//     filter (selector < 0):  the number of types, and the types: it takes all but these

extern "C" {

typedef decltype(sizeof 0) size_t;

// What languages know of an exception; the rest is around it.
struct _Unwind_Exception {
	unsigned long exception_class;
	void (*cleanup)(int reason, _Unwind_Exception *exception);
	unsigned long first, second;
};

const long *__threadbare_landing(size_t n) noexcept;
void __threadbare_land(size_t n, _Unwind_Exception *exception, long selector) __attribute__((noreturn));
int __threadbare_takes(const void *type, _Unwind_Exception *exception) noexcept;

enum { CLEANS_UP = 1, TERMINATES = 2 };
enum { END_OF_STACK = 5 };

// `GNUCC++`, and a byte for the kind.
static const unsigned long CXX = 0x474e5543432b2b00;

static bool takes(const void *type, _Unwind_Exception *exception)
{
	return !type || ((exception->exception_class & ~0xfful) == CXX && __threadbare_takes(type, exception));
}

// The selector of the first clause that takes the exception; 0 if none does.
static long selector_of(const long *words, _Unwind_Exception *exception)
{
	long count = words[1];
	words += 2;
	while (count--) {
		long selector = *words++;
		if (selector > 0) {
			if (takes((const void *)*words++, exception))
				return selector;
			continue;
		}
		bool is_listed = false;
		for (long types = *words++; types--; words++)
			is_listed = is_listed || takes((const void *)*words, exception);
		if (!is_listed)
			return selector;
	}
	return 0;
}

// The second phase, from wherever the thread is.
void _Unwind_Resume(_Unwind_Exception *exception)
{
	for (size_t n = 0;; n++) {
		const long *words = __threadbare_landing(n);
		long selector = selector_of(words, exception);
		if (selector || (words[0] & CLEANS_UP))
			__threadbare_land(n, exception, selector);
	}
}

// Returns if nobody takes the exception.
int _Unwind_RaiseException(_Unwind_Exception *exception)
{
	for (size_t n = 0; const long *words = __threadbare_landing(n); n++) {
		if (words[0] & TERMINATES)
			break;
		if (selector_of(words, exception))
			_Unwind_Resume(exception);
	}
	return END_OF_STACK;
}

void _Unwind_DeleteException(_Unwind_Exception *exception)
{
	if (exception->cleanup)
		exception->cleanup(1, exception);
}

// Functions with landing pads name the code that reads the pads of their language. All is done above: this one is never called,
// and keeps the code that a `resume` calls in the program.
int __gxx_personality_v0(...)
{
	_Unwind_Resume(nullptr);
	return 0;
}

}
