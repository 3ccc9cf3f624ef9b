/* Strings that are taken apart. `strtok` keeps its place in a variable that all threads share: they race. */

char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	char *end;

	if (!text)
		text = *rest;
	if (!text)
		return NULL;
	while (*text && is_among(*text, set))
		text++;
	if (!*text) {
		*rest = text;
		return NULL;
	}
	for (end = text; *end && !is_among(*end, set); end++)
		;
	if (*end)
		*end++ = 0;
	*rest = end;
	return text;
}

char *__strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	return strtok_r(text, set, rest);
}

char *strtok(char *restrict text, const char *restrict set)
{
	static char *rest;

	return strtok_r(text, set, &rest);
}

char *strsep(char **restrict rest, const char *restrict set)
{
	char *text = *rest, *end = text;

	if (!text)
		return NULL;
	while (*end && !is_among(*end, set))
		end++;
	*rest = *end ? end + 1 : NULL;
	*end = 0;
	return text;
}
