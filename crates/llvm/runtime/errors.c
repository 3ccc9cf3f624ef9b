/* The texts of errors: those of the usual ones, and one text for all others. */

static const char *const texts[] = {
	[0] = "Success",
	[1] = "Operation not permitted",
	[2] = "No such file or directory",
	[3] = "No such process",
	[4] = "Interrupted system call",
	[5] = "Input/output error",
	[9] = "Bad file descriptor",
	[10] = "No child processes",
	[11] = "Resource temporarily unavailable",
	[12] = "Cannot allocate memory",
	[13] = "Permission denied",
	[14] = "Bad address",
	[16] = "Device or resource busy",
	[17] = "File exists",
	[20] = "Not a directory",
	[21] = "Is a directory",
	[22] = "Invalid argument",
	[24] = "Too many open files",
	[28] = "No space left on device",
	[32] = "Broken pipe",
	[33] = "Numerical argument out of domain",
	[34] = "Numerical result out of range",
	[35] = "Resource deadlock avoided",
	[38] = "Function not implemented",
	[75] = "Value too large for defined data type",
	[95] = "Operation not supported",
	[110] = "Connection timed out",
	[125] = "Operation canceled",
};

INLINE const char *text_of(int error)
{
	int known = error >= 0 && error < (int)(sizeof texts / sizeof *texts);

	return known && texts[error] ? texts[error] : "Unknown error";
}

char *strerror(int error)
{
	return (char *)text_of(error);
}

/* That of GNU, which need not use the buffer. */
char *strerror_r(int error, char *buffer, size_t room)
{
	return (char *)text_of(error);
}

/* That of POSIX. */
int __xpg_strerror_r(int error, char *buffer, size_t room)
{
	const char *text = text_of(error);
	size_t i = 0;

	for (; i + 1 < room && text[i]; i++)
		buffer[i] = text[i];
	if (room)
		buffer[i] = 0;
	return text[i] ? ERANGE : 0;
}
