/* The bad case is named as SV-COMP programs do. */
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int x;

static void *set(void *unused)
{
	atomic_store(&x, 1);
	return NULL;
}

static void *look(void *unused)
{
	if (atomic_load(&x))
		__VERIFIER_error(); //~ ERROR[assertion]
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, set, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
