// How many buckets an unordered container has, and hashes of bytes.
//
// libstdc++ takes primes of a list of its own; here it is the next prime. Programs cannot rely on either.
#include <string>
#include <unordered_map>

static bool is_prime(std::size_t n)
{
	for (std::size_t divisor = 2; divisor * divisor <= n; divisor++)
		if (n % divisor == 0)
			return false;
	return n >= 2;
}

namespace std {
namespace __detail {

size_t _Prime_rehash_policy::_M_next_bkt(size_t n) const
{
	// A container without a bucket of its own: the first element makes some.
	if (n == 0)
		return 1;
	size_t buckets = n < 2 ? 2 : n;
	while (!is_prime(buckets))
		buckets++;
	_M_next_resize = size_t(double(buckets) * _M_max_load_factor);
	return buckets;
}

pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t added) const
{
	size_t wanted = elements + added;
	if (wanted <= _M_next_resize)
		return {false, 0};
	if (!_M_next_resize && wanted < 11)
		wanted = 11;
	size_t least = size_t(wanted / double(_M_max_load_factor));
	if (least < buckets) {
		_M_next_resize = size_t(double(buckets) * _M_max_load_factor);
		return {false, 0};
	}
	size_t grown = buckets * _S_growth_factor;
	return {true, _M_next_bkt(least + 1 < grown ? grown : least + 1)};
}

}

// FNV-1a of 64 bits.
static size_t hash_of(const void *bytes, size_t length, size_t seed)
{
	size_t hash = 0xcbf29ce484222325 ^ seed;
	for (size_t i = 0; i < length; i++) {
		hash ^= static_cast<const unsigned char *>(bytes)[i];
		hash *= 0x100000001b3;
	}
	return hash;
}

size_t _Hash_bytes(const void *bytes, size_t length, size_t seed) { return hash_of(bytes, length, seed); }
size_t _Fnv_hash_bytes(const void *bytes, size_t length, size_t seed) { return hash_of(bytes, length, seed); }

}
