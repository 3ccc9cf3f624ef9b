/* strtok keeps its place in a variable that all threads share. */
#include <pthread.h>
#include <string.h>

static void *split(void *text)
{
	return strtok(text, ","); //~ ERROR[data-race]
}

int main(void)
{
	static char one[] = "a,b", other[] = "c,d";
	pthread_t thread;

	pthread_create(&thread, NULL, split, one);
	strtok(other, ","); //~ ALSO
	pthread_join(thread, NULL);
	return 0;
}
