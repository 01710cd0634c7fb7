/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the speed of a replay: SEGMENTS stretches of work of 64 threads, each ended by a wait
 * for another thread, on several numbers of cores, in ROUNDS rounds, whose median it prints. Then
 * one replay on each number from 1 to 64 cores, in parallel on all CPUs. Goals are 0.5 s on 16
 * cores and 32 bytes a segment for a million segments, and in the sweep all CPUs at work.
 *
 *	replay_speed [ROUNDS [SEGMENTS]]
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "replay/simulate/replays.h"
#include "replay/simulate/simulation.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS = 64, SWEEP_CORES = 64, ROUNDS_MAX = 1000, SEGMENTS_MAX = 100000000 };

/* In each round the threads meet in random pairs: each wakes the other one and waits for it. */
static void make_program(struct program *program, size_t segments)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
	uint32_t order[THREADS];

	*program = (struct program){0};
	for (uint32_t i = 0; i < THREADS; i++)
		order[i] = program_add_thread(program, (int32_t)i + 1, 1, "bench");
	for (size_t done = 0; done < segments; done += THREADS) {
		gsl_ran_shuffle(random, order, THREADS, sizeof(*order));
		for (uint32_t i = 0; i < THREADS; i++) {
			uint64_t run_ns = (uint64_t)gsl_ran_exponential(random, 50e3);
			struct step *step = program_add_step(program, order[i], run_ns, STEP_WAKE);

			step->thread = order[i ^ 1];
			step->edge = program->edge_count + i;
			step = program_add_step(program, order[i], 0, STEP_BLOCK);
			step->edge = program->edge_count + (i ^ 1);
		}
		program->edge_count += THREADS;
	}
	gsl_rng_free(random);
}

static double clock_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static void measure(const struct program *program, unsigned cores, size_t rounds, size_t segments)
{
	const struct machine machine = {.cores = cores, .costs = {.switch_ns = 1500}};
	double *spent_s = xcalloc(rounds, sizeof(*spent_s)), median_s;
	struct simulated simulated = {0};
	struct err err;

	for (size_t i = 0; i < rounds; i++) {
		double begin_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);

		if (simulate(&simulated, program, &machine, false, &err)) {
			fprintf(stderr, "%s\n", err.text);
			exit(1);
		}
		spent_s[i] = clock_s(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
	}
	gsl_sort(spent_s, 1, rounds);
	median_s = gsl_stats_median_from_sorted_data(spent_s, 1, rounds);
	printf("%5u  %8.3f  %14.2f  %10.3f  %10" PRIu64 "\n", cores, median_s,
	       (double)segments / median_s / 1e6, (double)simulated.wall_ns / 1e9,
	       simulated.switches);
	free(spent_s);
}

/* Prints the number of CPUs that the replays keep busy. */
static void sweep(const struct program *program)
{
	struct replay replays[SWEEP_CORES] = {0};
	double wall_s = clock_s(CLOCK_MONOTONIC), cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	struct err err;

	for (unsigned i = 0; i < SWEEP_CORES; i++)
		replays[i] = (struct replay){
			.program = program,
			.machine = {.cores = i + 1, .costs = {.switch_ns = 1500}},
		};
	if (replays_run(replays, SWEEP_CORES, NULL, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	wall_s = clock_s(CLOCK_MONOTONIC) - wall_s;
	cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	printf("1 to %d cores: %.3f s, and %.3f s of CPU: %.2f CPUs at work\n", SWEEP_CORES, wall_s,
	       cpu_s, cpu_s / wall_s);
}

int main(int argc, char **argv)
{
	static const unsigned cores[] = {1, 2, 16, 64};
	uint64_t rounds = 7, segments = 1000000;
	struct program program;
	double before, bytes;

	if ((argc > 1 && parse_u64(&rounds, argv[1], ROUNDS_MAX)) || rounds < 1 ||
	    (argc > 2 && parse_u64(&segments, argv[2], SEGMENTS_MAX)) || segments < 1) {
		fprintf(stderr, "usage: replay_speed [ROUNDS [SEGMENTS]]\n");
		return 2;
	}
	make_program(&program, segments);
	segments = program_steps(&program) / 2;
	bytes = (double)program_steps(&program) * sizeof(struct step);
	before = peak_bytes();
	printf("%" PRIu64 " segments of %d threads, %.0f bytes each in memory\n\n", segments,
	       THREADS, bytes / (double)segments);
	printf("cores     CPU s  M segments / s      wall s    switches\n");
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		measure(&program, cores[i], rounds, segments);
	printf("\n%.2f bytes a segment more while it runs\n",
	       (peak_bytes() - before) / (double)segments);
	sweep(&program);
	program_release(&program);
	return 0;
}
