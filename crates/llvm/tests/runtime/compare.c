/*
 * The functions of the runtime, which have `rt_` before their names here, and those of the C library of this machine: the same
 * answers for many random arguments. Prints the first difference and fails.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static unsigned long state = 88172645463325252ul;
/* The arguments, for the message about a difference. */
static char a[40], b[40];
static size_t n;

static unsigned below(unsigned most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % most;
}

#define SAME(what) \
	do { \
		if (!(what)) { \
			printf("line %d: %s (a=\"%s\" b=\"%s\" n=%zu)\n", __LINE__, #what, a, b, n); \
			exit(1); \
		} \
	} while (0)

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

/* A string of up to `most` characters of a few, so that parts of it are often the same. */
static void fill(char *text, unsigned most, const char *letters)
{
	unsigned length = below(most + 1), kinds = (unsigned)strlen(letters);

	for (unsigned i = 0; i < length; i++)
		text[i] = letters[below(kinds)];
	text[length] = 0;
}

char *rt_stpcpy(char *, const char *), *rt_strcpy(char *, const char *), *rt_stpncpy(char *, const char *, size_t);
char *rt_strncpy(char *, const char *, size_t), *rt_strcat(char *, const char *), *rt_strncat(char *, const char *, size_t);
char *rt_strdup(const char *), *rt_strndup(const char *, size_t);
size_t rt_strlcpy(char *, const char *, size_t), rt_strlcat(char *, const char *, size_t);
void *rt_mempcpy(void *, const void *, size_t);

/* Not every C library has it. */
static size_t copy_into(char *to, const char *from, size_t room)
{
	if (room) {
		size_t most = strnlen(from, room - 1);

		memcpy(to, from, most);
		to[most] = 0;
	}
	return strlen(from);
}

static void copies(void)
{
	char x[64], y[64], *copy;
	ptrdiff_t ours, theirs;

#define BOTH(call_ours, call_theirs, is_all) \
	do { \
		memset(x, '#', sizeof x); \
		memset(y, '#', sizeof y); \
		strcpy(x, b); \
		strcpy(y, b); \
		ours = (ptrdiff_t)(call_ours); \
		theirs = (ptrdiff_t)(call_theirs); \
		SAME(ours == theirs && !((is_all) ? memcmp(x, y, sizeof x) : strcmp(x, y))); \
	} while (0)

	n = below(24);
	fill(a, 20, "abc");
	fill(b, 20, "abc");
	BOTH(rt_strcpy(x, a) - x, strcpy(y, a) - y, 1);
	BOTH(rt_stpcpy(x, a) - x, stpcpy(y, a) - y, 1);
	BOTH(rt_strncpy(x, a, n) - x, strncpy(y, a, n) - y, 1);
	BOTH(rt_stpncpy(x, a, n) - x, stpncpy(y, a, n) - y, 1);
	BOTH(rt_strcat(x, a) - x, strcat(y, a) - y, 1);
	BOTH(rt_strncat(x, a, n) - x, strncat(y, a, n) - y, 1);
	BOTH((char *)rt_mempcpy(x, a, n) - x, (char *)mempcpy(y, a, n) - y, 1);
	BOTH(rt_strlcpy(x, a, n), copy_into(y, a, n), 1);
	BOTH(rt_strlcat(x, a, n),
	     strnlen(y, n) == n ? n + strlen(a) : strlen(b) + copy_into(y + strlen(b), a, n - strlen(b)), 1);
	copy = rt_strdup(a);
	SAME(!strcmp(copy, a));
	free(copy);
	copy = rt_strndup(a, n);
	SAME(strlen(copy) == strnlen(a, n) && !strncmp(copy, a, n));
	free(copy);
}

char *rt_strchr(const char *, int), *rt_strrchr(const char *, int), *rt_strchrnul(const char *, int);
char *rt_index(const char *, int), *rt_rindex(const char *, int), *rt_strpbrk(const char *, const char *);
char *rt_strstr(const char *, const char *), *rt_basename(const char *);
size_t rt_strnlen(const char *, size_t), rt_strspn(const char *, const char *), rt_strcspn(const char *, const char *);
void *rt_memchr(const void *, int, size_t), *rt_memrchr(const void *, int, size_t), *rt_rawmemchr(const void *, int);
void *rt_memmem(const void *, size_t, const void *, size_t);

static void searches(void)
{
	int c = "abc/\0\xff"[below(6)];

	fill(a, 20, "abc/\xff");
	fill(b, 4, "abc");
	n = below((unsigned)strlen(a) + 2);
	SAME(rt_strchr(a, c) == strchr(a, c));
	SAME(rt_strrchr(a, c) == strrchr(a, c));
	SAME(rt_index(a, c) == index(a, c));
	SAME(rt_rindex(a, c) == rindex(a, c));
	SAME(rt_strchrnul(a, c) == strchrnul(a, c));
	SAME(rt_strpbrk(a, b) == strpbrk(a, b));
	SAME(rt_strstr(a, b) == strstr(a, b));
	SAME(rt_strspn(a, b) == strspn(a, b));
	SAME(rt_strcspn(a, b) == strcspn(a, b));
	SAME(rt_strnlen(a, n) == strnlen(a, n));
	SAME(rt_memchr(a, c, n) == memchr(a, c, n));
	SAME(rt_memrchr(a, c, n) == memrchr(a, c, n));
	SAME(rt_rawmemchr(a, 0) == rawmemchr(a, 0));
	SAME(rt_memmem(a, n, b, strlen(b)) == memmem(a, n, b, strlen(b)));
	SAME(rt_basename(a) == basename(a));
}

int rt_strncmp(const char *, const char *, size_t), rt_strcoll(const char *, const char *);
int rt_strcasecmp(const char *, const char *), rt_strncasecmp(const char *, const char *, size_t);

static void comparisons(void)
{
	n = below(10);
	fill(a, 6, "aAb\xe4@[`{");
	fill(b, 6, "aAb\xe4@[`{");
	SAME(sign(rt_strncmp(a, b, n)) == sign(strncmp(a, b, n)));
	SAME(sign(rt_strcoll(a, b)) == sign(strcmp(a, b)));
	SAME(sign(rt_strcasecmp(a, b)) == sign(strcasecmp(a, b)));
	SAME(sign(rt_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)));
}

