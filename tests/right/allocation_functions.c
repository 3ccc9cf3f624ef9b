/* calloc clears, realloc keeps, aligned_alloc aligns, free takes NULL. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
	int *numbers = calloc(2, sizeof *numbers);
	void *line = aligned_alloc(64, 128);

	assert(numbers[0] == 0 && numbers[1] == 0);
	numbers[1] = 7;
	numbers = realloc(numbers, 8 * sizeof *numbers);
	assert(numbers[1] == 7);
	numbers[7] = 1;
	assert((uintptr_t)line % 64 == 0);
	free(numbers);
	free(line);
	free(NULL);
	return 0;
}
