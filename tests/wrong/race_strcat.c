/* strcat writes where another thread reads: both are told of at their calls. */
#include <pthread.h>
#include <string.h>

static char text[8] = "ab";

static void *change(void *unused)
{
	strcat(text, "cd"); //~ ERROR[data-race]
	return NULL;
}

int main(void)
{
	pthread_t thread;
	char *found;

	pthread_create(&thread, NULL, change, NULL);
	found = strrchr(text, 'b'); //~ ALSO
	pthread_join(thread, NULL);
	return found == text + 1 ? 0 : 1;
}
