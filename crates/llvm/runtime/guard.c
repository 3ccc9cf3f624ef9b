/*
 * Static variables of C++ functions: one thread makes each, the others wait until it is done.
 *
 * A guard is 8 bytes, all 0 at first. The first one says that the variable is made; compiled code looks at it before it calls
 * anything here. The last four are a lock, which the thread that makes the variable holds: a variable that needs itself to be
 * made is a deadlock. C++ calls that undefined.
 */

typedef volatile int pthread_spinlock_t;

int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);

struct guard {
	_Atomic char made;
	char unused[3];
	pthread_spinlock_t lock;
};

int __cxa_guard_acquire(struct guard *guard)
{
	if (__c11_atomic_load(&guard->made, __ATOMIC_ACQUIRE))
		return 0;
	pthread_spin_lock(&guard->lock);
	if (!__c11_atomic_load(&guard->made, __ATOMIC_RELAXED))
		return 1;
	pthread_spin_unlock(&guard->lock);
	return 0;
}

void __cxa_guard_release(struct guard *guard)
{
	__c11_atomic_store(&guard->made, 1, __ATOMIC_RELEASE);
	pthread_spin_unlock(&guard->lock);
}

void __cxa_guard_abort(struct guard *guard)
{
	pthread_spin_unlock(&guard->lock);
}
