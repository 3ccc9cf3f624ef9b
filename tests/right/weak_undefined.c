/* Weak symbols that nobody defines are null; those that somebody does, or that have a model, are not. */
#include <assert.h>
#include <pthread.h>

extern void hook(void) __attribute__((weak));
extern int variable __attribute__((weak));
extern __typeof(pthread_self) pthread_self __attribute__((weak));
__attribute__((weak)) int defined = 3;
static void (*table[])(void) = {hook};

static void *t(void *a) {
  if (hook) hook();
  return 0;
}

int main(void) {
  pthread_t id;
  assert(!hook && !&variable && !table[0] && pthread_self && &defined && defined == 3);
  pthread_create(&id, 0, t, 0);
  pthread_join(id, 0);
  return 0;
}
