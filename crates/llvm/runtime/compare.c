/* Strings that are compared: up to a length, or without regard to upper and lower case. The answer is -1, 0 or 1. */

INLINE int order(int a, int b)
{
	return (a > b) - (a < b);
}

INLINE int byte(const char *text, size_t i)
{
	return (unsigned char)text[i];
}

int strncmp(const char *a, const char *b, size_t most)
{
	for (size_t i = 0; i < most; i++)
		if (byte(a, i) != byte(b, i) || !a[i])
			return order(byte(a, i), byte(b, i));
	return 0;
}

int strcoll(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

int strncasecmp(const char *a, const char *b, size_t most)
{
	for (size_t i = 0; i < most; i++) {
		int x = lower(byte(a, i)), y = lower(byte(b, i));

		if (x != y || !x)
			return order(x, y);
	}
	return 0;
}

int strcasecmp(const char *a, const char *b)
{
	return strncasecmp(a, b, SIZE_MAX);
}
