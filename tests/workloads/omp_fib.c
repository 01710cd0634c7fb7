/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Usage: omp_fib N [THREADS]
 *
 * The N-th number of Fibonacci, with a task for each call but the first: 2 fib(N + 1) - 2 of them.
 */
#include <stdio.h>
#include <stdlib.h>

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, threads = argc > 2 ? atoi(argv[2]) : 2;
	long result = 0;

#pragma omp parallel num_threads(threads)
#pragma omp single
	result = fib(n);
	printf("%ld\n", result);
	return 0;
}
