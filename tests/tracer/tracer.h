/*
 * What the programs of this directory share: release stores, acquire loads, and threads that are started in order and
 * joined.
 */
#ifndef TRACER_H
#define TRACER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static inline int load(atomic_int *at)
{
	return atomic_load_explicit(at, memory_order_acquire);
}

static inline void store(atomic_int *at, int value)
{
	atomic_store_explicit(at, value, memory_order_release);
}

/* Start n threads that run `body`, each with its number from 0 on as the argument. */
static inline void start(pthread_t *threads, int n, void *(*body)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, body, (void *)(long)i);
}

static inline void join(pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

#endif
