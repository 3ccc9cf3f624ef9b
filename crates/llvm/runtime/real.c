/*
 * Real numbers from texts.
 *
 * A number is exact, and so correctly rounded, if its digits are an integer below 2^53 and the power of ten has at most 22
 * zeros: both are doubles then, and one multiplication or division rounds once. Other numbers are not modelled.
 */

INLINE int begins_with(const char *text, const char *word)
{
	while (*word && lower(*text) == *word) {
		text++;
		word++;
	}
	return !*word;
}

INLINE double power_of_ten(int n)
{
	double power = 1;

	while (n--)
		power *= 10;
	return power;
}

/* The digits with a point among them, and the exponent: the number is `digits` times ten to the power of `*exponent`. */
INLINE const char *scan(const char *text, unsigned long *digits, int *exponent)
{
	int is_after_point = 0, is_negative, has_digits = 0, power = 0;
	const char *mark;

	for (;; text++) {
		if (*text == '.' && !is_after_point) {
			is_after_point = 1;
			continue;
		}
		if (!is_digit(*text))
			break;
		has_digits = 1;
		if (*digits >= 1ul << 56)
			__threadbare_unmodelled("a real number in a text with more than 16 digits is not modelled");
		*digits = *digits * 10 + (*text - '0');
		*exponent -= is_after_point;
	}
	if (!has_digits)
		return NULL;
	if (lower(*text) != 'e')
		return text;
	mark = text + 1;
	is_negative = *mark == '-';
	if (*mark == '-' || *mark == '+')
		mark++;
	if (!is_digit(*mark))
		return text;
	for (; is_digit(*mark); mark++)
		power = power < 10000 ? power * 10 + (*mark - '0') : power;
	*exponent += is_negative ? -power : power;
	return mark;
}

INLINE double parse(const char *text, char **end, unsigned long largest, int most_zeros)
{
	const char *start = text, *after;
	unsigned long digits = 0;
	int is_negative, exponent = 0;
	double value;

	while (is_space(*text))
		text++;
	is_negative = *text == '-';
	if (*text == '-' || *text == '+')
		text++;
	if (begins_with(text, "inf")) {
		after = text + (begins_with(text, "infinity") ? 8 : 3);
		value = __builtin_inf();
	} else if (begins_with(text, "nan")) {
		if (text[3] == '(')
			__threadbare_unmodelled("a `nan(...)` in a text is not modelled");
		after = text + 3;
		value = __builtin_nan("");
	} else if (begins_with(text, "0x")) {
		__threadbare_unmodelled("a hexadecimal real number in a text is not modelled");
	} else {
		after = scan(text, &digits, &exponent);
		if (digits && (digits > largest || exponent > most_zeros || exponent < -most_zeros))
			__threadbare_unmodelled("a real number in a text that is not exact is not modelled");
		value = (double)digits;
		if (digits)
			value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
	}
	if (end)
		*end = (char *)(after ? after : start);
	if (!after)
		return 0;
	return is_negative ? -value : value;
}

double strtod(const char *restrict text, char **restrict end)
{
	return parse(text, end, 1ul << 53, 22);
}

double atof(const char *text)
{
	return parse(text, NULL, 1ul << 53, 22);
}
