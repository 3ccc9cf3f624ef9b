/*
 * Text from formats: into memory, and from a list of arguments into nowhere.
 *
 * Conversions: d i u o x X c s p n %, with flags, width, precision and the lengths hh h l ll j z t. Real numbers are modelled
 * only where the text is dropped. Not modelled: wide characters, %m, numbered arguments.
 */

/* Where text goes: into `room` bytes, or nowhere. */
struct sink {
	char *to;
	size_t room, count;
	int is_memory;
};

/* The arguments that are left. */
struct arguments {
	va_list list;
};

/* A conversion: what stands between the percent sign and its letter. */
struct conversion {
	int is_left, has_sign, has_space, is_alternate, has_zeros;
	int width, precision;
	enum length { CHAR, SHORT, INT, LONG, LONG_DOUBLE } length;
};

INLINE void put(struct sink *sink, char c)
{
	if (sink->count + 1 < sink->room)
		sink->to[sink->count] = c;
	sink->count++;
}

INLINE void put_many(struct sink *sink, char c, int n)
{
	for (; n > 0; n--)
		put(sink, c);
}

/* Text of which the length is known, in its width. */
INLINE void put_text(struct sink *sink, const struct conversion *how, const char *text, int n)
{
	if (!how->is_left)
		put_many(sink, ' ', how->width - n);
	for (int i = 0; i < n; i++)
		put(sink, text[i]);
	if (how->is_left)
		put_many(sink, ' ', how->width - n);
}

/* A number in its width: prefix, zeros, digits. */
static void put_number(struct sink *sink, struct conversion *how, unsigned long value, int base, int is_upper,
		       const char *prefix)
{
	char digits[24];
	int n = 0, zeros, width;

	for (unsigned long rest = value; rest; rest /= base) {
		int digit = rest % base;

		digits[n++] = digit < 10 ? '0' + digit : (is_upper ? 'A' : 'a') + digit - 10;
	}
	zeros = (how->precision < 0 ? 1 : how->precision) - n;
	if (base == 8 && how->is_alternate && zeros <= 0)
		zeros = value || n == 0 ? 1 : 0;
	zeros = zeros < 0 ? 0 : zeros;
	width = n + zeros + (int)length(prefix);
	if (how->has_zeros && !how->is_left && how->precision < 0 && width < how->width) {
		zeros += how->width - width;
		width = how->width;
	}
	if (!how->is_left)
		put_many(sink, ' ', how->width - width);
	while (*prefix)
		put(sink, *prefix++);
	put_many(sink, '0', zeros);
	while (n)
		put(sink, digits[--n]);
	if (how->is_left)
		put_many(sink, ' ', how->width - width);
}

INLINE long take_signed(struct arguments *from, enum length length)
{
	switch (length) {
	case CHAR:
		return (signed char)va_arg(from->list, int);
	case SHORT:
		return (short)va_arg(from->list, int);
	case INT:
		return va_arg(from->list, int);
	default:
		return va_arg(from->list, long);
	}
}

INLINE unsigned long take_unsigned(struct arguments *from, enum length length)
{
	switch (length) {
	case CHAR:
		return (unsigned char)va_arg(from->list, int);
	case SHORT:
		return (unsigned short)va_arg(from->list, int);
	case INT:
		return va_arg(from->list, unsigned);
	default:
		return va_arg(from->list, unsigned long);
	}
}

INLINE void put_signed(struct sink *sink, struct conversion *how, struct arguments *from)
{
	long value = take_signed(from, how->length);
	const char *sign = value < 0 ? "-" : how->has_sign ? "+" : how->has_space ? " " : "";

	put_number(sink, how, value < 0 ? -(unsigned long)value : (unsigned long)value, 10, 0, sign);
}

INLINE void put_string(struct sink *sink, struct conversion *how, const char *text)
{
	int n = 0;

	while ((how->precision < 0 || n < how->precision) && text[n])
		n++;
	put_text(sink, how, text, n);
}

INLINE void put_pointer(struct sink *sink, struct conversion *how, void *pointer)
{
	if (pointer)
		put_number(sink, how, (unsigned long)pointer, 16, 0, "0x");
	else
		put_text(sink, how, "(nil)", 5);
}

INLINE void store_count(struct sink *sink, enum length length, void *to)
{
	switch (length) {
	case CHAR:
		*(signed char *)to = sink->count;
		break;
	case SHORT:
		*(short *)to = sink->count;
		break;
	case INT:
		*(int *)to = sink->count;
		break;
	default:
		*(long *)to = sink->count;
	}
}

INLINE int take_integer(const char **format, struct arguments *from)
{
	int value = 0;

	if (**format == '*') {
		++*format;
		return va_arg(from->list, int);
	}
	while (is_digit(**format))
		value = value * 10 + (*(*format)++ - '0');
	return value;
}

INLINE enum length take_length(const char **format)
{
	switch (*(*format)++) {
	case 'h':
		if (**format != 'h')
			return SHORT;
		++*format;
		return CHAR;
	case 'l':
		if (**format == 'l')
			++*format;
		return LONG;
	case 'j':
	case 'z':
	case 't':
		return LONG;
	case 'L':
		return LONG_DOUBLE;
	default:
		--*format;
		return INT;
	}
}

