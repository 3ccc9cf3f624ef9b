// `std::shared_ptr`: the lock behind `std::atomic_load` and its kin, which is one for all pointers.
#include <memory>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

namespace std {

_Sp_locker::_Sp_locker(const void *) noexcept { pthread_mutex_lock(&lock); }
_Sp_locker::_Sp_locker(const void *, const void *) noexcept { pthread_mutex_lock(&lock); }
_Sp_locker::~_Sp_locker() { pthread_mutex_unlock(&lock); }

// Only code without type information, which the program has, asks by this tag.
bool _Sp_make_shared_tag::_S_eq(const type_info &) noexcept { return false; }

}
