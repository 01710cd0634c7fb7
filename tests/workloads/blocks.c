/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls functions a known number of times:
 *
 *	blocks THREADS CALLS GENERATIONS
 *
 * THREADS threads call outer() CALLS times each, which calls inner() twice; a block "marked" is
 * around each call of outer(). Then each of GENERATIONS processes, born by fork one after the
 * other, does that with one thread, and after that execs this program with no generation left. Of P
 * = 1 + 2 * GENERATIONS programs, GENERATIONS + 1 have THREADS threads and GENERATIONS have one. So
 * there are CALLS * THREADS * (GENERATIONS + 1) + CALLS * GENERATIONS calls of outer(). Ends with
 * status 7. With BLOCKS_GATE in the environment each thread waits, after half of its calls and in a
 * block, until there is a file of that name.
 */
#include "../../src/probe/probe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS = 7, THREADS_MAX = 256 };

static long calls;
static const char *gate;

__attribute__((noinline)) long inner(long number, long factor);
long inner(long number, long factor)
{
	__asm__ volatile("" ::: "memory");
	return number * factor;
}

__attribute__((noinline)) long outer(long number);
long outer(long number)
{
	__asm__ volatile("" ::: "memory");
	return inner(number, 2) + inner(number, 3);
}

static void *work(void *unused)
{
	for (long i = 0; i < calls; i++) {
		PSCAL_BEGIN(marked);
		while (gate && i == calls / 2 && access(gate, F_OK))
			usleep(1000);
		if (outer(i) != 5 * i)
			abort();
		PSCAL_END(marked);
	}
	return unused;
}

static void run_threads(int count)
{
	pthread_t threads[THREADS_MAX];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void beget(char **argv)
{
	char *const next[] = {argv[0], argv[1], argv[2], (char[]){"0"}, NULL};
	pid_t child = fork();
	int status;

	if (child == 0) {
		work(NULL);
		execv("/proc/self/exe", next);
		_exit(1);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != STATUS << 8)
		abort();
}

int main(int argc, char **argv)
{
	int threads = argc == 4 ? atoi(argv[1]) : 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fputs("usage: blocks THREADS CALLS GENERATIONS\n", stderr);
		return 2;
	}
	calls = atol(argv[2]);
	gate = getenv("BLOCKS_GATE");
	run_threads(threads);
	for (int i = atoi(argv[3]); i > 0; i--)
		beget(argv);
	if (atoi(argv[3]) > 0)
		puts("done");
	return STATUS;
}
