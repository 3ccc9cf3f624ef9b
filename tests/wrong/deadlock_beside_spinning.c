/* Two threads wait for each other's mutexes; a third one spins until they are done. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *first(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); //~ ERROR[deadlock]
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
	return NULL;
}

static void *second(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); //~ ALSO
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	while (atomic_load_explicit(&done, memory_order_relaxed) < 2) //~ ALSO
		;
	return 0;
}
