// A destructor throws while another exception is under way: the program ends.
struct Throws {
	~Throws() noexcept(false)
	{
		throw 2; //~ ERROR[uncaught-exception]
	}
};
int main()
{
	try {
		Throws throws;
		throw 1;
	} catch (int) {
	}
}
