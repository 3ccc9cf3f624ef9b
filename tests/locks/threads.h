/*
 * What the programs of this directory share: threads that are started in order and waited for.
 */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* Run n threads and wait for all of them. What they run and their argument are expressions in their number `i`. */
#define RUN(n, body, argument) \
	do { \
		pthread_t threads[n]; \
\
		for (int i = 0; i < (n); i++) \
			pthread_create(&threads[i], NULL, body, argument); \
		for (int i = 0; i < (n); i++) \
			pthread_join(threads[i], NULL); \
	} while (0)

#endif
