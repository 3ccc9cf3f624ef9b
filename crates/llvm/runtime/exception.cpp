// Exceptions of C++: the second level of the Itanium C++ ABI, `std::terminate` and `std::exception_ptr`.
//
// An exception has a header before its object. One that `std::rethrow_exception` throws has a header of its own, for several
// threads may throw one object at the same time, and each counts its own handlers. As long as nobody holds an
// `std::exception_ptr`, no other thread can know an exception, and nothing about it is atomic.

struct type;

namespace std {

class exception {
public:
	virtual ~exception() noexcept;
	virtual const char *what() const noexcept;
};

typedef void (*terminate_handler)();

void terminate() noexcept __attribute__((noreturn));
terminate_handler get_terminate() noexcept;

namespace __exception_ptr {

class exception_ptr {
public:
	void *object;

	explicit exception_ptr(void *object) noexcept;
	void _M_addref() noexcept;
	void _M_release() noexcept;
	void *_M_get() const noexcept;
	exception_ptr(const exception_ptr &) noexcept;
	~exception_ptr() noexcept;
	const type *__cxa_exception_type() const noexcept;
};

}

class nested_exception {
	void *object;

public:
	virtual ~nested_exception() noexcept;
};

}

extern "C" {

typedef decltype(sizeof 0) size_t;

struct _Unwind_Exception {
	unsigned long exception_class;
	void (*cleanup)(int reason, _Unwind_Exception *exception);
	unsigned long first, second;
};

struct header {
	// The object, and whether this header is the one right before it.
	char *object;
	bool is_primary;
	// Whether an `std::exception_ptr` was made: then the header that is the primary one counts references.
	bool is_shared;
	int references;
	const type *thrown;
	void (*destroy)(void *object);
	// Where it was thrown.
	size_t place;
	// The handlers that it is in, less than 0 while it is thrown again; the one that was caught before.
	int handlers;
	header *before;
	// What the handler gets.
	void *caught;
	// The object comes right after it: compiled code relies on that.
	_Unwind_Exception unwind;
};

void *malloc(size_t size);
void free(void *object);
int _Unwind_RaiseException(_Unwind_Exception *exception);
void __threadbare_throws() noexcept;
size_t __threadbare_place() noexcept;
void __threadbare_uncaught(const type *thrown, const char *what, size_t place) noexcept __attribute__((noreturn));
bool __threadbare_catches(const type *wanted, const type *thrown, void **object) noexcept;

// If the program knows it.
extern const type _ZTISt9exception __attribute__((weak));

static const unsigned long CXX = 0x474e5543432b2b00;

// The exceptions that are caught, the last one first, and how many are thrown and not caught.
static __thread header *caught;
static __thread unsigned uncaught;

static std::terminate_handler last_handler, unexpected_handler;

static header *header_of(_Unwind_Exception *exception)
{
	if (exception->exception_class != CXX)
		__threadbare_unmodelled("an exception of another language in a handler of C++ is not modelled");
	return (header *)((char *)(exception + 1) - sizeof(header));
}

static header *primary(void *object) { return (header *)object - 1; }

int __threadbare_takes(const type *wanted, _Unwind_Exception *exception) noexcept
{
	header *it = header_of(exception);
	void *object = it->object;
	if (!__threadbare_catches(wanted, it->thrown, &object))
		return 0;
	it->caught = object;
	return 1;
}

static header *allocate(size_t size)
{
	__threadbare_throws();
	header *it = (header *)malloc(sizeof(header) + size);
	if (!it)
		__threadbare_unmodelled("an exception for which there is no memory is not modelled");
	*it = header{};
	it->object = (char *)(it + 1);
	it->is_primary = true;
	it->unwind.exception_class = CXX;
	return it;
}

void *__cxa_allocate_exception(size_t size) noexcept { return allocate(size)->object; }

void __cxa_free_exception(void *object) noexcept { free(primary(object)); }

header *__cxa_init_primary_exception(void *object, const type *thrown, void (*destroy)(void *)) noexcept
{
	header *it = primary(object);
	it->thrown = thrown;
	it->destroy = destroy;
	return it;
}

static void add_reference(void *object)
{
	header *it = primary(object);
	if (it->is_shared) {
		__atomic_add_fetch(&it->references, 1, __ATOMIC_RELAXED);
		return;
	}
	it->is_shared = true;
	it->references++;
}

static void drop_reference(void *object)
{
	header *it = primary(object);
	if (it->is_shared && __atomic_sub_fetch(&it->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	if (it->destroy)
		it->destroy(object);
	free(it);
}

// The exception is over, in this thread.
static void end(header *it)
{
	void *object = it->object;
	if (!it->is_primary)
		free(it);
	drop_reference(object);
}

static void end_thrown(int, _Unwind_Exception *exception) { end(header_of(exception)); }

void *__cxa_get_exception_ptr(_Unwind_Exception *exception) noexcept { return header_of(exception)->caught; }

void *__cxa_begin_catch(_Unwind_Exception *exception) noexcept
{
	header *it = header_of(exception);
	// One that is thrown again in its handler is still the last one that was caught.
	if (!it->handlers) {
		it->before = caught;
		caught = it;
	}
	it->handlers = (it->handlers < 0 ? -it->handlers : it->handlers) + 1;
	uncaught--;
	return it->caught;
}

void __cxa_end_catch()
{
	header *it = caught;
	if (!it)
		return;
	if (it->handlers < 0) {
		// It is thrown again, and goes on.
		if (++it->handlers == 0)
			caught = it->before;
	} else if (--it->handlers == 0) {
		caught = it->before;
		end(it);
	}
}

// Throws; returns if nobody takes the exception, as the one that is handled.
static void raise(header *it)
{
	uncaught++;
	it->caught = it->object;
	it->unwind.cleanup = end_thrown;
	_Unwind_RaiseException(&it->unwind);
	__cxa_begin_catch(&it->unwind);
}

void __cxa_throw(void *object, const type *thrown, void (*destroy)(void *))
{
	header *it = __cxa_init_primary_exception(object, thrown, destroy);
	it->references = 1;
	it->place = __threadbare_place();
	raise(it);
	std::terminate();
}

void __cxa_rethrow()
{
	header *it = caught;
	if (it) {
		it->handlers = -it->handlers;
		raise(it);
	}
	std::terminate();
}

const type *__cxa_current_exception_type() noexcept { return caught ? caught->thrown : nullptr; }

int __cxa_uncaught_exceptions() noexcept { return uncaught; }

bool __cxa_uncaught_exception() noexcept { return uncaught; }

// An exception has left a function whose specification does not list it.
void __cxa_call_unexpected(_Unwind_Exception *exception)
{
	__cxa_begin_catch(exception);
	if (__atomic_load_n(&unexpected_handler, __ATOMIC_ACQUIRE))
		__threadbare_unmodelled("a handler of `std::set_unexpected` is not modelled");
	std::terminate();
}

void __cxa_pure_virtual() { __threadbare_uncaught(nullptr, nullptr, 0); }

void __cxa_deleted_virtual() { __threadbare_uncaught(nullptr, nullptr, 0); }

// What the exception says about itself, in memory of this thread alone.
static const char *text_of(header *it, char (&text)[200])
{
	void *object = it->object;
	if (!&_ZTISt9exception || !__threadbare_catches(&_ZTISt9exception, it->thrown, &object))
		return nullptr;
	const char *what = ((std::exception *)object)->what();
	size_t n = 0;
	for (; n < sizeof text - 1 && what[n]; n++)
		text[n] = what[n];
	text[n] = 0;
	return text;
}

}

namespace std {

// The end of the program: a violation, unless a handler of the program ends it otherwise.
void terminate() noexcept
{
	if (terminate_handler handler = get_terminate()) {
		try {
			handler();
		} catch (...) {
		}
	}
	if (header *it = caught) {
		char text[200];
		__threadbare_uncaught(it->thrown, text_of(it, text), it->place);
	}
	__threadbare_uncaught(nullptr, nullptr, 0);
}

terminate_handler get_terminate() noexcept { return __atomic_load_n(&last_handler, __ATOMIC_ACQUIRE); }

terminate_handler set_terminate(terminate_handler handler) noexcept
{
	return __atomic_exchange_n(&last_handler, handler, __ATOMIC_ACQ_REL);
}

void unexpected() { terminate(); }

terminate_handler get_unexpected() noexcept { return __atomic_load_n(&unexpected_handler, __ATOMIC_ACQUIRE); }

terminate_handler set_unexpected(terminate_handler handler) noexcept
{
	return __atomic_exchange_n(&unexpected_handler, handler, __ATOMIC_ACQ_REL);
}

int uncaught_exceptions() noexcept { return uncaught; }

bool uncaught_exception() noexcept { return uncaught; }

namespace __exception_ptr {

exception_ptr::exception_ptr(void *object) noexcept : object(object)
{
	if (object)
		add_reference(object);
}

void exception_ptr::_M_addref() noexcept { add_reference(object); }

void exception_ptr::_M_release() noexcept
{
	drop_reference(object);
	object = nullptr;
}

void *exception_ptr::_M_get() const noexcept { return object; }

const type *exception_ptr::__cxa_exception_type() const noexcept { return primary(object)->thrown; }

}

__exception_ptr::exception_ptr current_exception() noexcept
{
	return __exception_ptr::exception_ptr(caught ? caught->object : nullptr);
}

// The exception has a header of its own. Compiled code finds a pointer that was thrown right behind it.
void rethrow_exception(__exception_ptr::exception_ptr pointer)
{
	header *it = allocate(sizeof(void *)), *of = primary(pointer.object);
	// To the object itself, or the pointer.
	void *value = of->object;
	__threadbare_catches(of->thrown, of->thrown, &value);
	*(void **)(it + 1) = value;
	it->object = of->object;
	it->is_primary = false;
	it->thrown = of->thrown;
	it->place = __threadbare_place();
	add_reference(pointer.object);
	raise(it);
	terminate();
}

nested_exception::~nested_exception() noexcept
{
	if (object)
		drop_reference(object);
}

}
