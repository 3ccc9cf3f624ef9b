/* Vectors as ordinary code has them: arithmetic, comparisons, selections, shuffles, conversions, elements, memory. */
#include "native.h"

typedef int32_t v4 __attribute__((vector_size(16)));
typedef uint32_t u4 __attribute__((vector_size(16)));
typedef int64_t v2 __attribute__((vector_size(16)));
typedef uint8_t b16 __attribute__((vector_size(16)));
typedef int16_t h8 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));

static uint64_t seed = 88172645463325252;

static uint64_t random_word(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static void note_vector(v2 value) { note(value[0]), note(value[1]); }

static __attribute__((noinline)) v4 passed(v4 a, u4 b) { return a + (v4)b; }

static v4 kept = {1, -2, 3, -4};

int main(void)
{
	v4 array[3] = {{0}, {1, 2, 3, 4}, {5}};

	for (int i = 0; i < 200; i++) {
		v2 words = {random_word(), random_word()}, others = {random_word(), random_word()};
		v4 a = (v4)words, b = (v4)others;
		u4 u = (u4)words, w = (u4)others;

		note_vector((v2)(a + b)), note_vector((v2)(a - b)), note_vector((v2)(a * b)), note_vector((v2)(a & b));
		note_vector((v2)(a | b)), note_vector((v2)(a ^ b)), note_vector((v2)~a), note_vector((v2)-a);
		note_vector((v2)(u << (w & 31))), note_vector((v2)(u >> (w & 31))), note_vector((v2)(a >> (v4)(w & 31)));
		note_vector((v2)(u / (w | 1))), note_vector((v2)(u % (w | 1)));
		note_vector((v2)(a < b)), note_vector((v2)(a == b)), note_vector((v2)(u < w)), note_vector((v2)(a != b));
		note_vector((v2)((b16)a + (b16)b)), note_vector((v2)((h8)a * (h8)b)), note_vector(words + others);
		note_vector((v2)__builtin_shufflevector(a, b, 3, 4, 0, 7));
		note_vector((v2)__builtin_shufflevector((b16)a, (b16)b, 15, 31, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22));
		a[i & 3] = b[(i >> 2) & 3];
		a[2] += 7;
		note_vector((v2)a), note(a[(i + 1) & 3]);
		array[i % 3] += passed(a, w);
		kept ^= array[(i + 1) % 3];
		note_vector((v2)__builtin_elementwise_max(a, b)), note_vector((v2)__builtin_elementwise_min(u, w));
		note(__builtin_reduce_add(a)), note(__builtin_reduce_max(u)), note(__builtin_reduce_xor(a));
		f4 f = __builtin_convertvector(a, f4);
		note_vector((v2)(f * 0.5f + 1.0f)), note_vector((v2)__builtin_convertvector(f * 0.001f, v4));
		d2 d = __builtin_convertvector(words, d2);
		note_vector((v2)(d - 3.0)), note_vector((v2)(d < 0.0));
		__int128 whole = (__int128)words;
		note_vector((v2)(whole + 1));
	}
	for (int i = 0; i < 3; i++)
		note_vector((v2)array[i]);
	note_vector((v2)kept);
	return finish();
}
