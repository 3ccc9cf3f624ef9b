// The categories of error codes: generic and system, which are the same here, and that of futures.
#include <cstring>
#include <future>
#include <system_error>

namespace std {
inline namespace _V2 {

error_category::~error_category() = default;
// For code that is compiled with the strings of before C++11.
__cow_string error_category::_M_message(int) const { __threadbare_unmodelled("strings of before C++11 are not modelled"); }
error_condition error_category::default_error_condition(int code) const noexcept { return {code, *this}; }
bool error_category::equivalent(int code, const error_condition &condition) const noexcept
{
	return default_error_condition(code) == condition;
}
bool error_category::equivalent(const error_code &code, int condition) const noexcept
{
	return *this == code.category() && code.value() == condition;
}

namespace {

struct numbered final : error_category {
	const char *called;
	constexpr numbered(const char *called) : called(called) {}
	const char *name() const noexcept override { return called; }
	string message(int code) const override { return strerror(code); }
};

union forever {
	numbered category;
	constexpr forever(const char *name) : category(name) {}
	~forever() {}
};

constinit const forever generic{"generic"}, by_system{"system"}, of_futures{"future"};

}

const error_category &generic_category() noexcept { return generic.category; }
const error_category &system_category() noexcept { return by_system.category; }

}

const error_category &future_category() noexcept { return of_futures.category; }

error_condition error_code::default_error_condition() const noexcept { return {value(), category()}; }

}
