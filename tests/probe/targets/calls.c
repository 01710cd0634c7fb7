/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and results of all kinds, and nested calls. Prints the results. */
#include "target.h"

#include <errno.h>
#include <immintrin.h>
#include <stdarg.h>

/* --- Registers ------------------------------------------------------------------------------ */

WATCHED double watch_varargs(int count, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum = sum * 3 + va_arg(list, double) + va_arg(list, int);
	va_end(list);
	return sum;
}

WATCHED double watch_floats(double a, float b, double c, double d, double e, double f, double g,
			    double h, double i)
{
	return a + 2 * (double)b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

WATCHED long double watch_long_double(long double a, int b)
{
	return a / b;
}

WATCHED _Complex double watch_complex(double a, double b)
{
	return a + b * 1.0i;
}

WATCHED _Complex long double watch_two_x87(long double a)
{
	return a + 2 * a * 1.0il;
}

struct large {
	long a[10];
};
struct pair {
	long a, b;
};
struct mixed {
	double a;
	long b;
};

WATCHED struct large watch_large(int x)
{
	struct large large;

	for (int i = 0; i < 10; i++)
		large.a[i] = x + i;
	return large;
}

WATCHED struct pair watch_pair(long x)
{
	return (struct pair){x, ~x};
}

WATCHED struct mixed watch_mixed(long x)
{
	return (struct mixed){(double)x / 3, x * 5};
}

WATCHED __int128 watch_wide(long a)
{
	return (__int128)a << 70 | a;
}

WATCHED long watch_stack(int a, int b, int c, int d, int e, int f, long g, int h, struct large i,
			 double j)
{
	return a + 10 * b + 100 * c + 1000 * d + e + f + 10 * g + h + i.a[9] + (long)j;
}

#define CHECK_AVX __attribute__((target("avx")))

CHECK_AVX WATCHED __m256d watch_vector(__m256d a, __m256d b)
{
	return a * b + a;
}

CHECK_AVX static void print_vector(uint64_t round)
{
	__m256d a = {1.5 * (double)round, 2, 3, 4}, b = {5, 6, 7, 8};
	double out[4];

	for (int i = 0; i < 3; i++)
		a = watch_vector(a, b);
	_mm256_storeu_pd(out, a);
	printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
}

#define CHECK_AVX512 __attribute__((target("avx512f")))

CHECK_AVX512 WATCHED __m512d watch_wide_vector(__m512d a)
{
	return a + a;
}

CHECK_AVX512 static void print_wide_vector(void)
{
	double out[8];

	_mm512_storeu_pd(out, watch_wide_vector(_mm512_set1_pd(1.25)));
	printf("%g %g\n", out[0], out[7]);
}

static void registers(void)
{
	for (int i = 0; i < 1000; i++) {
		struct mixed mixed = watch_mixed(i);
		__int128 wide = watch_wide(i);

		errno = i;
		printf("%g %g %Lg %g %Lg %ld %ld %g %ld %ld %ld %d\n",
		       watch_varargs(3, 1.5, i, 2.5, 2, 3.5, 3),
		       watch_floats(i, 2, 3, 4, 5, 6, 7, 8, 9), watch_long_double(i, 7),
		       __imag__ watch_complex(i, 4), __imag__ watch_two_x87(i), watch_large(i).a[7],
		       watch_pair(i).b, mixed.a, mixed.b, (long)(wide >> 60),
		       watch_stack(1, 2, 3, 4, 5, 6, 7, i, watch_large(3), 2.5), errno);
	}
	if (__builtin_cpu_supports("avx"))
		for (uint64_t i = 0; i < 100; i++)
			print_vector(i);
	if (__builtin_cpu_supports("avx512f"))
		print_wide_vector();
}

/* --- Nested calls --------------------------------------------------------------------------- */

WATCHED uint64_t watch_deep(uint64_t depth)
{
	uint64_t below = depth ? watch_deep(depth - 1) : 1;

	HIDE(below);
	return below * 3 + depth;
}

/* Needs a stack of this size: see the test. */
static void deep(void)
{
	printf("%lu\n", watch_deep(1000000));
	printf("%lu\n", watch_deep(1200000));
}

WATCHED int watch_odd(unsigned n);

WATCHED int watch_even(unsigned n)
{
	int result = n ? watch_odd(n - 1) : 1;

	HIDE(result);
	return result;
}

int watch_odd(unsigned n)
{
	int result = n ? watch_even(n - 1) : 0;

	HIDE(result);
	return result;
}

WATCHED uint64_t watch_fib(uint64_t n)
{
	uint64_t a, b;

	if (n < 2)
		return n;
	a = watch_fib(n - 1);
	b = watch_fib(n - 2);
	HIDE(a);
	HIDE(b);
	return a + b;
}

static void recursion(void)
{
	printf("%d %d %lu\n", watch_even(1001), watch_odd(1001), watch_fib(20));
}

/* Each of the two functions ends in a jump to the other one, a million times. */
#ifdef __clang__
#define JUMPS
#else
#define JUMPS __attribute__((optimize("O2")))
#endif

WATCHED uint64_t watch_jump_b(uint64_t n, uint64_t sum);

JUMPS WATCHED uint64_t watch_jump_a(uint64_t n, uint64_t sum)
{
	HIDE(sum);
	return n ? watch_jump_b(n - 1, sum * 3 + 1) : sum;
}

JUMPS uint64_t watch_jump_b(uint64_t n, uint64_t sum)
{
	HIDE(sum);
	return n ? watch_jump_a(n - 1, sum * 5 + 2) : sum;
}

static void tails(void)
{
	printf("%lu\n", watch_jump_a(200000, 1));
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"registers", registers},
		{"deep", deep},
		{"recursion", recursion},
		{"tails", tails},
	};

	return run_mode(modes, sizeof(modes) / sizeof(modes[0]), argc, argv);
}
