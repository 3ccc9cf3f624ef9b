// An exception of a type of the program's own, by a template and in a namespace.
namespace shop {
template <class T> struct Missing {
	T what;
};
}
static void find(int n)
{
	if (n > 2)
		throw shop::Missing<int>{n}; //~ ERROR[uncaught-exception]
}
int main()
{
	for (int i = 0; i < 5; i++)
		find(i);
}
