/* Exchanges of what was never written, whose results nobody uses: in memory of one thread (a fence, in liblfds), and in
   memory of two. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *shared;

static void *t(void *a) {
  atomic_exchange_explicit(shared, 1, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t id;
  volatile unsigned long destination;
  (void)__atomic_exchange_n(&destination, 9, __ATOMIC_RELAXED);
  assert(destination == 9);
  shared = malloc(sizeof *shared);
  pthread_create(&id, 0, t, 0);
  atomic_exchange_explicit(shared, 2, memory_order_relaxed);
  int seen = atomic_load_explicit(shared, memory_order_relaxed);
  assert(seen == 1 || seen == 2);
  pthread_join(id, 0);
  free(shared);
  return 0;
}
