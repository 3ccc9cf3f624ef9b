/* A read-write lock or a semaphore is used after it was destroyed. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_rwlock_t lock;
static sem_t semaphore;
static atomic_int flag;

#ifdef READ
#define USE pthread_rwlock_rdlock(&lock)
#elif defined TRY
#define USE pthread_rwlock_tryrdlock(&lock)
#elif defined VALUE
#define USE sem_getvalue(&semaphore, &(int){0})
#else
#define USE pthread_rwlock_wrlock(&lock)
#endif

static void use(void) {
  USE; //~ ERROR[invalid-access]
}

static void *thread(void *unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) use();
  return 0;
}

int main(void) {
  pthread_rwlock_init(&lock, 0);
  sem_init(&semaphore, 0, 1);
#ifdef PRIVATE
  pthread_rwlock_destroy(&lock);
  sem_destroy(&semaphore);
  use();
#else
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
  pthread_rwlock_destroy(&lock);
  sem_destroy(&semaphore);
  atomic_store_explicit(&flag, 1, memory_order_release);
  pthread_join(id, 0);
#endif
  return 0;
}
