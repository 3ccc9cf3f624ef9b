/* A thread that returns nothing, and its creator wants to know what. */
#include <pthread.h>

static int x;

static void *t(void *a) {
  x = 1;
}

int main(void) {
  pthread_t id;
  void *result;
  pthread_create(&id, 0, t, 0);
  pthread_join(id, &result); //~ ERROR[uninitialised-read]
  return result != 0;
}
