/* For programs of Nidhugg, which has no header: the names that they declare themselves. Not modelled: awaits of other types
   than `int` (__VERIFIER_load_await_i64 and the like), which its own passes make. */
#ifndef THREADBARE_NIDHUGG_H
#define THREADBARE_NIDHUGG_H

#include <stdbool.h>
#include <threadbare.h>

/* A condition may be of any scalar type. */
#define __VERIFIER_assume(condition) __VERIFIER_assume(!!(condition))

#endif
