/* Assembly that is not understood stops where it is reached, and nowhere else. */
#include <pthread.h>

static int x;

static void *run(void *unused)
{
#if defined CPUID
	int a = 0, b, c, d;

	asm volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d) : : "memory");
#elif defined UNLOCKED
	int expected = 0;

	asm volatile("cmpxchgl %2, %0" : "+m"(x), "+a"(expected) : "r"(1) : "memory", "cc");
#elif defined FENCE
	asm volatile("mfence");
#elif defined UNDEFINED
	asm volatile("movl %%ebx, %0" : "=m"(x) : : "memory");
#elif defined TIME
	unsigned low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	x = low + high;
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	if (x == 7)
		asm volatile("ltr %0" : : "m"(x));
	return 0;
}
