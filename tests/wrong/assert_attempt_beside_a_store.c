// An attempt to take a lock by an addition succeeds because another thread stores there between the addition and the
// subtraction of a failing one. So failing attempts at such a location must be made, whichever other reductions are on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int word = 1, go;

static void *stores(void *unused) {
  atomic_store_explicit(&go, 1, memory_order_relaxed);
  atomic_store_explicit(&word, 1, memory_order_relaxed);
  return NULL;
}

static void *attempts(void *unused) {
  if (!atomic_load_explicit(&go, memory_order_relaxed)) {
    return NULL;
  }
  while (atomic_fetch_add_explicit(&word, 1, memory_order_relaxed) != 0) {
    atomic_fetch_sub_explicit(&word, 1, memory_order_relaxed);
  }
  assert(0);  //~ ERROR[assertion]
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, stores, NULL);
  pthread_create(&b, NULL, attempts, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