char *rt_strtok(char *, const char *), *rt_strtok_r(char *, const char *, char **), *rt_strsep(char **, const char *);
char *rt___strtok_r(char *, const char *, char **);

static void tokens(void)
{
	char x[40], y[40], *rest_x = x, *rest_y = y, *ours, *theirs;

	n = below(4);
	fill(a, 20, "ab,;");
	fill(b, 3, ",;a");
	strcpy(x, a);
	strcpy(y, a);
	for (int first = 1;; first = 0) {
		switch (n) {
		case 0:
			ours = rt_strtok(first ? x : NULL, b);
			theirs = strtok(first ? y : NULL, b);
			break;
		case 1:
			ours = rt_strtok_r(first ? x : NULL, b, &rest_x);
			theirs = strtok_r(first ? y : NULL, b, &rest_y);
			break;
		case 2:
			ours = rt___strtok_r(first ? x : NULL, b, &rest_x);
			theirs = strtok_r(first ? y : NULL, b, &rest_y);
			break;
		default:
			ours = rt_strsep(&rest_x, b);
			theirs = strsep(&rest_y, b);
		}
		SAME(!ours == !theirs && (!ours || ours - x == theirs - y));
		SAME(!memcmp(x, y, strlen(a) + 1));
		if (!ours)
			return;
	}
}

#define KINDS(X) \
	X(isalnum) X(isalpha) X(isascii) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) X(ispunct) \
	X(isspace) X(isupper) X(isxdigit)
#define DECLARE(name) int rt_##name(int);
#define COMPARE(name) SAME(!rt_##name(c) == !(name)(c));
KINDS(DECLARE)
int rt_tolower(int), rt_toupper(int), rt_toascii(int);
const unsigned short **rt___ctype_b_loc(void);
const int **rt___ctype_tolower_loc(void), **rt___ctype_toupper_loc(void);

