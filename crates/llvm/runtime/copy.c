/* Memory and strings that are copied and joined. */

/* Annex K of C11: too little room is an error, after which the room is zero. */
int memcpy_s(void *restrict to, size_t room, const void *restrict from, size_t n)
{
	char *out = to;

	if (to == NULL || from == NULL || room < n) {
		for (size_t i = 0; to != NULL && i < room; i++)
			out[i] = 0;
		return room < n ? ERANGE : EINVAL;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = ((const char *)from)[i];
	return 0;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
	while ((*to = *from++))
		to++;
	return to;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	for (size_t i = 0; (to[i] = from[i]); i++)
		;
	return to;
}

/* The rest of the room is filled with zeros; without room there is no zero. */
char *stpncpy(char *restrict to, const char *restrict from, size_t room)
{
	size_t end = 0;

	while (end < room && (to[end] = from[end]))
		end++;
	for (size_t i = end; i < room; i++)
		to[i] = 0;
	return to + end;
}

char *strncpy(char *restrict to, const char *restrict from, size_t room)
{
	size_t i = 0;

	for (; i < room && from[i]; i++)
		to[i] = from[i];
	for (; i < room; i++)
		to[i] = 0;
	return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
	char *end = to + length(to);

	while ((*end++ = *from++))
		;
	return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t most)
{
	char *end = to + length(to);

	for (size_t i = 0; i < most && from[i]; i++)
		*end++ = from[i];
	*end = 0;
	return to;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t room)
{
	size_t i = 0;

	for (; i + 1 < room && from[i]; i++)
		to[i] = from[i];
	if (room)
		to[i] = 0;
	return i + length(from + i);
}

size_t strlcat(char *restrict to, const char *restrict from, size_t room)
{
	size_t used = 0, i = 0;

	while (used < room && to[used])
		used++;
	for (; used + i + 1 < room && from[i]; i++)
		to[used + i] = from[i];
	if (used < room)
		to[used + i] = 0;
	return used + i + length(from + i);
}

void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	return (char *)__builtin_memcpy(to, from, n) + n;
}

char *strdup(const char *text)
{
	size_t size = length(text) + 1;
	char *copy = malloc(size);

	return copy ? __builtin_memcpy(copy, text, size) : NULL;
}

char *strndup(const char *text, size_t most)
{
	size_t n = 0;
	char *copy;

	while (n < most && text[n])
		n++;
	copy = malloc(n + 1);
	if (!copy)
		return NULL;
	copy[n] = 0;
	return __builtin_memcpy(copy, text, n);
}
