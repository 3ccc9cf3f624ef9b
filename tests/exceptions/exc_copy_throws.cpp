// A handler by value copies the exception, and the copy throws.
struct Fragile {
	int copies = 0;
	Fragile() {}
	Fragile(const Fragile &)
	{
		throw 1; //~ ERROR[uncaught-exception]
	}
};
int main()
{
	try {
		throw Fragile();
	} catch (Fragile) {
	} catch (int) {
	}
}
