/* A struct of WORDS words that is copied whole, with a mutex: each copy is plain accesses to words, of which a reader
 * finds all or none. The number of executions does not depend on the size: 2 for a writer and a reader. With FIELD a
 * third thread writes one field, which splits the copies there: 3! orders of the critical sections. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef WORDS
#define WORDS 2
#endif

struct data {
	long words[WORDS];
	char last;
};

static struct data data;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	struct data own;

	memset(&own, 1, sizeof own);
	pthread_mutex_lock(&mutex);
#ifdef ASSIGN
	data = own;
#elif defined MOVE
	data = own;
	memmove(&data.words[1], &data.words[0], (WORDS - 1) * sizeof(long));
#else
	memcpy(&data, &own, sizeof own);
#endif
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *reader(void *unused)
{
	struct data own;
	unsigned char bytes[sizeof(long)];

	pthread_mutex_lock(&mutex);
	own = data;
	memcpy(bytes, &data.words[WORDS - 1], sizeof bytes);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < WORDS; i++)
		assert(own.words[i] == own.words[0]);
	assert(bytes[0] == bytes[7] && (bytes[0] == 0 || bytes[0] == 1));
#ifndef FIELD
	assert(own.last == bytes[0]);
#endif
	return NULL;
}

static void *field(void *unused)
{
	pthread_mutex_lock(&mutex);
	data.last = 2;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
#ifdef FIELD
	pthread_create(&c, NULL, field, NULL);
	pthread_join(c, NULL);
#endif
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(data.words[0] == 0x0101010101010101 && (data.last == 1 || data.last == 2));
	return 0;
}
