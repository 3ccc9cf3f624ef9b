/* Integers of 128 bits, and of some other widths above 64, on random numbers and on those at the edges. */
#include "native.h"

typedef unsigned __int128 u;
typedef __int128 s;
typedef unsigned _BitInt(100) u100;
typedef _BitInt(100) s100;

static uint64_t seed = 88172645463325252;

static uint64_t random_word(void)
{
	static const uint64_t edges[] = {0, 1, 2, 63, 64, 65, 127, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff};

	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed % 3 ? seed : edges[(seed >> 8) % 10];
}

static u random_wide(void)
{
	u high = random_word();

	return high << 64 | random_word();
}

static void note_wide(u value) { note(value), note(value >> 64); }

static __attribute__((noinline)) u passed(u a, int n, s b) { return n & 1 ? a : (u)b; }

static void arithmetic(u a, u b)
{
	unsigned by = (unsigned)b & 127;
	s x = a, y = b;

	note_wide(a + b), note_wide(a - b), note_wide(a * b), note_wide(-a), note_wide(~a);
	note_wide(a & b), note_wide(a | b), note_wide(a ^ b);
	note_wide(a << by), note_wide(a >> by), note_wide(x >> by);
	note_wide(a << 64), note_wide(x >> 64), note_wide(a >> 1), note_wide(x >> 127);
	note(a == b), note(a != b), note(a < b), note(a <= b), note(x < y), note(x <= y), note(x > y), note(a >= b);
	if (b)
		note_wide(a / b), note_wide(a % b);
	if (b >> 70)
		note_wide(a / (b >> 70)), note_wide(a % (b >> 70));
	if (y && y != -1)
		note_wide(x / y), note_wide(x % y);
	note_wide(passed(a, (int)b, y));
}

static void conversions(u a)
{
	s x = a;
	int narrow = (int)a;
	signed char tiny = (signed char)a;

	note((uint64_t)a), note((uint32_t)a), note((bool)a);
	note_wide(narrow), note_wide((u)(unsigned)narrow), note_wide(tiny), note_wide((s)(int64_t)a);
	note(__builtin_popcountll(a >> 64));
	note(x < 0 ? 1 : 2);
	u sum, difference;
	note(__builtin_add_overflow(a, (u)seed << 64, &sum)), note_wide(sum);
	note(__builtin_sub_overflow(a, (u)seed << 64, &difference)), note_wide(difference);
	s signed_sum;
	note(__builtin_add_overflow(x, (s)((u)seed << 64), &signed_sum)), note_wide(signed_sum);
	note(__builtin_sub_overflow(x, (s)((u)seed << 64), &signed_sum)), note_wide(signed_sum);
}

static void odd(u a, u b)
{
	u100 p = a, q = b;
	s100 x = (s100)a, y = (s100)b;

	note_wide(p + q), note_wide(p * q), note_wide(x - y), note_wide(x >> 7), note_wide(p >> 7), note_wide(p << 9);
	note(p < q), note(x < y);
	if (q)
		note_wide(p / q);
	if (y && y != -1)
		note_wide(x / y), note_wide(x % y);
}

static u kept = (u)0x0123456789abcdef << 64 | 0xfedcba9876543210;
static const s constants[] = {-1, 5, (s)1 << 100};

int main(void)
{
	struct {
		char c;
		u a[2];
	} memory = {1, {2, 3}};

	for (int i = 0; i < 300; i++) {
		u a = random_wide(), b = random_wide();

		arithmetic(a, b), conversions(a), odd(a, b);
		memory.a[i & 1] ^= a;
		kept += memory.a[~i & 1];
	}
	note_wide(kept), note_wide(memory.a[0]), note_wide(memory.a[1]);
	for (int i = 0; i < 3; i++)
		note_wide(constants[i]);
	return finish();
}
