// Preloaded into the command when valgrind runs it. There, /proc/self/exe is valgrind: a command that starts itself once
// more by this name (to compile in a process of its own) would start valgrind. This starts THREADBARE_SELF instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

typedef int spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
		  char *const[], char *const[]);

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	spawn *next = (spawn *)dlsym(RTLD_NEXT, "posix_spawnp");
	if (strcmp(file, "/proc/self/exe") == 0)
		file = getenv("THREADBARE_SELF");
	return next(pid, file, actions, attributes, arguments, environment);
}
