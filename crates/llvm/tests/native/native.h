/* Programs that are compiled for the processor and for the virtual machine: both must come to the same number. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t noted = 0xcbf29ce484222325;

static void note(uint64_t value)
{
	noted = (noted ^ value) * 0x100000001b3;
	noted ^= noted >> 29;
}

#ifdef EXPECTED
static int finish(void) { return noted == EXPECTED ? 0 : 1; }
#else
static int finish(void) { return printf("%llu", (unsigned long long)noted) < 0; }
#endif
