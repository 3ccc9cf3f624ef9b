// A plain access outside of atomic sections races with one inside.
#include <pthread.h>
#include <threadbare.h>

static int x;

static void *t(void *p)
{
	__VERIFIER_atomic_begin();
	x++; //~ ERROR[data-race]
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t a;
	pthread_create(&a, 0, t, 0);
	x = 5; //~ ALSO
	pthread_join(a, 0);
	return 0;
}
