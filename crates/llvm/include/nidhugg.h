/* For programs of Nidhugg, which has no header: the names that they declare themselves. Not modelled: the awaits that its own
   passes make (__VERIFIER_load_await_*, __VERIFIER_xchg_await_*). */
#ifndef THREADBARE_NIDHUGG_H
#define THREADBARE_NIDHUGG_H

#include <stdbool.h>
#include <threadbare.h>

/* A condition may be of any scalar type. */
#define __VERIFIER_assume(condition) __VERIFIER_assume(!!(condition))

#endif
