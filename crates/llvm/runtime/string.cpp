// `std::string`: that of the headers, for bitcode that expects it in the library.
#include <string>

template class std::basic_string<char>;
