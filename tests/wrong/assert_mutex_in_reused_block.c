// The same with a mutex in the second life of the block.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  pthread_mutex_t mutex;
  int rest;
};

static _Atomic(struct node *) first, shared;
static atomic_int same;
static int number;

static void *locks(void *unused) {
  struct node *node;
  while (!(node = atomic_load_explicit(&shared, memory_order_acquire))) {}
  pthread_mutex_lock(&node->mutex);
  int seen = number;
  pthread_mutex_unlock(&node->mutex);
  if (seen == 1) {
    assert(!atomic_load_explicit(&same, memory_order_relaxed));  //~ ERROR[assertion]
  }
  return NULL;
}

static void *allocates(void *unused) {
  struct node *old = malloc(sizeof *old);
  atomic_store_explicit(&first, old, memory_order_relaxed);
  free(old);
  struct node *new = malloc(sizeof *new);
  pthread_mutex_init(&new->mutex, NULL);
  if (new == old) {
    atomic_store_explicit(&same, 1, memory_order_relaxed);
  }
  atomic_store_explicit(&shared, new, memory_order_release);
  pthread_mutex_lock(&new->mutex);
  number = 1;
  pthread_mutex_unlock(&new->mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, locks, NULL);
  pthread_create(&b, NULL, allocates, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
