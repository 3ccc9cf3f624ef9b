/* Functions of <string.h>, <strings.h> and <ctype.h> that the runtime has. */
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char shared[16];

static void *copy(void *text)
{
	char *own = strdup(text);

	for (char *c = own; *c; c++)
		*c = (char)toupper(*c);
	assert(!strcasecmp(own, text) && strncmp(own, text, 3) < 0);
	free(own);
	return NULL;
}

int main(void)
{
	pthread_t one, other;
	char line[] = "key=value;flag", *rest = line, *token;

	strcpy(shared, "abc");
	strncat(strcat(shared, "def"), "ghijkl", 2);
	pthread_create(&one, NULL, copy, shared);
	pthread_create(&other, NULL, copy, shared);
	assert(strlen(shared) == 8 && strchr(shared, 'c') == shared + 2 && !strrchr(shared, 'x'));
	assert(strstr(shared, "efg") == shared + 4 && strspn(shared, "cba") == 3 && strcspn(shared, "hg") == 6);
	assert(memchr(shared, 'd', 8) == shared + 3 && memmem(shared, 8, "fg", 2) == shared + 5);
	token = strtok_r(line, ";", &rest);
	assert(!strcmp(token, "key=value") && !strcmp(strtok_r(NULL, ";", &rest), "flag"));
	assert(!strcmp(strsep(&token, "="), "key") && !strcmp(token, "value"));
	assert(isdigit('7') && !isalpha('7') && isspace('\t') && tolower('Q') == 'q' && isxdigit('f'));
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}
