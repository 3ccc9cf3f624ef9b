/* Output has no effect on the program. */
#include <pthread.h>
#include <stdio.h>

static const char *const names[2] = {"left", "right"};

static void *greet(void *name)
{
	printf("hello from the %s\n", *(const char *const *)name);
	puts("bye");
	fprintf(stderr, "%d%%\n", 100);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, greet, (void *)&names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	fflush(stdout);
	return 0;
}
