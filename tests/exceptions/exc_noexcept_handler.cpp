// A function that must not throw handles some exceptions, and not this one.
static void inner(bool is_char)
{
	if (is_char)
		throw 'c'; //~ ERROR[uncaught-exception]
	throw 1;
}
static void outer(bool is_char) noexcept
{
	try {
		inner(is_char);
	} catch (int) {
	}
}
int main()
{
	outer(false);
	outer(true);
}
