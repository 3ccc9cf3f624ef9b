/* A mapping is no memory of `malloc`. */
#include <stdlib.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	free(p); //~ ERROR[invalid-free]
	return 0;
}
