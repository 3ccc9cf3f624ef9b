/*
 * Functions that run at the end of the program, the last one first, before its destructors.
 *
 * Threads may add some at the same time. A block of memory that was freed does not come back while another thread looks at it,
 * for only the end of the program frees any.
 */

struct handler {
	void (*function)(void);
	struct handler *before;
};

static struct handler *_Atomic last;

int atexit(void (*function)(void))
{
	struct handler *handler = malloc(sizeof *handler);

	if (!handler)
		return -1;
	handler->function = function;
	handler->before = __c11_atomic_load(&last, __ATOMIC_RELAXED);
	while (!__c11_atomic_compare_exchange_strong(&last, &handler->before, handler, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return 0;
}

__attribute__((destructor)) static void run_handlers(void)
{
	struct handler *handler;

	while ((handler = __c11_atomic_load(&last, __ATOMIC_ACQUIRE))) {
		void (*function)(void) = handler->function;

		__c11_atomic_store(&last, handler->before, __ATOMIC_RELEASE);
		free(handler);
		function();
	}
}
