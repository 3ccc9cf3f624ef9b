/* Two readers of two writers in assembly. Loads are no more than acquire loads here: the readers may disagree, although an x86
   processor never lets them. With a fence between the loads they agree. */
#include <assert.h>
#include <pthread.h>

static int x, y, r[4];

static int load(int *p)
{
	int value;

	asm volatile("movl %1, %0" : "=r"(value) : "m"(*p) : "memory");
	return value;
}

static void *write(void *p)
{
	asm volatile("movl $1, %0" : "=m"(*(int *)p) : : "memory");
	return NULL;
}

static void read(int *first, int *second, int *values)
{
	values[0] = load(first);
#ifndef WEAK
	asm volatile("lock; orq $0, (%%rsp)" : : : "memory", "cc");
#endif
	values[1] = load(second);
}

static void *read_up(void *unused)
{
	read(&x, &y, r);
	return NULL;
}

static void *read_down(void *unused)
{
	read(&y, &x, r + 2);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	pthread_create(&t[0], NULL, write, &x);
	pthread_create(&t[1], NULL, write, &y);
	pthread_create(&t[2], NULL, read_up, NULL);
	pthread_create(&t[3], NULL, read_down, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(!(r[0] && !r[1] && r[2] && !r[3])); //~ ERROR[assertion]
	return 0;
}
