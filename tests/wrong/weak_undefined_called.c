/* A weak function that nobody defines is called without a test. */
extern void hook(void) __attribute__((weak));

int main(void) {
  hook(); //~ ERROR[invalid-access]
  return 0;
}
