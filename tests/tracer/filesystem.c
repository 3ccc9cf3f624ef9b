/*
 * filesystem(N): N threads allocate a block for an inode each, of 32 inodes and 26 blocks, with a mutex for each of them.
 *
 * From [Tracer], table 2. 2^(N - 13), since 13 threads begin their search at blocks of their own.
 */
#include "tracer.h"

#ifndef N
#define N 14
#endif
#define INODES 32
#define BLOCKS 26

static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];
static atomic_int inodes[INODES], busy[BLOCKS];

static _Bool take(int inode, int block)
{
	_Bool was_free;

	pthread_mutex_lock(&block_locks[block]);
	was_free = !load(&busy[block]);
	if (was_free) {
		store(&busy[block], 1);
		store(&inodes[inode], block + 1);
	}
	pthread_mutex_unlock(&block_locks[block]);
	return was_free;
}

static void *allocate(void *arg)
{
	int inode = (int)((long)arg % INODES);
	int block = 2 * inode % BLOCKS;

	pthread_mutex_lock(&inode_locks[inode]);
	if (load(&inodes[inode]) == 0)
		while (!take(inode, block))
			block = (block + 1) % BLOCKS;
	pthread_mutex_unlock(&inode_locks[inode]);
	return NULL;
}

int main(void)
{
	pthread_t threads[N];

	for (int i = 0; i < INODES; i++)
		pthread_mutex_init(&inode_locks[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		pthread_mutex_init(&block_locks[i], NULL);
	start(threads, N, allocate);
	join(threads, N);
	return 0;
}
