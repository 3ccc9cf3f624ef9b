// `std::cout`, `std::cerr` and `std::clog`: what is written there is read and dropped.
//
// They are the only streams: those of strings and files are not modelled, and nothing here makes one. A stream is a pointer to
// its table, which says where its base `std::ios` is, and that base. Its flags are memory as any other.
#include <cstdio>
#include <ostream>
#include <string>

struct table {
	long base_at, top_at;
	const void *type;
};

struct stream {
	const table *end_of_table;
	const table *end_of_base;
	char state[256];
};

static const table stream_table = {8, 0, nullptr}, base_table = {0, -8, nullptr};

// The names of `std::cout` and its kin.
static_assert(sizeof(stream) == sizeof(std::ostream));
stream to_output __asm__("_ZSt4cout") = {&stream_table + 1, &base_table + 1, {}};
stream to_errors __asm__("_ZSt4cerr") = {&stream_table + 1, &base_table + 1, {}};
stream to_log __asm__("_ZSt4clog") = {&stream_table + 1, &base_table + 1, {}};

namespace std {

ios_base::Init::Init() {}
ios_base::Init::~Init() {}

#define DROPS(...) \
	template<> ostream &ostream::__VA_ARGS__ { return *this; }

DROPS(operator<<(int))
DROPS(operator<<(short))
DROPS(operator<<(unsigned))
DROPS(operator<<(unsigned short))
DROPS(operator<<(long))
DROPS(operator<<(unsigned long))
DROPS(operator<<(long long))
DROPS(operator<<(unsigned long long))
DROPS(operator<<(bool))
DROPS(operator<<(double))
DROPS(operator<<(float))
DROPS(operator<<(long double))
DROPS(operator<<(const void *))
DROPS(put(char))
DROPS(flush())
template<> DROPS(_M_insert(bool))
template<> DROPS(_M_insert(double))
template<> DROPS(_M_insert(long double))
template<> DROPS(_M_insert(long))
template<> DROPS(_M_insert(unsigned long))
template<> DROPS(_M_insert(long long))
template<> DROPS(_M_insert(unsigned long long))
template<> DROPS(_M_insert(const void *))

template<> ostream &operator<<(ostream &out, char) { return out; }
template<> ostream &endl(ostream &out) { return out; }
template<> ostream &ends(ostream &out) { return out; }
template<> ostream &flush(ostream &out) { return out; }

template<> ostream &operator<<(ostream &out, const char *text)
{
	fputs(text, stdout);
	return out;
}

template<> ostream &__ostream_insert(ostream &out, const char *bytes, streamsize length)
{
	fwrite(bytes, 1, length, stdout);
	return out;
}

template<> ostream &ostream::write(const char *bytes, streamsize length)
{
	return __ostream_insert(*this, bytes, length);
}

template<> ostream &operator<<(ostream &out, const string &text)
{
	return __ostream_insert(out, text.data(), text.size());
}

}