static void kinds(void)
{
	for (int c = -1; c < 256; c++) {
		KINDS(COMPARE)
		SAME(rt_toascii(c) == (toascii)(c));
	}
	for (int c = -128; c < 256; c++) {
		SAME(rt_tolower(c) == (tolower)(c));
		SAME(rt_toupper(c) == (toupper)(c));
		SAME((*rt___ctype_b_loc())[c] == (*__ctype_b_loc())[c]);
		SAME((*rt___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c]);
		SAME((*rt___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c]);
	}
	SAME(rt_tolower(1000) == (tolower)(1000) && rt_toupper(-1000) == (toupper)(-1000));
}

long rt_strtol(const char *, char **, int), rt_atol(const char *), rt___isoc23_strtol(const char *, char **, int);
long long rt_strtoll(const char *, char **, int), rt_atoll(const char *);
intmax_t rt_strtoimax(const char *, char **, int);
unsigned long rt_strtoul(const char *, char **, int), rt___isoc23_strtoul(const char *, char **, int);
unsigned long long rt_strtoull(const char *, char **, int);
uintmax_t rt_strtoumax(const char *, char **, int);
int rt_atoi(const char *);

static void integers(void)
{
	static const char *const edges[] = {
		"9223372036854775807",	"9223372036854775808",	"-9223372036854775808",	 "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "-18446744073709551615", "-1",
		"0x",			"0xg",			"+0x7f",		 "- 1",
		"00",			"0b1",
	};
	static const int bases[] = {0, 10, 16, 8, 2, 36, 7, 1, 37, -1};
	int base = bases[below(10)], error;
	char *end_ours, *end_theirs;
	long long ours, theirs;

#define PARSES(name) \
	do { \
		end_ours = end_theirs = a; \
		errno = 0; \
		ours = (long long)rt_##name(a, &end_ours, base); \
		error = errno; \
		errno = 0; \
		theirs = (long long)name(a, &end_theirs, base); \
		SAME(ours == theirs && end_ours == end_theirs && error == errno); \
	} while (0)

	n = (size_t)base;
	if (below(3))
		fill(a, 24, below(2) ? "0123456789" : " \t+-0x1fFzZ9");
	else
		strcpy(a, edges[below(sizeof edges / sizeof *edges)]);
	PARSES(strtol);
	PARSES(strtoll);
	PARSES(strtoimax);
	PARSES(strtoul);
	PARSES(strtoull);
	PARSES(strtoumax);
	if (strlen(a) < 10)
		SAME(rt_atoi(a) == atoi(a) && rt_atol(a) == atol(a) && rt_atoll(a) == atoll(a));
}

/* The texts of C23, which the C library of this machine may not know. */
static void binary_integers(void)
{
	char *end;

	SAME(rt___isoc23_strtol("-0b101x", &end, 0) == -5 && *end == 'x');
	SAME(rt___isoc23_strtoul("0B11", &end, 2) == 3 && !*end);
	SAME(rt___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b');
	SAME(rt___isoc23_strtol("0b1", &end, 16) == 0xb1 && !*end);
}

int rt_abs(int), rt_ffs(int), rt_ffsl(long), rt_ffsll(long long);
long rt_labs(long);
long long rt_llabs(long long);
intmax_t rt_imaxabs(intmax_t);
div_t rt_div(int, int);
ldiv_t rt_ldiv(long, long);
lldiv_t rt_lldiv(long long, long long);
imaxdiv_t rt_imaxdiv(intmax_t, intmax_t);

static void arithmetic(void)
{
	int i = (int)below(2000) - 1000, j = (int)below(50) + 1;
	long l = (long)((unsigned long)i << below(50));

	j = below(2) ? j : -j;
	SAME(rt_abs(i) == abs(i) && rt_labs(l) == labs(l) && rt_llabs(l) == llabs(l) && rt_imaxabs(l) == imaxabs(l));
	SAME(rt_div(i, j).quot == div(i, j).quot && rt_div(i, j).rem == div(i, j).rem);
	SAME(rt_ldiv(l, j).quot == ldiv(l, j).quot && rt_ldiv(l, j).rem == ldiv(l, j).rem);
	SAME(rt_lldiv(l, j).quot == lldiv(l, j).quot && rt_lldiv(l, j).rem == lldiv(l, j).rem);
	SAME(rt_imaxdiv(l, j).quot == imaxdiv(l, j).quot && rt_imaxdiv(l, j).rem == imaxdiv(l, j).rem);
	SAME(rt_ffs(i) == ffs(i) && rt_ffsl(l) == ffsl(l) && rt_ffsll(l) == ffsll(l));
}

double rt_strtod(const char *, char **), rt_atof(const char *);

static void reals(void)
{
	static const char *const edges[] = {
		"inf", "-INFINITY", "infin", "nan", "-0", "+", ".", "1.", ".5", "1e", "1e+", "e5", "0e999", "1e22",
		"9007199254740992", "1e-22", "  12.5e-3x",
	};
	char *end_ours, *end_theirs;
	double ours, theirs;

	if (below(4))
		sprintf(a, "%s%u.%ue%d", below(2) ? "-" : "", below(1000000), below(100000), (int)below(20) - 10);
	else
		strcpy(a, edges[below(sizeof edges / sizeof *edges)]);
	ours = rt_strtod(a, &end_ours);
	theirs = strtod(a, &end_theirs);
	SAME(end_ours == end_theirs);
	SAME((ours != ours && theirs != theirs) || !memcmp(&ours, &theirs, sizeof ours));
	ours = rt_atof(a);
	SAME((ours != ours && theirs != theirs) || !memcmp(&ours, &theirs, sizeof ours));
}

void rt_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void rt_qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void *rt_bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));

