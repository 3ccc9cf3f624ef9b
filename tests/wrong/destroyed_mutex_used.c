/* A mutex is used after it was destroyed: one error, one code, whatever uses it, and whether or not there are other
   threads. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int flag;

#ifdef TRYLOCK
#define USE pthread_mutex_trylock(&mutex)
#elif defined LOOP
#define USE while (pthread_mutex_trylock(&mutex))
#elif defined TIMED
#define USE pthread_mutex_timedlock(&mutex, &(struct timespec){0})
#elif defined UNLOCK
#define USE pthread_mutex_unlock(&mutex)
#elif defined DESTROY
#define USE pthread_mutex_destroy(&mutex)
#else
#define USE pthread_mutex_lock(&mutex)
#endif

static void use(void) {
  USE; //~ ERROR[invalid-access]
}

static void *thread(void *unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) use();
  return 0;
}

int main(void) {
  pthread_mutex_init(&mutex, 0);
#ifdef PRIVATE
  pthread_mutex_destroy(&mutex);
  use();
#else
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
  pthread_mutex_destroy(&mutex);
  atomic_store_explicit(&flag, 1, memory_order_release);
  pthread_join(id, 0);
#endif
  return 0;
}
