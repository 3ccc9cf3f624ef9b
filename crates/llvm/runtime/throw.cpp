// The exceptions that the headers of the library throw by name, and those that the language throws.
#include <bits/functexcept.h>
#include <bits/std_function.h>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <typeinfo>

namespace std {

#define THROWS(exception) \
	void __throw_##exception() { throw exception(); }
#define THROWS_TEXT(exception) \
	void __throw_##exception(const char *what) { throw exception(what); }

THROWS(bad_exception)
THROWS(bad_alloc)
THROWS(bad_array_new_length)
THROWS(bad_cast)
THROWS(bad_typeid)
THROWS(bad_function_call)
THROWS_TEXT(logic_error)
THROWS_TEXT(domain_error)
THROWS_TEXT(invalid_argument)
THROWS_TEXT(length_error)
THROWS_TEXT(out_of_range)
THROWS_TEXT(runtime_error)
THROWS_TEXT(range_error)
THROWS_TEXT(overflow_error)
THROWS_TEXT(underflow_error)

void __throw_out_of_range_fmt(const char *format, ...)
{
	char what[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	throw out_of_range(what);
}

}

extern "C" void __cxa_bad_cast() { throw std::bad_cast(); }
extern "C" void __cxa_bad_typeid() { throw std::bad_typeid(); }
extern "C" void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }
