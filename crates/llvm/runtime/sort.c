/*
 * Sorting and searching.
 *
 * Few elements are sorted by insertion, which keeps the order of equal ones, more by a heap, which does not. Which elements
 * are compared, and how often, is unspecified in C: this is one way.
 */

typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

/* An array, and how its elements are compared: with a third argument, or without. */
struct array {
	char *start;
	size_t size;
	compare *plain;
	compare_with *with;
	void *argument;
};

enum { FEW = 16, PART = 64 };

INLINE char *element(const struct array *array, size_t i)
{
	return array->start + i * array->size;
}

INLINE int is_less(const struct array *array, size_t i, size_t j)
{
	const void *a = element(array, i), *b = element(array, j);

	return (array->plain ? array->plain(a, b) : array->with(a, b, array->argument)) < 0;
}

INLINE void swap(const struct array *array, size_t i, size_t j)
{
	char *a = element(array, i), *b = element(array, j), part[PART];

	for (size_t done = 0; done < array->size; done += PART) {
		size_t n = array->size - done < PART ? array->size - done : PART;

		__builtin_memcpy(part, a + done, n);
		__builtin_memcpy(a + done, b + done, n);
		__builtin_memcpy(b + done, part, n);
	}
}

/* Put an element to its place below it, in a heap of `n` elements with the largest first. */
static void sift(const struct array *array, size_t i, size_t n)
{
	while (i < n / 2) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && is_less(array, child, child + 1))
			child++;
		if (!is_less(array, i, child))
			return;
		swap(array, i, child);
		i = child;
	}
}

static void sort(const struct array *array, size_t n)
{
	if (n <= FEW) {
		for (size_t i = 1; i < n; i++)
			for (size_t j = i; j && is_less(array, j, j - 1); j--)
				swap(array, j, j - 1);
		return;
	}
	for (size_t i = n / 2; i--;)
		sift(array, i, n);
	while (--n) {
		swap(array, 0, n);
		sift(array, 0, n);
	}
}

void qsort(void *start, size_t n, size_t size, compare *plain)
{
	struct array array = {start, size, plain, NULL, NULL};

	sort(&array, n);
}

void qsort_r(void *start, size_t n, size_t size, compare_with *with, void *argument)
{
	struct array array = {start, size, NULL, with, argument};

	sort(&array, n);
}

void *bsearch(const void *key, const void *start, size_t n, size_t size, compare *compares)
{
	const char *first = start;

	while (n) {
		const char *middle = first + n / 2 * size;
		int order = compares(key, middle);

		if (order == 0)
			return (void *)middle;
		if (order > 0) {
			first = middle + size;
			n--;
		}
		n /= 2;
	}
	return NULL;
}
