// The exceptions with an error code.
#include <bits/functexcept.h>
#include <future>
#include <system_error>

namespace std {

system_error::~system_error() noexcept = default;
future_error::~future_error() noexcept = default;
const char *future_error::what() const noexcept { return logic_error::what(); }

void __throw_system_error(int code) { throw system_error(error_code(code, generic_category())); }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }
void __throw_ios_failure(const char *) { __threadbare_unmodelled("`std::ios_base::failure` is not modelled"); }
void __throw_ios_failure(const char *, int) { __threadbare_unmodelled("`std::ios_base::failure` is not modelled"); }

}
