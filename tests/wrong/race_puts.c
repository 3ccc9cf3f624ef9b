/* puts reads its string. */
#include <pthread.h>
#include <stdio.h>

static char text[4] = "abc";

static void *change(void *unused)
{
	text[1] = 'x'; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
	puts(text); //~ ALSO
	pthread_join(thread, NULL);
	return 0;
}
