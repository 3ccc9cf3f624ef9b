/* Every function that allocates may fail, and the program can do without. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *thread(void *unused)
{
	int *p = malloc(sizeof *p), *q = calloc(1, sizeof *q), *r;
	void *s = NULL;

	if (p) {
		*p = 1;
		r = realloc(p, 2 * sizeof *p);
		if (r) {
			*r += 1;
			p = r;
		}
	}
	if (q)
		*q += 1;
	if (!posix_memalign(&s, 64, 64))
		*(char *)s = 1;
	free(p);
	free(q);
	free(s);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
