// A dynamic exception specification does not list this type.
static void inner()
{
	throw 2.5; //~ ERROR[uncaught-exception]
}
static void listed() throw(int)
{
	inner();
}
int main()
{
	try {
		listed();
	} catch (...) {
	}
}
