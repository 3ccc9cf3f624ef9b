/*
 * What every file of the runtime begins with.
 *
 * The runtime is the part of the C library that can be said in C: it is interpreted with the program, so that its reads
 * and writes are plain accesses of the program. It includes no header of a C library, and calls nothing but what the
 * machine models. A function that another file of the runtime needs, too, is here, for a program may have its own function of
 * any name of the C library.
 */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34
#define EOVERFLOW 75

#define INLINE static inline __attribute__((always_inline))

typedef ptrdiff_t ssize_t;

void *malloc(size_t size);
void free(void *object);
int *__errno_location(void);

#define errno (*__errno_location())

/* The run stops here: this, in words, is not modelled. */
void __threadbare_unmodelled(const char *what) __attribute__((noreturn));

INLINE size_t length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

INLINE int is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

INLINE int is_digit(int c)
{
	return c >= '0' && c <= '9';
}

INLINE int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Whether a byte is among those of a string. */
INLINE int is_among(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set != 0;
}