/* Elements of any size begin with two bytes that are compared; the rest must move with them. */
static int first_bytes(const void *one, const void *other)
{
	return memcmp(one, other, 2);
}

static int first_bytes_with(const void *one, const void *other, void *factor)
{
	return memcmp(one, other, 2) * *(int *)factor;
}

static void sorting(void)
{
	static const size_t sizes[] = {2, 4, 8, 24, 64, 65, 200};
	static unsigned char x[200 * 150], y[200 * 150];
	size_t size = sizes[below(7)];
	int factor = -1;

	n = below(3) ? below(20) : below(150);
	for (size_t i = 0; i < n; i++) {
		unsigned key = below(100);

		memset(x + i * size, (int)key, size);
		x[i * size] = (unsigned char)(key * 7);
	}
	memcpy(y, x, n * size);
	rt_qsort(x, n, size, first_bytes);
	qsort(y, n, size, first_bytes);
	SAME(!memcmp(x, y, n * size));
	for (unsigned key = 0; key < 100; key++) {
		unsigned char wanted[2] = {(unsigned char)(key * 7), (unsigned char)key};
		void *ours = rt_bsearch(wanted, x, n, size, first_bytes);

		SAME(!ours == !bsearch(wanted, x, n, size, first_bytes) && (!ours || !memcmp(ours, wanted, 2)));
	}
	rt_qsort_r(x, n, size, first_bytes_with, &factor);
	for (size_t i = 1; i < n; i++)
		SAME(memcmp(x + (i - 1) * size, x + i * size, 2) >= 0);
	rt_qsort(x, n, 0, first_bytes);
}

int rt_snprintf(char *, size_t, const char *, ...), rt_sprintf(char *, const char *, ...);
int rt_asprintf(char **, const char *, ...), rt_vsprintf(char *, const char *, va_list);

static int with_list(char *to, const char *format, ...)
{
	va_list list;
	int count;

	va_start(list, format);
	count = rt_vsprintf(to, format, list);
	va_end(list);
	return count;
}

/* A conversion of an integer, with some flags, width, precision and length. */
static void make_format(char *to)
{
	static const char *const lengths[] = {"", "hh", "h", "l", "ll", "z", "j", "t"};

	to = stpcpy(to, "<%");
	for (unsigned i = below(3); i; i--)
		*to++ = "-+ #0"[below(5)];
	if (below(2))
		to += sprintf(to, "%u", below(30));
	if (below(2))
		to += sprintf(to, ".%u", below(25));
	to = stpcpy(to, lengths[below(8)]);
	*to++ = "diuoxX"[below(6)];
	strcpy(to, ">%%");
}

