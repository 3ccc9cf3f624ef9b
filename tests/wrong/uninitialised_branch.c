/* Only one of the branches sets the variable. */
#include <stdio.h>
#include <threadbare.h>

int main(void)
{
	int x;

	if (__VERIFIER_nondet_bool())
		x = 1;
	if (x == 1) //~ ERROR[uninitialised-read]
		puts("one");
	return 0;
}
