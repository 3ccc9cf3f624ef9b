/* Messages in assembly: a store is a release store, a load an acquire load, if the assembly clobbers memory. Otherwise the
   compiler may move the accesses to the message. */
#include <assert.h>
#include <pthread.h>

#ifdef UNORDERED
#define CLOBBERS "cc"
#else
#define CLOBBERS "memory"
#endif

static int message, flag;

static void *send(void *unused)
{
	message = 42; //~ ERROR[data-race]
	asm volatile("movl %1, %0" : "=m"(flag) : "ir"(1) : CLOBBERS);
	return NULL;
}

static void *receive(void *unused)
{
	int value;

	do {
		asm volatile("rep; nop\n\tmovl %1, %0" : "=r"(value) : "m"(flag) : CLOBBERS);
	} while (!value);
	assert(message == 42); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, send, NULL);
	pthread_create(&u, NULL, receive, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
