/*
 * Functions that run at the end of the program or of a thread, the last one first.
 *
 * Those of the program run before its destructors; C++ registers the destructors of its static objects here. Threads may add
 * some at the same time. A block of memory that was freed does not come back while another thread looks at it, for only the
 * end of the program frees any.
 *
 * Those of a thread (destructors of `thread_local` objects) run when it ends, as the destructor of a key; those of the thread
 * that ends the program before all others.
 */

struct handler {
	void (*plain)(void);
	void (*function)(void *);
	void *argument;
	struct handler *before;
};

typedef unsigned pthread_key_t;
typedef int pthread_once_t;

int pthread_once(pthread_once_t *control, void (*function)(void));
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_setspecific(pthread_key_t key, const void *value);

static struct handler *_Atomic last;
static _Thread_local struct handler *last_of_thread;
static pthread_once_t has_key;
static pthread_key_t key;

INLINE struct handler *handler(void (*plain)(void), void (*function)(void *), void *argument)
{
	struct handler *handler = malloc(sizeof *handler);

	if (handler) {
		handler->plain = plain;
		handler->function = function;
		handler->argument = argument;
	}
	return handler;
}

INLINE int add(struct handler *handler)
{
	if (!handler)
		return -1;
	handler->before = __c11_atomic_load(&last, __ATOMIC_RELAXED);
	while (!__c11_atomic_compare_exchange_strong(&last, &handler->before, handler, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return 0;
}

INLINE void run(struct handler *handler)
{
	struct handler it = *handler;

	free(handler);
	if (it.plain)
		it.plain();
	else
		it.function(it.argument);
}

int atexit(void (*function)(void))
{
	return add(handler(function, 0, 0));
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
	return add(handler(0, function, argument));
}

static void run_of_thread(void *unused)
{
	struct handler *handler;

	while ((handler = last_of_thread)) {
		last_of_thread = handler->before;
		run(handler);
	}
}

static void make_key(void)
{
	pthread_key_create(&key, run_of_thread);
}

int __cxa_thread_atexit(void (*function)(void *), void *argument, void *object)
{
	struct handler *next = handler(0, function, argument);

	if (!next)
		return -1;
	pthread_once(&has_key, make_key);
	/* Any value but null: the destructor of the key is to run. */
	pthread_setspecific(key, &last_of_thread);
	next->before = last_of_thread;
	last_of_thread = next;
	return 0;
}

__attribute__((destructor)) static void run_handlers(void)
{
	struct handler *handler;

	run_of_thread(0);
	while ((handler = __c11_atomic_load(&last, __ATOMIC_ACQUIRE))) {
		__c11_atomic_store(&last, handler->before, __ATOMIC_RELEASE);
		run(handler);
	}
}
