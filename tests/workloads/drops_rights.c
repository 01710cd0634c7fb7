/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A server that begins as root and becomes another user:
 *
 *	drops_rights CALLS [exec]
 *
 * Calls work() CALLS times as root, becomes user and group 65534, and calls it CALLS times more;
 * then a new thread calls it, and a new process, in a block "later"; calls of the first thread are
 * in "first" and "second". No symbol names these blocks. `exec`: at last it executes itself again,
 * which calls work() CALLS times. The last program ends with status 5.
 */
#include "../../src/probe/probe.h"

#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, STATUS = 5 };

static long calls;

__attribute__((noinline)) long work(long number);
long work(long number)
{
	__asm__ volatile("" ::: "memory");
	return 3 * number;
}

static void *run(void *unused)
{
	for (long i = 0; i < calls; i++)
		if (work(i) != 3 * i)
			abort();
	return unused;
}

static void run_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		PSCAL_BEGIN(later);
		run(NULL);
		PSCAL_END(later);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
}

int main(int count, char **words)
{
	pthread_t thread;

	calls = count > 1 ? atol(words[1]) : 1;
	PSCAL_BEGIN(first);
	run(NULL);
	PSCAL_END(first);
	if (getuid() != 0)
		return STATUS;
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		abort();
	PSCAL_BEGIN(second);
	run(NULL);
	PSCAL_END(second);
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		abort();
	run_child();
	if (count > 2 && strcmp(words[2], "exec") == 0)
		execl("/proc/self/exe", words[0], words[1], (char *)NULL);
	return STATUS;
}