INLINE struct conversion take_conversion(const char **format, struct arguments *from)
{
	struct conversion how = {.precision = -1};

	for (;; ++*format) {
		if (**format == '-')
			how.is_left = 1;
		else if (**format == '+')
			how.has_sign = 1;
		else if (**format == ' ')
			how.has_space = 1;
		else if (**format == '#')
			how.is_alternate = 1;
		else if (**format == '0')
			how.has_zeros = 1;
		else
			break;
	}
	how.width = take_integer(format, from);
	if (how.width < 0) {
		how.is_left = 1;
		how.width = -how.width;
	}
	if (**format == '.') {
		++*format;
		how.precision = take_integer(format, from);
	}
	if (**format == '$')
		__threadbare_unmodelled("a format with numbered arguments (`$`) is not modelled");
	how.length = take_length(format);
	return how;
}

/* Some real number: of text that is dropped nobody sees which one. */
INLINE void drop_real(struct sink *sink, enum length length, struct arguments *from)
{
	if (sink->is_memory)
		__threadbare_unmodelled("a real number (`%f` and the like) as text in memory is not modelled");
	if (length == LONG_DOUBLE)
		(void)va_arg(from->list, long double);
	else
		(void)va_arg(from->list, double);
}

static void convert(struct sink *sink, char letter, struct conversion *how, struct arguments *from)
{
	unsigned long value;

	switch (letter) {
	case '%':
		put(sink, '%');
		return;
	case 'd':
	case 'i':
		put_signed(sink, how, from);
		return;
	case 'u':
		put_number(sink, how, take_unsigned(from, how->length), 10, 0, "");
		return;
	case 'o':
		put_number(sink, how, take_unsigned(from, how->length), 8, 0, "");
		return;
	case 'x':
	case 'X':
		value = take_unsigned(from, how->length);
		put_number(sink, how, value, 16, letter == 'X',
			   !how->is_alternate || !value ? "" : letter == 'X' ? "0X" : "0x");
		return;
	case 'c':
		if (how->length == LONG)
			__threadbare_unmodelled("a wide character (`%lc`) is not modelled");
		put_text(sink, how, &(char){(char)va_arg(from->list, int)}, 1);
		return;
	case 's':
		if (how->length == LONG)
			__threadbare_unmodelled("a wide string (`%ls`) is not modelled");
		put_string(sink, how, va_arg(from->list, char *));
		return;
	case 'p':
		put_pointer(sink, how, va_arg(from->list, void *));
		return;
	case 'n':
		store_count(sink, how->length, va_arg(from->list, void *));
		return;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		drop_real(sink, how->length, from);
		return;
	default:
		__threadbare_unmodelled("a conversion of a format other than d i u o x X c s p n is not modelled");
	}
}

static int write_text(struct sink *sink, const char *format, va_list list)
{
	struct arguments from;

	va_copy(from.list, list);
	while (*format) {
		struct conversion how;

		if (*format != '%') {
			put(sink, *format++);
			continue;
		}
		format++;
		how = take_conversion(&format, &from);
		convert(sink, *format++, &how, &from);
	}
	va_end(from.list);
	if (sink->room)
		sink->to[sink->count < sink->room ? sink->count : sink->room - 1] = 0;
	if (sink->count > INT_MAX) {
		errno = EOVERFLOW;
		return -1;
	}
	return (int)sink->count;
}

INLINE int into_memory(char *to, size_t room, const char *format, va_list list)
{
	struct sink sink = {to, room, 0, 1};

	return write_text(&sink, format, list);
}

int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list list)
{
	return into_memory(to, room, format, list);
}

int vsprintf(char *restrict to, const char *restrict format, va_list list)
{
	return into_memory(to, SIZE_MAX, format, list);
}

int vasprintf(char **restrict to, const char *restrict format, va_list list)
{
	int n = into_memory(NULL, 0, format, list);

	if (n < 0)
		return -1;
	*to = malloc((size_t)n + 1);
	return *to ? into_memory(*to, (size_t)n + 1, format, list) : -1;
}

#define WITH_LIST(call) \
	va_list list; \
	int n; \
	va_start(list, format); \
	n = call; \
	va_end(list); \
	return n

int snprintf(char *restrict to, size_t room, const char *restrict format, ...)
{
	WITH_LIST(into_memory(to, room, format, list));
}

int sprintf(char *restrict to, const char *restrict format, ...)
{
	WITH_LIST(into_memory(to, SIZE_MAX, format, list));
}

int asprintf(char **restrict to, const char *restrict format, ...)
{
	WITH_LIST(vasprintf(to, format, list));
}

/* With `_FORTIFY_SOURCE`: `size` is how large the memory is. More than fits is an error here in any case. */
int __vsnprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, va_list list)
{
	return into_memory(to, room, format, list);
}

int __snprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, ...)
{
	WITH_LIST(into_memory(to, room, format, list));
}

int __vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list list)
{
	return into_memory(to, SIZE_MAX, format, list);
}

int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
	WITH_LIST(into_memory(to, SIZE_MAX, format, list));
}

/* Output: all of it is written. */
INLINE int into_nowhere(const char *format, va_list list)
{
	struct sink sink = {NULL, 0, 0, 0};

	return write_text(&sink, format, list);
}

int vprintf(const char *restrict format, va_list list)
{
	return into_nowhere(format, list);
}

int vfprintf(void *restrict stream, const char *restrict format, va_list list)
{
	return into_nowhere(format, list);
}

int vdprintf(int file, const char *restrict format, va_list list)
{
	return into_nowhere(format, list);
}
