/* A program that jumps through tables of labels. */
#include "native.h"

static int interpret(const unsigned char *code, int value)
{
	static void *const labels[] = {&&add, &&twice, &&negate, &&jump_if_odd, &&end};

	goto *labels[*code++];
add:
	value += *code++;
	goto *labels[*code++];
twice:
	value *= 2;
	goto *labels[*code++];
negate:
	value = -value;
	goto *labels[*code++];
jump_if_odd:
	code += value & 1 ? *code : 1;
	goto *labels[*code++];
end:
	return value;
}

/* Distances between labels, as interpreters have them that need no relocations. */
static int by_distance(int which)
{
	static const int distances[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero};

	goto *(&&zero + distances[which]);
zero:
	return 10;
one:
	return 20;
two:
	return 30;
}

static int chosen(int which)
{
	void *to = which ? &&yes : &&no;

	for (int i = 0;; i++) {
		goto *to;
	yes:
		if (i > 3)
			return i;
		to = i == 3 ? &&no : &&yes;
		continue;
	no:
		return -i;
	}
}

int main(void)
{
	const unsigned char code[] = {0, 5, 1, 3, 2, 2, 0, 7, 1, 2, 4};

	for (int i = -10; i < 10; i++)
		note(interpret(code, i));
	for (int i = 0; i < 3; i++)
		note(by_distance(i)), note(chosen(i));
	return finish();
}
