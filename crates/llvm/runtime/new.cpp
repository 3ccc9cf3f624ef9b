// `operator new` and `operator delete`: `malloc` and `free`. They are part of the code that calls them, so that a heap object
// has the name of the pointer to it.
#include <cstdlib>
#include <new>

namespace std {
const nothrow_t nothrow = nothrow_t{};
void __throw_bad_alloc() __attribute__((noreturn));
}

// One that has no memory calls the handler that the program has set, if any, and tries again.
static std::new_handler handler;

std::new_handler std::get_new_handler() noexcept { return __atomic_load_n(&handler, __ATOMIC_ACQUIRE); }

std::new_handler std::set_new_handler(std::new_handler next) noexcept
{
	return __atomic_exchange_n(&handler, next, __ATOMIC_ACQ_REL);
}

INLINE static inline bool may_try_again()
{
	if (std::new_handler handler = std::get_new_handler()) {
		handler();
		return true;
	}
	return false;
}

INLINE static inline void *or_none(std::size_t size)
{
	void *object;
	do
		object = std::malloc(size);
	while (__builtin_expect(!object, false) && may_try_again());
	return object;
}

INLINE static inline void *or_none(std::size_t size, std::align_val_t align)
{
	void *object;
	do
		object = aligned_alloc(std::size_t(align), size);
	while (__builtin_expect(!object, false) && may_try_again());
	return object;
}

INLINE static inline void *or_throw(void *object)
{
	if (__builtin_expect(!object, false))
		std::__throw_bad_alloc();
	return object;
}

INLINE void *operator new(std::size_t n) { return or_throw(or_none(n)); }
INLINE void *operator new[](std::size_t n) { return or_throw(or_none(n)); }
INLINE void *operator new(std::size_t n, const std::nothrow_t &) noexcept { return or_none(n); }
INLINE void *operator new[](std::size_t n, const std::nothrow_t &) noexcept { return or_none(n); }
INLINE void *operator new(std::size_t n, std::align_val_t a) { return or_throw(or_none(n, a)); }
INLINE void *operator new[](std::size_t n, std::align_val_t a) { return or_throw(or_none(n, a)); }
INLINE void *operator new(std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept { return or_none(n, a); }
INLINE void *operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept { return or_none(n, a); }

INLINE void operator delete(void *p) noexcept { std::free(p); }
INLINE void operator delete[](void *p) noexcept { std::free(p); }
INLINE void operator delete(void *p, std::size_t) noexcept { std::free(p); }
INLINE void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
INLINE void operator delete(void *p, const std::nothrow_t &) noexcept { std::free(p); }
INLINE void operator delete[](void *p, const std::nothrow_t &) noexcept { std::free(p); }
INLINE void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
INLINE void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
INLINE void operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
INLINE void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
INLINE void operator delete(void *p, std::align_val_t, const std::nothrow_t &) noexcept { std::free(p); }
INLINE void operator delete[](void *p, std::align_val_t, const std::nothrow_t &) noexcept { std::free(p); }
