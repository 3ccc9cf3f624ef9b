/* A writer and two readers, each of which takes the lock and gives it back. Two readers alone can do that in
 * 4! / (2! * 2!) = 6 orders; with the writer before or after both there are 12, with it between them 2 more. One reader: 2. */
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 2
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *look(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	assert(x == y);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *change(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	x++;
	y++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t writer, readers[READERS];

	pthread_create(&writer, NULL, change, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, look, NULL);
	pthread_join(writer, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	return 0;
}
