/* Functions that come to their end without a `return`, as C allows where nobody uses the result (C11 6.9.1p12). */
#include <assert.h>
#include <pthread.h>
#include <threads.h>

static int x, y, z;

static void *sometimes(void *a) {
  x = 1;
  if (a) return a;
}

static void *never(void *a) {
  y = 1;
}

static int inlined(int a) {
  z++;
  if (a) return a;
}

__attribute__((noinline)) static int called(int a) {
  z++;
  if (a) return a;
}

static int c11(void *a) {
  z++;
}

int main(void) {
  pthread_t s, n;
  thrd_t c;
  int (*volatile pointer)(int) = called;
  inlined(0);
  called(0);
  pointer(0);
  assert(inlined(2) + called(3) == 5);
  pthread_create(&s, 0, sometimes, 0);
  pthread_create(&n, 0, never, 0);
  thrd_create(&c, c11, 0);
  pthread_join(s, 0);
  pthread_join(n, 0);
  thrd_join(c, 0);
  assert(x + y == 2 && z == 6);
  return 0;
}
