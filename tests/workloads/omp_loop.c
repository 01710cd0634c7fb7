/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop of OpenMP with a serial part, to test forecasts of what-ifs:
 *
 *	omp_loop N [SHARE]: N times, 4 units of work in serial_part, and 16 units in a parallel loop of
 *		16 calls of loop_body.
 *
 * SHARE (100) is the share of the work of serial_part that is left, in per cent. A unit is some tenths
 * of a ms; each piece of work takes 0.5 to 1.5 times as much, by its number. On paper and k cores, as
 * many as there are threads, each of the N rounds takes 4 SHARE / 100 + 16 / k units of time.
 */
#include <stdint.h>
#include <stdlib.h>

enum { UNIT = 1000000, CALLS = 16, SERIAL = 4 };

static __attribute__((noinline)) void compute(uint64_t number, uint64_t count)
{
	volatile unsigned sink = 0;

	number = (number + 1) * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX */
	number = number * 6364136223846793005 + 1442695040888963407;
	count = count / 2 + (((number >> 32) * count) >> 32);
	for (uint64_t i = 0; i < count; i++)
		sink = sink + 1;
}

static __attribute__((noinline)) uint64_t serial_part(uint64_t number, uint64_t count)
{
	compute(number, count);
	return number;
}

static __attribute__((noinline)) uint64_t loop_body(uint64_t number)
{
	compute(number, UNIT);
	return number;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
	double share = argc > 2 ? strtod(argv[2], NULL) / 100 : 1;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		sum += serial_part(i, (uint64_t)(SERIAL * UNIT * share));
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
		for (uint64_t j = 0; j < CALLS; j++)
			sum += loop_body(i * CALLS + j);
	}
	return sum == 1;
}
