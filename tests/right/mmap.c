/* Anonymous memory: zeros, in whole pages, shared with threads. It fails only if allocations may. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static void *add(void *p)
{
	((int *)p)[1000]++;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int *p = mmap(NULL, 4000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		assert(errno == ENOMEM);
		return 0;
	}
	assert(p[999] == 0);
	assert(mprotect(p, 4000, PROT_READ | PROT_WRITE) == 0);
	pthread_create(&thread, NULL, add, p);
	pthread_join(thread, NULL);
	assert(p[1000] == 1);
	assert(munmap(p, 4000) == 0);
	p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		munmap(p, 1);
	assert(mmap(NULL, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
	return 0;
}
