/* Names of the running thread and of mappings, which nothing looks at: `prctl` with `PR_SET_NAME` and `PR_SET_VMA`. */

#define SET_NAME 15
#define SET_NAME_OF_MAPPING 0x53564d41

int prctl(int operation, ...)
{
	va_list arguments;

	if (operation != SET_NAME && operation != SET_NAME_OF_MAPPING)
		__threadbare_unmodelled("`prctl` with another operation than `PR_SET_NAME` and `PR_SET_VMA`");
	if (operation == SET_NAME) {
		va_start(arguments, operation);
		const char *name = va_arg(arguments, const char *);
		for (int i = 0; i < 15 && name[i]; i++)
			;
		va_end(arguments);
	}
	return 0;
}
