/* Every read-modify-write operation, with its result. */
#include <assert.h>
#include <stdatomic.h>

static atomic_int x = -5;
static int y = 12;

int main(void)
{
	assert(atomic_fetch_sub(&x, 3) == -5 && x == -8);
	assert(atomic_fetch_and(&x, 0xff) == -8 && x == 0xf8);
	assert(atomic_fetch_or(&x, 3) == 0xf8 && x == 0xfb);
	assert(atomic_fetch_xor(&x, 0xf0) == 0xfb && x == 0x0b);
	assert(atomic_exchange(&x, 7) == 0x0b && x == 7);
	assert((x += 2) == 9 && x-- == 9 && x == 8);
	assert(__atomic_fetch_nand(&y, 10, __ATOMIC_RELAXED) == 12 && y == ~8);
	assert(__atomic_add_fetch(&y, 10, __ATOMIC_RELAXED) == 1);
	return 0;
}
