/* Text in memory, and functions with variable arguments of the program's own. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[32];

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	pthread_mutex_lock(&lock);
	vsnprintf(last, sizeof last, format, list);
	pthread_mutex_unlock(&lock);
	va_end(list);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
}

static void *work(void *number)
{
	note("thread %d: %s", *(int *)number, "done");
	return NULL;
}

int main(void)
{
	static int numbers[2] = {1, 2};
	pthread_t threads[2];
	char text[24], *allocated;

	assert(snprintf(text, sizeof text, "%05d|%-4s|%#x|%zu|%c", -42, "ab", 255u, sizeof text, 'z') == 20);
	assert(!strcmp(text, "-0042|ab  |0xff|24|z"));
	assert(snprintf(text, 4, "%s", "longer") == 6 && !strcmp(text, "lon"));
	assert(asprintf(&allocated, "%d%%", 7) == 2 && !strcmp(allocated, "7%"));
	free(allocated);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(!strcmp(last, "thread 1: done") || !strcmp(last, "thread 2: done"));
	return 0;
}
