/* The result of a function that returns none is used: inlined (the default), called, or called through a pointer. */
static int x;

#ifndef INLINED
__attribute__((noinline))
#endif
static int f(int a) {
  x = 1;
  if (a) return a;
} //~ ERROR[uninitialised-read]

int main(void) {
#ifdef POINTER
  int (*volatile pointer)(int) = f;
  return pointer(0);
#else
  return f(0);
#endif
}
