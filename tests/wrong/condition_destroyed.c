/* A signal to a condition variable that was destroyed. */
#include <pthread.h>

static pthread_cond_t sent = PTHREAD_COND_INITIALIZER;

int main(void)
{
	pthread_cond_destroy(&sent);
	pthread_cond_signal(&sent); //~ ERROR[invalid-access]
	return 0;
}
