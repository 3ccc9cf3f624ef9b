/* strlen reads its string. */
#include <pthread.h>
#include <string.h>

static char text[4] = "abc";

static void *change(void *unused)
{
	text[1] = 'x'; //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;
	size_t length;

	pthread_create(&thread, NULL, change, NULL);
	length = strlen(text); //~ ALSO
	pthread_join(thread, NULL);
	return length == 3 ? 0 : 1;
}
