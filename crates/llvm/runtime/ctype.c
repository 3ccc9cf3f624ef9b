/*
 * Kinds of characters in the locale "C", as functions and as the tables that the macros of glibc's <ctype.h> look into.
 *
 * A table has 384 entries: those of -128 to 255. The bits of a kind are those of glibc on a machine with the low byte first.
 */

enum {
	UPPER = 0x100,
	LOWER = 0x200,
	ALPHA = 0x400,
	DIGIT = 0x800,
	XDIGIT = 0x1000,
	SPACE = 0x2000,
	PRINT = 0x4000,
	GRAPH = 0x8000,
	BLANK = 0x1,
	CNTRL = 0x2,
	PUNCT = 0x4,
	ALNUM = 0x8,
	/* All that are seen, letters, and marks. */
	SEEN = PRINT | GRAPH,
	LETTER = SEEN | ALPHA | ALNUM,
	MARK = SEEN | PUNCT,
};

#define FROM_TO(first, last) [128 + (first) ... 128 + (last)]

static const unsigned short kinds[384] = {
	FROM_TO(0, 8) = CNTRL,
	FROM_TO('\t', '\t') = CNTRL | SPACE | BLANK,
	FROM_TO('\n', '\r') = CNTRL | SPACE,
	FROM_TO(14, 31) = CNTRL,
	FROM_TO(' ', ' ') = SPACE | PRINT | BLANK,
	FROM_TO('!', '/') = MARK,
	FROM_TO('0', '9') = SEEN | DIGIT | XDIGIT | ALNUM,
	FROM_TO(':', '@') = MARK,
	FROM_TO('A', 'F') = LETTER | UPPER | XDIGIT,
	FROM_TO('G', 'Z') = LETTER | UPPER,
	FROM_TO('[', '`') = MARK,
	FROM_TO('a', 'f') = LETTER | LOWER | XDIGIT,
	FROM_TO('g', 'z') = LETTER | LOWER,
	FROM_TO('{', '~') = MARK,
	FROM_TO(127, 127) = CNTRL,
};

#define LOWERED(c) ((c) >= 'A' && (c) <= 'Z' ? (c) + 32 : (c))
#define UPPERED(c) ((c) >= 'a' && (c) <= 'z' ? (c) - 32 : (c))
#define FOUR(of, c) of(c), of((c) + 1), of((c) + 2), of((c) + 3)
#define SIXTEEN(of, c) FOUR(of, c), FOUR(of, (c) + 4), FOUR(of, (c) + 8), FOUR(of, (c) + 12)
#define HALF(of, c) \
	SIXTEEN(of, c), SIXTEEN(of, (c) + 16), SIXTEEN(of, (c) + 32), SIXTEEN(of, (c) + 48), \
	SIXTEEN(of, (c) + 64), SIXTEEN(of, (c) + 80), SIXTEEN(of, (c) + 96), SIXTEEN(of, (c) + 112)
/* The entries of -128 to -2 are those of the same bytes without a sign; that of -1, which is EOF, is itself. */
#define BYTE(c) ((c) == 255 ? -1 : (c))
#define TABLE(of) {HALF(BYTE, 128), HALF(of, 0), HALF(of, 128)}

static const int lowered[384] = TABLE(LOWERED);
static const int uppered[384] = TABLE(UPPERED);

static const unsigned short *const kinds_at_0 = kinds + 128;
static const int *const lowered_at_0 = lowered + 128;
static const int *const uppered_at_0 = uppered + 128;

const unsigned short **__ctype_b_loc(void)
{
	return (const unsigned short **)&kinds_at_0;
}

const int **__ctype_tolower_loc(void)
{
	return (const int **)&lowered_at_0;
}

const int **__ctype_toupper_loc(void)
{
	return (const int **)&uppered_at_0;
}

#define KIND(name, kind) \
	int name(int c) \
	{ \
		return kinds_at_0[c] & (kind); \
	}

KIND(isalnum, ALNUM)
KIND(isalpha, ALPHA)
KIND(isblank, BLANK)
KIND(iscntrl, CNTRL)
KIND(isdigit, DIGIT)
KIND(isgraph, GRAPH)
KIND(islower, LOWER)
KIND(isprint, PRINT)
KIND(ispunct, PUNCT)
KIND(isspace, SPACE)
KIND(isupper, UPPER)
KIND(isxdigit, XDIGIT)

int isascii(int c)
{
	return c >= 0 && c < 128;
}

int toascii(int c)
{
	return c & 127;
}

int tolower(int c)
{
	return c >= -128 && c < 256 ? lowered_at_0[c] : c;
}

int toupper(int c)
{
	return c >= -128 && c < 256 ? uppered_at_0[c] : c;
}
