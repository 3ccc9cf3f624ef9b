/* What is printed is read, and no more than is printed. */
#include <pthread.h>
#include <stdio.h>

static char text[8] = "abc\0def";
static struct {
	char tag;
	int value;
} pair = {'x', 1};

static void *change(void *unused)
{
	text[5] = 'x';
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
	puts(text);
	fputs(text, stdout);
	printf("%s %.3s %-*.*s %5.1f %Lf\n", text, text + 2, 8, 1, text + 4, 1.0, 2.0L);
	fwrite(&pair, sizeof pair, 1, stdout);
	fwrite(text, 1, 4, stdout);
	perror(NULL);
	pthread_join(thread, NULL);
	return 0;
}
