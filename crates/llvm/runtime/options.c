/*
 * The options of a command line. Nothing is printed about wrong ones. Not modelled: options behind operands, which glibc
 * finds, too, and for which it changes the order of the words.
 */

char *optarg;
int optind = 1, opterr = 1, optopt;

/* The next letter of a word with several options; 0: a word begins. */
static int at;

INLINE const char *known(const char *options, char letter)
{
	for (; *options; options++)
		if (*options == letter && letter != ':')
			return options;
	return NULL;
}

INLINE int is_option(const char *word)
{
	return word[0] == '-' && word[1] != 0;
}

/* Whether the next word has options. The word `--` has none, and is passed over. */
INLINE int has_options(int count, char *const *words)
{
	if (optind >= count || words[optind] == NULL)
		return 0;
	if (!is_option(words[optind])) {
		for (int i = optind; i < count && words[i] != NULL; i++)
			if (is_option(words[i]))
				__threadbare_unmodelled("`getopt` with an operand before an option");
		return 0;
	}
	if (words[optind][1] != '-' || words[optind][2] != 0)
		return 1;
	optind++;
	return 0;
}

/* An option with an argument: the rest of the word, or else the next word. */
INLINE int with_argument(int count, char *const *words, char letter, int is_reported)
{
	char *rest = words[optind++] + at;

	at = 0;
	if (*rest == 0 && optind >= count) {
		optopt = letter;
		return is_reported ? ':' : '?';
	}
	optarg = *rest ? rest : words[optind++];
	return letter;
}

int getopt(int count, char *const *words, const char *options)
{
	if (at == 0) {
		if (!has_options(count, words))
			return -1;
		at = 1;
	}
	char letter = words[optind][at++];
	const char *option = known(options, letter);

	if (option != NULL && option[1] == ':')
		return with_argument(count, words, letter, *options == ':');
	if (words[optind][at] == 0) {
		at = 0;
		optind++;
	}
	if (option != NULL)
		return letter;
	optopt = letter;
	return '?';
}
