/* A mutex in a heap object, initialised and destroyed. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

static void *deposit(void *arg)
{
	struct account *account = arg;

	pthread_mutex_lock(&account->lock);
	account->balance += 10;
	pthread_mutex_unlock(&account->lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	struct account *account = malloc(sizeof *account);

	pthread_mutex_init(&account->lock, NULL);
	account->balance = 0;
	pthread_create(&a, NULL, deposit, account);
	pthread_create(&b, NULL, deposit, account);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(account->balance == 20);
	pthread_mutex_destroy(&account->lock);
	free(account);
	return 0;
}
