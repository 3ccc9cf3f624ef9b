/*
 * What the litmus tests share. A test is written once with STORE, LOAD and FENCE; the variant says what they are:
 *
 *   VARIANT_RLX             relaxed accesses, no fences
 *   VARIANT_REL_ACQ         release stores, acquire loads, no fences
 *   VARIANT_SC              sequentially consistent accesses, no fences
 *   VARIANT_ACQ_REL_FENCES  relaxed accesses with acq_rel fences between them
 *   VARIANT_SC_FENCES       relaxed accesses with sequentially consistent fences between them
 *   VARIANT_FIXED           the test spells its orders out
 *
 * At the end a test names its interesting outcome with WEAK; with -DCHECK_WEAK it is an error to observe it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined VARIANT_RLX
#define STORE_ORDER memory_order_relaxed
#define LOAD_ORDER memory_order_relaxed
#define FENCE() ((void)0)
#elif defined VARIANT_REL_ACQ
#define STORE_ORDER memory_order_release
#define LOAD_ORDER memory_order_acquire
#define FENCE() ((void)0)
#elif defined VARIANT_SC
#define STORE_ORDER memory_order_seq_cst
#define LOAD_ORDER memory_order_seq_cst
#define FENCE() ((void)0)
#elif defined VARIANT_ACQ_REL_FENCES
#define STORE_ORDER memory_order_relaxed
#define LOAD_ORDER memory_order_relaxed
#define FENCE() atomic_thread_fence(memory_order_acq_rel)
#elif defined VARIANT_SC_FENCES
#define STORE_ORDER memory_order_relaxed
#define LOAD_ORDER memory_order_relaxed
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#elif !defined VARIANT_FIXED
#error "choose a variant: see above"
#endif

#define STORE(location, value) atomic_store_explicit(&(location), value, STORE_ORDER)
#define LOAD(location) atomic_load_explicit(&(location), LOAD_ORDER)

/* The value of a location after all threads have finished. */
#define FINAL(location) atomic_load_explicit(&(location), memory_order_relaxed)

#ifdef CHECK_WEAK
#define WEAK(outcome) assert(!(outcome))
#else
#define WEAK(outcome) ((void)(outcome))
#endif

#define THREADS(...) run((void *(*const[])(void *)){__VA_ARGS__, 0})

/* Creates a thread for each function of the list, which 0 ends, and joins them all. */
static inline void run(void *(*const functions[])(void *))
{
	pthread_t threads[4];
	int count = 0;

	for (; functions[count]; count++)
		pthread_create(&threads[count], 0, functions[count], 0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], 0);
}
