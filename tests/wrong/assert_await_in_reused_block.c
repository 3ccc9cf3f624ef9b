// A block is freed and allocated again, and a thread waits for a flag in its second life. That it is the same block is seen by a
// comparison. Found when a thread that waits in a second life was taken for one that does not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  atomic_int flag;
  int rest[3];
};

static _Atomic(struct node *) first, shared;
static atomic_int same;

static void *waits(void *unused) {
  struct node *node;
  while (!(node = atomic_load_explicit(&shared, memory_order_acquire))) {}
  while (!atomic_load_explicit(&node->flag, memory_order_acquire)) {}
  assert(!atomic_load_explicit(&same, memory_order_relaxed));  //~ ERROR[assertion]
  return NULL;
}

static void *allocates(void *unused) {
  struct node *old = malloc(sizeof *old);
  atomic_store_explicit(&old->flag, 0, memory_order_relaxed);
  atomic_store_explicit(&first, old, memory_order_relaxed);
  free(old);
  struct node *new = malloc(sizeof *new);
  atomic_init(&new->flag, 0);
  if (new == old) {
    atomic_store_explicit(&same, 1, memory_order_relaxed);
  }
  atomic_store_explicit(&shared, new, memory_order_release);
  atomic_store_explicit(&new->flag, 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waits, NULL);
  pthread_create(&b, NULL, allocates, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
