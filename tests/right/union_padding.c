/* Copies of structs with padding, and a union that is read through another member: defined in C. */
#include <assert.h>
#include <string.h>

struct s {
  char c;
  long l;
} a = {1, 2}, b;

union u {
  unsigned char c[8];
  unsigned long l;
} u;

int main(void) {
  struct s x;
  x.c = 1;
  x.l = 2;
  b = x;
  memcpy(&a, &x, sizeof x);
  u.c[0] = 1;
  assert(u.l == 1);
  union u v;
  v.c[0] = 7;
  assert(v.c[0] == 7);
  struct s y = x;
  assert(y.l == 2);
  return memcmp(&b.l, &a.l, 8);
}
