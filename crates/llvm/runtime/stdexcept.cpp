// The exceptions of the standard library: their classes, and what they say.
//
// The texts of those that have one are copied with each object; libstdc++ shares and counts them, which makes no difference.

typedef decltype(sizeof 0) size_t;

extern "C" {
void *malloc(size_t size);
void free(void *object);
}

namespace {

// A text of its own.
class text {
	char *chars;

	void set(const char *from, size_t length)
	{
		chars = (char *)malloc(length + 1);
		if (!chars)
			__threadbare_unmodelled("an exception for whose text there is no memory is not modelled");
		for (size_t i = 0; i < length; i++)
			chars[i] = from[i];
		chars[length] = 0;
	}

	static size_t length(const char *from)
	{
		size_t n = 0;
		while (from[n])
			n++;
		return n;
	}

public:
	text(const char *from, size_t length) { set(from, length); }
	explicit text(const char *from) { set(from, length(from)); }
	text(const text &from) { set(from.chars, length(from.chars)); }
	~text() { free(chars); }
	text &operator=(const text &from)
	{
		if (this != &from) {
			free(chars);
			set(from.chars, length(from.chars));
		}
		return *this;
	}
	const char *get() const { return chars; }
};

// How `std::string` begins.
struct string_head {
	const char *chars;
	size_t length;
};

}

namespace std {

template <class> struct char_traits;
template <class> class allocator;
inline namespace __cxx11 {
template <class, class, class> class basic_string;
}
typedef basic_string<char, char_traits<char>, allocator<char>> string;

class exception {
public:
	virtual ~exception() noexcept;
	virtual const char *what() const noexcept;
};

exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }

// A class without a text of its own.
#define PLAIN(name, base, says) \
	class name : public base { \
	public: \
		virtual ~name() noexcept; \
		virtual const char *what() const noexcept; \
	}; \
	name::~name() noexcept {} \
	const char *name::what() const noexcept { return says; }

PLAIN(bad_exception, exception, "std::bad_exception")
PLAIN(bad_alloc, exception, "std::bad_alloc")
PLAIN(bad_array_new_length, bad_alloc, "std::bad_array_new_length")
PLAIN(bad_cast, exception, "std::bad_cast")
PLAIN(bad_typeid, exception, "std::bad_typeid")
PLAIN(bad_function_call, exception, "bad_function_call")
PLAIN(bad_weak_ptr, exception, "bad_weak_ptr")

static text copy_of(const string &from)
{
	const string_head &head = reinterpret_cast<const string_head &>(from);
	return text(head.chars, head.length);
}

// A class that all those with a text are derived from.
#define ROOT(name) \
	class name : public exception { \
		text says; \
\
	public: \
		explicit name(const char *); \
		explicit name(const string &); \
		name(const name &) noexcept; \
		name(name &&) noexcept; \
		name &operator=(const name &) noexcept; \
		name &operator=(name &&) noexcept; \
		virtual ~name() noexcept; \
		virtual const char *what() const noexcept; \
	}; \
	name::name(const char *from) : says(from) {} \
	name::name(const string &from) : says(copy_of(from)) {} \
	name::name(const name &from) noexcept : exception(from), says(from.says) {} \
	name::name(name &&from) noexcept : exception(from), says(from.says) {} \
	name &name::operator=(const name &from) noexcept \
	{ \
		says = from.says; \
		return *this; \
	} \
	name &name::operator=(name &&from) noexcept \
	{ \
		says = from.says; \
		return *this; \
	} \
	name::~name() noexcept {} \
	const char *name::what() const noexcept { return says.get(); }

ROOT(logic_error)
ROOT(runtime_error)

#define DERIVED(name, base) \
	class name : public base { \
	public: \
		explicit name(const char *); \
		explicit name(const string &); \
		virtual ~name() noexcept; \
	}; \
	name::name(const char *from) : base(from) {} \
	name::name(const string &from) : base(from) {} \
	name::~name() noexcept {}

DERIVED(domain_error, logic_error)
DERIVED(invalid_argument, logic_error)
DERIVED(length_error, logic_error)
DERIVED(out_of_range, logic_error)
DERIVED(range_error, runtime_error)
DERIVED(overflow_error, runtime_error)
DERIVED(underflow_error, runtime_error)

}
