/* What is found in strings and in memory. */

size_t strnlen(const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	return n;
}

char *strchrnul(const char *text, int c)
{
	while (*text && *text != (char)c)
		text++;
	return (char *)text;
}

char *strchr(const char *text, int c)
{
	while (*text && *text != (char)c)
		text++;
	return *text == (char)c ? (char *)text : NULL;
}

char *index(const char *text, int c)
{
	return strchr(text, c);
}

char *strrchr(const char *text, int c)
{
	const char *found = NULL;

	do {
		if (*text == (char)c)
			found = text;
	} while (*text++);
	return (char *)found;
}

char *rindex(const char *text, int c)
{
	return strrchr(text, c);
}

size_t strspn(const char *text, const char *set)
{
	size_t n = 0;

	while (text[n] && is_among(text[n], set))
		n++;
	return n;
}

size_t strcspn(const char *text, const char *set)
{
	size_t n = 0;

	while (text[n] && !is_among(text[n], set))
		n++;
	return n;
}

char *strpbrk(const char *text, const char *set)
{
	while (*text && !is_among(*text, set))
		text++;
	return *text ? (char *)text : NULL;
}

char *strstr(const char *text, const char *part)
{
	for (;; text++) {
		size_t i = 0;

		while (part[i] && text[i] == part[i])
			i++;
		if (!part[i])
			return (char *)text;
		if (!text[i])
			return NULL;
	}
}

void *memchr(const void *memory, int c, size_t n)
{
	const unsigned char *bytes = memory;

	for (size_t i = 0; i < n; i++)
		if (bytes[i] == (unsigned char)c)
			return (void *)(bytes + i);
	return NULL;
}

void *memrchr(const void *memory, int c, size_t n)
{
	const unsigned char *bytes = memory;

	while (n--)
		if (bytes[n] == (unsigned char)c)
			return (void *)(bytes + n);
	return NULL;
}

void *rawmemchr(const void *memory, int c)
{
	const unsigned char *bytes = memory;

	while (*bytes != (unsigned char)c)
		bytes++;
	return (void *)bytes;
}

void *memmem(const void *memory, size_t n, const void *part, size_t size)
{
	const unsigned char *bytes = memory, *wanted = part;

	for (; n >= size; bytes++, n--) {
		size_t i = 0;

		while (i < size && bytes[i] == wanted[i])
			i++;
		if (i == size)
			return (void *)bytes;
	}
	return NULL;
}

/* That of <string.h>: what comes after the last slash. */
char *basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (char *)(slash ? slash + 1 : path);
}
