/* Every thread gets the address of the same loop variable, which goes on changing. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *number)
{
	printf("%d\n", *(int *)number); //~ ALSO
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++) //~ ERROR[data-race]
		pthread_create(&threads[i], NULL, print, &i);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
