// `std::random_device`: one sequence of many, as `rand` has it.
#include <cstdlib>
#include <random>

namespace std {

void random_device::_M_init(const string &) {}
void random_device::_M_fini() {}
random_device::result_type random_device::_M_getval() { return unsigned(rand()) << 16 ^ unsigned(rand()); }
double random_device::_M_getentropy() const noexcept { return 0; }

}
