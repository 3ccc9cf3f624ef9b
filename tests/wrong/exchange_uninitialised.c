/* An exchange of what was never written, whose result is used. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *shared;

static void *t(void *a) {
  if (atomic_exchange_explicit(shared, 1, memory_order_relaxed)) //~ ERROR[uninitialised-read]
    return a;
  return 0;
}

int main(void) {
  pthread_t id;
  shared = malloc(sizeof *shared);
  pthread_create(&id, 0, t, 0);
  pthread_join(id, 0);
  free(shared);
  return 0;
}
