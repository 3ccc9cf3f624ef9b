/* The mapping has ended when it is written. */
#include <sys/mman.h>
#include <stddef.h>

int main(void)
{
	char *p = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, 100);
	p[0] = 1; //~ ERROR[use-after-free]
	return 0;
}
