/* For programs that include GenMC's header: its names, as Threadbare understands them. What GenMC takes for a promise of the
   program (local and final writes, helping, speculation, symmetric threads) is only done here: no execution is left out for
   it. Not modelled: hazard pointers, persistent memory, specifications. */
#ifndef THREADBARE_GENMC_H
#define THREADBARE_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <threadbare.h>

typedef pthread_t __VERIFIER_thread_t;

static inline __VERIFIER_thread_t __VERIFIER_spawn(void *(*run)(void *), void *argument)
{
	__VERIFIER_thread_t thread;
	if (pthread_create(&thread, NULL, run, argument))
		abort();
	return thread;
}

static inline void *__VERIFIER_join(__VERIFIER_thread_t thread)
{
	void *result;
	if (pthread_join(thread, &result))
		abort();
	return result;
}

static inline void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread)
{
	if (pthread_join(thread, NULL))
		abort();
}

#define __VERIFIER_spawn_symmetric(run, argument, other) ((void)(other), __VERIFIER_spawn(run, argument))

/* A condition may be of any scalar type. */
#define __VERIFIER_assume(condition) __VERIFIER_assume(!!(condition))
#define __VERIFIER_spin_end(condition) ((void)(condition), __VERIFIER_spin_end())

#define __VERIFIER_local_write(statement) do { statement; } while (0)
#define __VERIFIER_final_write(statement) do { statement; } while (0)
#define __VERIFIER_helped_CAS(statement) do { statement; } while (0)
#define __VERIFIER_helping_CAS(statement) do { statement; } while (0)
#define __VERIFIER_speculative_read(expression) (expression)
#define __VERIFIER_confirming_read(expression) (expression)
#define __VERIFIER_confirming_CAS(expression) (expression)
#define __VERIFIER_final_CAS(expression) (expression)
#define __VERIFIER_optional(statement) do { statement; } while (0)

/* Not modelled: a thread that calls it stops there. */
void __VERIFIER_pbarrier(void);

#endif