static void formats(void)
{
	static const long values[] = {0, -1, LONG_MAX, LONG_MIN, INT_MIN, 8};
	long value = below(4) ? (long)(state >> below(64)) : values[below(6)];
	char x[160], y[160], *allocated;
	void *pointer;
	int ours, theirs, w = (int)below(20) - 10, p = (int)below(10) - 5;

#define FORMATS(...) \
	do { \
		memset(x, '#', sizeof x); \
		memset(y, '#', sizeof y); \
		ours = rt_snprintf(x, n, a, __VA_ARGS__); \
		theirs = snprintf(y, n, a, __VA_ARGS__); \
		SAME(ours == theirs && !memcmp(x, y, sizeof x)); \
		ours = rt_sprintf(x, a, __VA_ARGS__); \
		theirs = sprintf(y, a, __VA_ARGS__); \
		SAME(ours == theirs && !strcmp(x, y)); \
		ours = with_list(x, a, __VA_ARGS__); \
		SAME(ours == theirs && !strcmp(x, y)); \
		ours = rt_asprintf(&allocated, a, __VA_ARGS__); \
		SAME(ours == theirs && !strcmp(allocated, y)); \
		free(allocated); \
	} while (0)

	n = below(40);
	b[0] = 0;
	make_format(a);
	FORMATS(value);
	fill(b, 20, "xyz");
	sprintf(a, "%%%s%u.%us|%%%us|%%%uc", below(2) ? "-" : "", below(25), below(25), below(25), below(5));
	FORMATS(b, b, 'q');
	sprintf(a, "%%%s%up|%%%%", below(2) ? "-" : "", below(25));
	pointer = below(2) ? (void *)value : NULL;
	FORMATS(pointer);
	strcpy(a, "%*d|%-*d|%.*s|%.*d");
	FORMATS(w, 5, w, -5, p, b, p, 42);
	strcpy(a, "%d %d %d %d %d %d %d %d %s %ld");
	FORMATS(1, 2, 3, 4, 5, 6, 7, 8, b, value);
	rt_snprintf(x, n, "%s%n", b, &w);
	SAME(w == (int)strlen(b));
}

char *rt_strerror(int), *rt_strerror_r(int, char *, size_t);
int rt___xpg_strerror_r(int, char *, size_t);

static void errors(void)
{
	for (int error = 0; error < 200; error++)
		SAME(!strcmp(rt_strerror(error), strerror(error)) || !strcmp(rt_strerror(error), "Unknown error"));
	SAME(!strcmp(rt_strerror(EINVAL), strerror(EINVAL)) && !strcmp(rt_strerror_r(EINVAL, a, 5), strerror(EINVAL)));
	SAME(rt___xpg_strerror_r(EINVAL, a, sizeof a) == 0 && !strcmp(a, strerror(EINVAL)));
	SAME(rt___xpg_strerror_r(EINVAL, a, 5) == ERANGE && !strcmp(a, "Inva"));
}

int rt_rand(void), rt_rand_r(unsigned *);
long rt_random(void);
void rt_srand(unsigned), rt_srandom(unsigned);

/* Not those of the C library, but numbers in the range, of which each bit changes. */
static void random_numbers(void)
{
	int zeros = -1, ones = 0;
	unsigned seed = 5;

	for (int i = 0; i < 200; i++) {
		int number = i % 2 ? rt_rand() : rt_rand_r(&seed);

		SAME(number >= 0);
		zeros &= number;
		ones |= number;
	}
	SAME(zeros == 0 && ones == RAND_MAX);
	rt_srand(7);
	ones = rt_rand();
	rt_srandom(7);
	SAME(rt_random() == ones);
}

/* What the machine does. */
void __threadbare_sampled(void) {}

void __threadbare_unmodelled(const char *what)
{
	printf("%s (a=\"%s\")\n", what, a);
	exit(1);
}

int main(void)
{
	kinds();
	errors();
	random_numbers();
	binary_integers();
	for (int i = 0; i < 20000; i++) {
		copies();
		searches();
		comparisons();
		tokens();
		integers();
		arithmetic();
		reals();
		formats();
		if (i % 10 == 0)
			sorting();
	}
	return 0;
}
