/* The one function of the peer's header that programs compared with it use. */
#include <stdbool.h>

void __VERIFIER_assume(bool condition);
