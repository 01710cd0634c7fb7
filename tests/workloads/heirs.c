/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heirs N: the first thread calls heirs_call() N times, creates a worker, and ends. The worker runs
 * for more than a second after that. Then it calls heirs_call() N times, and forks N children that
 * call it once each. It does an exec of the program, which repeats all of that once.
 *
 * On paper: 6 N calls in 3 + 2 N threads; the two first threads have one number.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Stays a function, and is called. */
#if defined(__clang__)
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif
long heirs_call(long number);

APART long heirs_call(long number)
{
	__asm__ volatile("" ::: "memory");
	return number + 1;
}

struct work {
	long calls;
	char **again; /* command line of the exec; NULL: none */
};

static void *work(void *argument)
{
	const struct work *given = argument;
	const struct timespec nap = {1, 200000000};

	nanosleep(&nap, NULL);
	for (long i = 0; i < given->calls; i++)
		heirs_call(1);
	for (long i = 0; i < given->calls; i++) {
		pid_t child = fork();

		if (child == 0) {
			heirs_call(1);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			_exit(1);
	}
	if (!given->again)
		exit(0);
	execv(given->again[0], given->again);
	_exit(1);
}

/* Needed after the end of the first thread. */
static struct work given;

int main(int argc, char **argv)
{
	static char last[] = "last", *again[4];
	pthread_t worker;

	given.calls = argc > 1 ? atol(argv[1]) : 0;
	if (given.calls <= 0) {
		fprintf(stderr, "usage: heirs N\n");
		return 2;
	}
	again[0] = argv[0];
	again[1] = argv[1];
	again[2] = last;
	given.again = argc > 2 ? NULL : again;
	for (long i = 0; i < given.calls; i++)
		heirs_call(1);
	if (pthread_create(&worker, NULL, work, &given))
		return 1;
	pthread_exit(NULL);
}
