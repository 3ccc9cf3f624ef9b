/* An array of variable size is used after its block has ended, by its own thread or by another one. */
#include <pthread.h>

static void *t(void *a) {
  *(int *)a = 1; //~ ERROR[use-after-free]
  return 0;
}

int main(int c, char **v) {
  pthread_t id;
  {
    int a[c + 1];
    a[0] = 0;
    pthread_create(&id, 0, t, a);
  } //~ ALSO
  pthread_join(id, 0);
  return 0;
}
