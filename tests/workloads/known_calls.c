/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * known_calls T N [MS]: T threads, each of which N times calls call_outer(i), which calls
 * call_inner(i, 1) and call_inner(i, 2), and then once call_fall(5), which calls itself five times.
 * Before they begin it waits so many milliseconds in call_nap, or until SIGUSR1, and then once more
 * 1 ms. It prints the sum of what call_outer() has returned.
 *
 * On paper: T N calls of call_outer with 0 ... N - 1, which returns 20 i + 3; 2 T N of call_inner,
 * which returns 10 times its first argument and the second; 6 T of call_fall; 2 of call_nap.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Keeps the compiler from inlining these functions, or computing their results. */
#if defined(__clang__)
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif
#define HERE __asm__ volatile("" ::: "memory")

long call_inner(long a, long b);
long call_outer(long i);
long call_fall(long depth);
void call_nap(long ms);

APART long call_inner(long a, long b)
{
	HERE;
	return 10 * a + b;
}

APART long call_outer(long i)
{
	long sum = call_inner(i, 1);

	sum += call_inner(i, 2);
	HERE;
	return sum;
}

APART long call_fall(long depth)
{
	long deeper = depth > 0 ? call_fall(depth - 1) : 0;

	HERE;
	return deeper + 1;
}

APART void call_nap(long ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
	HERE;
}

static long turns;

/* The signal ends the nap. */
static void wake(int number)
{
	(void)number;
}

static void *work(void *argument)
{
	long *sum = argument;

	for (long i = 0; i < turns; i++)
		*sum += call_outer(i);
	call_fall(5);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 2;
	pthread_t *threads = calloc(count, sizeof(*threads));
	long *sums = calloc(count, sizeof(*sums)), sum = 0;

	signal(SIGUSR1, wake);
	turns = argc > 2 ? atol(argv[2]) : 10;
	call_nap(argc > 3 ? atol(argv[3]) : 0);
	call_nap(1);
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &sums[i]))
			return 1;
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	printf("%ld\n", sum);
	free(threads);
	free(sums);
	return 0;
}
