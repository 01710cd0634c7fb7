/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot_function [MS]: a program that spends its time in one place. It takes MS milliseconds (default
 * 500) of CPU time, nearly all of it in hot_function(), which calls_it() calls; then it sleeps
 * for a moment in falls_asleep(). It prints the CPU time that it took, in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Takes about a millisecond. */
static __attribute__((noinline)) void hot_function(volatile unsigned *sink)
{
	for (unsigned i = 0; i < 500000; i++)
		*sink += i;
}

static __attribute__((noinline)) void calls_it(double end_s, volatile unsigned *sink)
{
	while (cpu_s() < end_s)
		hot_function(sink);
}

static __attribute__((noinline)) void falls_asleep(volatile unsigned *sink)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	*sink += 1; /* no tail call, so that this function stays on the stack */
}

int main(int argc, char **argv)
{
	volatile unsigned sink = 0;

	calls_it((argc > 1 ? atof(argv[1]) : 500) / 1e3, &sink);
	falls_asleep(&sink);
	printf("%.6f\n", cpu_s());
	return 0;
}
