/* For programs that include Dartagnan's header: its names, as Threadbare understands them. A loop without a bound has none
   here. Not modelled: the number of a thread. */
#ifndef THREADBARE_DAT3M_H
#define THREADBARE_DAT3M_H

#include <threadbare.h>

#define __VERIFIER_assume(condition) __VERIFIER_assume(!!(condition))
#define __VERIFIER_assert(condition) ((condition) ? (void)0 : __VERIFIER_error())
#define __VERIFIER_spin_end(condition) ((void)(condition), __VERIFIER_spin_end())
#define await_while(condition) while (condition)

unsigned int __VERIFIER_tid(void);

#endif
