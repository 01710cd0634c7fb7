/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/parse.h"
#include "collect/calibration/calibration_run.h"
#include "collect/kernel/cpu_list.h"
#include "collect/sweep/conditions.h"

#include <gsl/gsl_statistics_double.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS_MIN = 7, ROUNDS_MAX = 31, EACH_UP_TO = 8, CACHES_MAX = 16 };

static const double usual_sample_s = .025, usual_total_s = 3;

/* What is taken where the machine does not tell of its caches: larger than most are. */
static const uint64_t unknown_cache_bytes = 64 << 20;

uint64_t calibration_cache_bytes(const char *root, int cpu)
{
	uint64_t largest = 0;

	for (int i = 0; i < CACHES_MAX; i++) {
		char *path =
			xasprintf("%s" CPU_ORDER_SYS "/cpu%d/cache/index%d/size", root, cpu, i);
		FILE *file = fopen(path, "re");
		char text[32] = "";
		uint64_t bytes;
		struct err ignored;

		free(path);
		if (!file)
			break;
		if (fscanf(file, "%31s", text) == 1 && !parse_size(&bytes, text, &ignored) &&
		    bytes > largest)
			largest = bytes;
		fclose(file);
	}
	return largest;
}

/* Of each thread; no more than a half of what is free in all. */
static int choose_buffer(struct calibration_bench *bench, struct err *err)
{
	uint64_t cache = calibration_cache_bytes("", bench->cpus[0]);
	uint64_t bytes = 2 * (cache ? cache : unknown_cache_bytes);
	uint64_t free_bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	bench->buffer_bytes = bytes;
	if (bytes > free_bytes / 2 / bench->cpu_count)
		return err_set(err,
			       "there is not enough free memory for %zu buffers of %zu MB, twice "
			       "the largest cache; calibrate on fewer cores with taskset(1)",
			       bench->cpu_count, (size_t)(bytes >> 20));
	return 0;
}

static void choose_points(struct calibration *calibration, size_t cores)
{
	calibration->points = xcalloc(cores, sizeof(*calibration->points));
	for (size_t b = 1; b < cores; b += b < EACH_UP_TO ? 1 : b / 4)
		calibration->points[calibration->count++].cores = (unsigned)b;
	calibration->points[calibration->count++].cores = (unsigned)cores;
}

/* [kernel][point][round] of a table */
static double *slowdowns_of(double *table, const struct calibration *calibration, size_t rounds,
			    size_t kernel, size_t point)
{
	return table + (kernel * calibration->count + point) * rounds;
}

static int measure_round(double *table, const struct calibration *calibration,
			 struct calibration_bench *bench, size_t rounds, size_t round,
			 struct err *err)
{
	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
		double alone = 0, rate;

		for (size_t point = 0; point < calibration->count; point++) {
			if (calibration_run(&rate, bench, (enum calibration_kernel)kernel,
					    calibration->points[point].cores, err))
				return -1;
			if (!point)
				alone = rate;
			slowdowns_of(table, calibration, rounds, kernel, point)[round] =
				alone / rate;
		}
	}
	return 0;
}

static void summarise(struct calibration *calibration, double *table, size_t rounds)
{
	double *work = xcalloc(rounds, sizeof(*work));

	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
		for (size_t i = 0; i < calibration->count; i++) {
			double *values = slowdowns_of(table, calibration, rounds, kernel, i);
			struct calibration_point *point = &calibration->points[i];

			point->noise[kernel] = gsl_stats_mad(values, 1, rounds, work);
			point->slowdown[kernel] = gsl_stats_median(values, 1, rounds);
		}
	free(work);
}

static double own_cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int measure_rounds(struct calibration *calibration, struct calibration_bench *bench,
			  const struct calibration_request *request, size_t rounds, struct err *err)
{
	double busy_s = cpu_busy_s(""), cpu_s = own_cpu_s();
	uint64_t begin_ns = monotonic_ns();
	double *table = xcalloc(CALIBRATION_KERNELS * calibration->count * rounds, sizeof(*table));
	int rc = 0;

	for (size_t round = 0; !rc && round < rounds; round++) {
		rc = measure_round(table, calibration, bench, rounds, round, err);
		if (request->show)
			request->show(request->context, round + 1, rounds);
	}
	if (!rc) {
		double after_s = cpu_busy_s("");

		summarise(calibration, table, rounds);
		calibration->others = cpu_busy_others(
			busy_s < 0 || after_s < 0 ? -1 : after_s - busy_s, own_cpu_s() - cpu_s,
			(double)(monotonic_ns() - begin_ns) / 1e9);
	}
	free(table);
	return rc;
}

static size_t usual_rounds(size_t points, double sample_s)
{
	double rounds = usual_total_s / ((double)(points * CALIBRATION_KERNELS) * sample_s * 1.2);

	if (rounds < ROUNDS_MIN)
		return ROUNDS_MIN;
	return rounds > ROUNDS_MAX ? ROUNDS_MAX : (size_t)rounds;
}

int calibration_measure(struct calibration *calibration, const struct calibration_request *request,
			struct err *err)
{
	struct calibration_bench bench = {.sample_s = request->sample_s > 0 ? request->sample_s
									    : usual_sample_s};
	struct cpu_mask allowed = {{false}};
	struct cpu_list order;
	int rc;

	*calibration = (struct calibration){.others = -1};
	if (cpu_mask_add_affinity(&allowed, 0))
		return err_set(err, "cannot tell on which CPUs this may run: %m");
	cpu_order(&order, &allowed, CPU_ORDER_SYS);
	bench.cpus = order.cpus;
	bench.cpu_count = order.count;
	choose_points(calibration, order.count);
	rc = choose_buffer(&bench, err);
	calibration->buffer_bytes = bench.buffer_bytes;
	if (!rc)
		rc = measure_rounds(calibration, &bench, request,
				    request->rounds
					    ? request->rounds
					    : usual_rounds(calibration->count, bench.sample_s),
				    err);
	calibration_bench_release(&bench);
	cpu_list_release(&order);
	if (rc)
		calibration_release(calibration);
	return rc;
}

void calibration_release(struct calibration *calibration)
{
	free(calibration->points);
	*calibration = (struct calibration){.others = -1};
}
