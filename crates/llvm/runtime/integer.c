/* Integers from texts, and small functions of integers. */

/* Which texts are integers: since C23, `0b` begins a binary one. */
enum dialect { C17, C23 };

INLINE int value_of(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : INT_MAX;
}

INLINE int has_prefix(const char *text, char letter, int base)
{
	return text[0] == '0' && lower(text[1]) == letter && value_of(text[2]) < base;
}

/* What the digits say, or `most` and `*is_large`. A negative number may be one larger than `most`, if it is signed. */
INLINE unsigned long parse(const char *text, char **end, int base, enum dialect dialect, int is_signed)
{
	const char *start = text;
	unsigned long value = 0, most = is_signed ? LONG_MAX : ULONG_MAX;
	int is_negative, is_large = 0;

	if (base < 0 || base == 1 || base > 36) {
		errno = EINVAL;
		return 0;
	}
	while (is_space(*text))
		text++;
	is_negative = *text == '-';
	if (*text == '-' || *text == '+')
		text++;
	if (is_negative && is_signed)
		most++;
	if ((base == 0 || base == 16) && has_prefix(text, 'x', 16)) {
		text += 2;
		base = 16;
	} else if (dialect == C23 && (base == 0 || base == 2) && has_prefix(text, 'b', 2)) {
		text += 2;
		base = 2;
	}
	if (base == 0)
		base = *text == '0' ? 8 : 10;
	if (value_of(*text) < base)
		start = NULL;
	for (; value_of(*text) < base; text++) {
		unsigned long digit = value_of(*text);

		if (is_large || value > (most - digit) / base)
			is_large = 1;
		else
			value = value * base + digit;
	}
	if (end)
		*end = (char *)(start ? start : text);
	if (is_large) {
		errno = ERANGE;
		return most;
	}
	return is_negative ? -value : value;
}

#define PARSES(type, name, dialect, is_signed) \
	type name(const char *restrict text, char **restrict end, int base) \
	{ \
		return (type)parse(text, end, base, dialect, is_signed); \
	}

PARSES(long, strtol, C17, 1)
PARSES(long long, strtoll, C17, 1)
PARSES(intmax_t, strtoimax, C17, 1)
PARSES(unsigned long, strtoul, C17, 0)
PARSES(unsigned long long, strtoull, C17, 0)
PARSES(uintmax_t, strtoumax, C17, 0)
PARSES(long, __isoc23_strtol, C23, 1)
PARSES(long long, __isoc23_strtoll, C23, 1)
PARSES(intmax_t, __isoc23_strtoimax, C23, 1)
PARSES(unsigned long, __isoc23_strtoul, C23, 0)
PARSES(unsigned long long, __isoc23_strtoull, C23, 0)
PARSES(uintmax_t, __isoc23_strtoumax, C23, 0)

int atoi(const char *text)
{
	return (int)parse(text, NULL, 10, C17, 1);
}

long atol(const char *text)
{
	return (long)parse(text, NULL, 10, C17, 1);
}

long long atoll(const char *text)
{
	return (long long)parse(text, NULL, 10, C17, 1);
}

int abs(int n)
{
	return n < 0 ? -n : n;
}

long labs(long n)
{
	return n < 0 ? -n : n;
}

long long llabs(long long n)
{
	return n < 0 ? -n : n;
}

intmax_t imaxabs(intmax_t n)
{
	return n < 0 ? -n : n;
}

#define DIVIDES(type, name) \
	struct name##_result { \
		type quotient, remainder; \
	}; \
	struct name##_result name(type a, type b) \
	{ \
		return (struct name##_result){a / b, a % b}; \
	}

DIVIDES(int, div)
DIVIDES(long, ldiv)
DIVIDES(long long, lldiv)
DIVIDES(intmax_t, imaxdiv)

/* The number of the lowest bit that is set, from 1 on; 0 if none is. */
INLINE int first_bit(unsigned long long n)
{
	int bit = 1;

	if (!n)
		return 0;
	for (; !(n & 1); n >>= 1)
		bit++;
	return bit;
}

int ffs(int n)
{
	return first_bit((unsigned)n);
}

int ffsl(long n)
{
	return first_bit(n);
}

int ffsll(long long n)
{
	return first_bit(n);
}
