// Without a guard the lock is not given back when an exception leaves the function.
#include <cassert>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void fails()
{
	pthread_mutex_lock(&mutex);
	throw 1;
}
static void *worker(void *)
{
	int error = pthread_mutex_trylock(&mutex);
	assert(!error); //~ ERROR[assertion]
	pthread_mutex_unlock(&mutex);
	return nullptr;
}
int main()
{
	pthread_t thread;
	try {
		fails();
	} catch (int) {
	}
	pthread_create(&thread, nullptr, worker, nullptr);
	pthread_join(thread, nullptr);
}
