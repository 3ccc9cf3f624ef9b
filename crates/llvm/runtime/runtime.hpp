// What every file of the C++ runtime begins with.
//
// The C++ runtime is that part of libstdc++ that is in its library and not in its headers. It is compiled with the headers that
// the program is compiled with, and interpreted with it. It calls nothing but the C runtime and what the machine models.

#include <cstddef>

// The instances of templates that the library has are made here.
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#define INLINE __attribute__((always_inline))

extern "C" {
// The run stops here: this, in words, is not modelled.
void __threadbare_unmodelled(const char *what) __attribute__((noreturn));
// Only one value of those that are possible is tried here.
void __threadbare_sampled(void);
// A violation: this, in words, ends the program.
void __assert_fail(const char *what, const char *file, unsigned line, const char *function) __attribute__((noreturn));
}
