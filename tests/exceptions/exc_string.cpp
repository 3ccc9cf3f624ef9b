// The texts of exceptions of the library are copies.
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <string>
static void fail(int n)
{
	std::string text = "failure number ";
	text += char('0' + n);
	throw std::runtime_error(text);
}
int main()
{
	bool same = false;
	try {
		fail(3);
	} catch (std::runtime_error copy) {
		std::runtime_error other = copy;
		copy = std::runtime_error("another");
		same = !std::strcmp(other.what(), "failure number 3") && !std::strcmp(copy.what(), "another");
	}
	assert(same);
}
