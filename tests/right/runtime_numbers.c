/* Numbers from texts, sorting, the environment, and output by `write`. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct entry {
	char name[4];
	int number;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int downwards(const void *a, const void *b, void *calls)
{
	++*(int *)calls;
	return *(const int *)b - *(const int *)a;
}

int main(void)
{
	struct entry entries[] = {{"c", 3}, {"a", 1}, {"b", 2}}, wanted = {"b", 0};
	int numbers[50], calls = 0;
	char *end;
	div_t parts = div(-7, 2);

	assert(strtol("  -0x1fz", &end, 0) == -31 && *end == 'z' && atoi("12x") == 12);
	errno = 0;
	assert(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
	assert(strtoul("-1", NULL, 10) == ULONG_MAX && strtod("-12.5e1", &end) == -125 && !*end);
	assert(parts.quot == -3 && parts.rem == -1 && ffs(40) == 4 && labs(-3) == 3);
	qsort(entries, 3, sizeof *entries, by_name);
	assert(entries[0].number == 1 && entries[2].number == 3);
	assert(((struct entry *)bsearch(&wanted, entries, 3, sizeof *entries, by_name))->number == 2);
	for (int i = 0; i < 50; i++)
		numbers[i] = i * 7 % 50;
	qsort_r(numbers, 50, sizeof *numbers, downwards, &calls);
	for (int i = 0; i < 50; i++)
		assert(numbers[i] == 49 - i);
	assert(calls > 0 && calls < 50 * 49 / 2 && !getenv("HOME") && !strcmp(strerror(EINVAL), "Invalid argument"));
	return write(STDOUT_FILENO, entries[0].name, 1) == 1 ? 0 : 1;
}
