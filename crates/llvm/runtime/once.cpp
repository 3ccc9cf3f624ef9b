// `std::call_once`: `pthread_once` calls a function without arguments, which finds that of the program in two variables.
#include <mutex>

namespace std {
__thread void *__once_callable;
__thread void (*__once_call)();
}

extern "C" void __once_proxy() { std::__once_call(); }
