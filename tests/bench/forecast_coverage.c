/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_coverage SEEDS [CLASS]: how often the interval of a forecast holds the wall time of
 * another run, for programs of each class that are recorded once, on 1, 2 and 4 cores, and forecast
 * for 1 to 16.
 *
 * Other runs differ in the noise of the scheduler alone, or also in their work: the same program
 * with lengths that are drawn anew from the same distributions. An interval of 90 % should hold 90
 * % of the latter.
 *
 * A second table is of a machine whose speed varies: each recording and each run has a speed of its
 * own, and the forecast knows some calibrations or none.
 */
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "mock/machine.h"
#include "replay/forecast/forecast_points.h"
#include "replay/forecast/variation.h"
#include "replay/program/program_read.h"
#include "replay/recognise/recognise.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RUNS = 8, POINTS = 5 };

static const uint64_t cores_of[POINTS] = {1, 2, 4, 8, 16};
static const unsigned recorded_on[] = {1, 2, 4};
static const char *const calls_names[] = {"none", "futex", "all"};

static const struct kind {
	const char *class_name;
	enum mock_calls calls;
} kinds[] = {
	{"fork-join", MOCK_CALLS_NONE}, {"pipeline", MOCK_CALLS_NONE}, {"sleep", MOCK_CALLS_NONE},
	{"unequal", MOCK_CALLS_NONE},	{"pool", MOCK_CALLS_NONE},     {"tree", MOCK_CALLS_NONE},
	{"farm", MOCK_CALLS_NONE},	{"pool", MOCK_CALLS_ALL},      {"farm", MOCK_CALLS_ALL},
	{"locks", MOCK_CALLS_ALL},	{"nested", MOCK_CALLS_ALL},    {"readers", MOCK_CALLS_ALL},
};

/* The wall times of all runs: [noise alone, other work too][run][point]. */
struct runs {
	double wall_s[2][RUNS][POINTS];
};

/* A machine whose speed varies, with calibrations at other times. */
struct machine_speed {
	gsl_rng *rng; /* NULL: the speed does not vary */
	double noise; /* standard deviation of the logarithm of the speed */
	size_t calibrations;
};

enum { CALIBRATIONS_MOST = 32 };

struct row {
	size_t held[2], below, above, tried, points;
	double width, error, scatter;
	size_t none; /* forecasts without an interval */
};

static void fail(const struct err *err)
{
	fprintf(stderr, "forecast_coverage: %s\n", err->text);
	exit(1);
}

/* A random speed of the machine, as a factor of all times. */
static double draw_speed(const struct machine_speed *speed)
{
	return speed->rng ? exp(gsl_ran_gaussian(speed->rng, speed->noise)) : 1;
}

static void run_again(struct runs *runs, const char *class_name, unsigned long seed,
		      const struct machine_speed *speed)
{
	for (unsigned i = 0; i < RUNS; i++)
		for (unsigned again = 0; again < 2; again++) {
			struct mock_program *program =
				mock_program_again(class_name, seed, again ? 1000 * seed + i : 0);

			mock_program_scale_work(program, draw_speed(speed));
			for (size_t k = 0; k < POINTS; k++) {
				const struct mock_run run = {.cores = (unsigned)cores_of[k],
							     .seed = 1000 + i};

				runs->wall_s[again][i][k] = (double)mock_run(program, &run) / 1e9;
			}
			mock_program_free(program);
		}
}

static void record(struct program *read, const struct mock_program *program,
		   const struct mock_run *how, struct err *err)
{
	const struct selection all = {.pids = NULL};
	int descriptor = memfd_create("trace", MFD_CLOEXEC);
	struct event_source *source;
	struct mock_run run = *how;
	struct recognised recognised;
	struct input *input;
	char path[40];

	run.trace = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	if (!run.trace || !mock_run(program, &run) || fflush(run.trace))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	input = trace_input_open(path, INPUT_OF_ANYONE, err);
	source = input ? trace_input_read(input, err) : NULL;
	*read = (struct program){0};
	if (!source || program_read(read, source, &all, err))
		fail(err);
	event_source_free(source);
	fclose(run.trace);
	recognise(read, &recognised);
}

static void add_point(struct row *row, const struct forecast_point *point, const struct runs *runs,
		      size_t k)
{
	double sums[2] = {0}, squares = 0;

	if (isnan(point->lo_s)) {
		row->none++;
		return;
	}
	for (unsigned i = 0; i < RUNS; i++)
		for (unsigned again = 0; again < 2; again++) {
			double wall_s = runs->wall_s[again][i][k];

			row->held[again] += wall_s >= point->lo_s && wall_s <= point->hi_s;
			row->below += again && wall_s < point->lo_s;
			row->above += again && wall_s > point->hi_s;
			sums[again] += wall_s / RUNS;
			squares += again ? wall_s * wall_s / RUNS : 0;
		}
	row->tried += RUNS;
	row->points++;
	row->width += (point->hi_s - point->lo_s) / point->wall_s;
	row->error += fabs(point->wall_s / sums[0] - 1);
	row->scatter += sqrt(fmax(squares - sums[1] * sums[1], 0)) / sums[1];
}

/* The variation of the speed as calibrations show it; without calibrations it is unknown. */
static struct run_noise calibrate(const struct machine_speed *speed)
{
	double logs[CALIBRATIONS_MOST];

	for (size_t i = 0; i < speed->calibrations; i++)
		logs[i] = gsl_ran_gaussian(speed->rng, speed->noise);
	return speed->calibrations ? (struct run_noise){gsl_stats_sd(logs, 1, speed->calibrations),
							(double)(speed->calibrations - 1)}
				   : (struct run_noise){0, 0};
}

static void add_forecast(struct row *row, const struct kind *kind, unsigned long seed,
			 unsigned recorded_cores, const struct runs *runs,
			 const struct machine_speed *speed)
{
	struct mock_program *program = mock_program_new(kind->class_name, seed);
	const struct mock_run how = {
		.cores = recorded_cores, .seed = 1, .calls = kind->calls, .layout = MOCK_TRACE_CMD};
	const struct variation_request request = {.speed = calibrate(speed)};
	struct machine machine = {.cores = 1};
	struct forecast_points replayed;
	struct program read;
	struct err err = {.text = ""};

	mock_program_scale_work(program, draw_speed(speed));
	record(&read, program, &how, &err);
	machine.costs = read.costs;
	if (forecast_points_init(&replayed, &read, &machine, recorded_cores, 0, cores_of, POINTS,
				 &err))
		fail(&err);
	scale_to_measured(&replayed, &read);
	if (variation_add(&replayed, &read, &machine, &request, &err))
		fail(&err);
	for (size_t k = 0; k < POINTS; k++)
		add_point(row, forecast_points_find(&replayed, cores_of[k]), runs, k);
	forecast_points_release(&replayed);
	program_release(&read);
	mock_program_free(program);
}

static void print_row(const struct row *row, const char *name, const char *calls, unsigned cores)
{
	double tried = (double)row->tried, points = (double)row->points;

	if (!row->points) {
		printf("%-10s %-6s %2u  no intervals: too few steps are alike\n", name, calls,
		       cores);
		return;
	}
	printf("%-10s %-6s %2u  %6.1f %6.1f %6.1f %6.1f  %6.2f  %6.2f  %6.2f  %4zu\n", name, calls,
	       cores, 100 * (double)row->held[0] / tried, 100 * (double)row->held[1] / tried,
	       100 * (double)row->below / tried, 100 * (double)row->above / tried,
	       100 * row->width / points, 100 * row->scatter / points, 100 * row->error / points,
	       row->none);
}

static void add_row(struct row *sum, const struct row *row)
{
	sum->held[0] += row->held[0];
	sum->held[1] += row->held[1];
	sum->below += row->below;
	sum->above += row->above;
	sum->tried += row->tried;
	sum->points += row->points;
	sum->width += row->width;
	sum->error += row->error;
	sum->scatter += row->scatter;
	sum->none += row->none;
}

static void measure(struct row *all, const struct kind *kind, unsigned long seeds)
{
	const struct machine_speed steady = {.rng = NULL};
	struct row rows[sizeof(recorded_on) / sizeof(*recorded_on)] = {0};

	for (unsigned long seed = 1; seed <= seeds; seed++) {
		struct runs runs;

		run_again(&runs, kind->class_name, seed, &steady);
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			add_forecast(&rows[i], kind, seed, recorded_on[i], &runs, &steady);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_row(&rows[i], kind->class_name, calls_names[kind->calls], recorded_on[i]);
		add_row(all, &rows[i]);
	}
	fflush(stdout);
}

/* Forecasts of all classes, recorded on two cores. */
static void measure_speed(const struct machine_speed *speed, unsigned long seeds, const char *only)
{
	struct row row = {.none = 0};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (unsigned long seed = 1; seed <= seeds; seed++) {
			struct runs runs;

			if (only && strcmp(only, kinds[i].class_name) != 0)
				continue;
			run_again(&runs, kinds[i].class_name, seed, speed);
			add_forecast(&row, &kinds[i], seed, 2, &runs, speed);
		}
	printf("%9.0f %12zu  %6.1f %6.1f %6.1f %6.1f  %6.1f\n", 100 * speed->noise,
	       speed->calibrations, 100 * (double)row.held[0] / (double)row.tried,
	       100 * (double)row.held[1] / (double)row.tried,
	       100 * (double)row.below / (double)row.tried,
	       100 * (double)row.above / (double)row.tried, 100 * row.width / (double)row.points);
	fflush(stdout);
}

static void measure_speeds(unsigned long seeds, const char *only)
{
	static const double noises[] = {.05, .15, .3};
	static const size_t calibrations[] = {0, 3, 10};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

	printf("\nA machine whose speed differs by so much from run to run, and calibrations at so "
	       "many "
	       "times;\n"
	       "recorded on 2 cores. In %%: as above.\n\n%9s %12s  %6s %6s %6s %6s  %6s\n",
	       "variation", "calibrations", "same", "anew", "below", "above", "width");
	for (size_t i = 0; i < 9; i++) {
		const struct machine_speed speed = {rng, noises[i / 3], calibrations[i % 3]};

		gsl_rng_set(rng, 1);
		measure_speed(&speed, seeds, only);
	}
	gsl_rng_free(rng);
}

int main(int argc, char **argv)
{
	unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct row all = {0};

	if (!seeds) {
		fprintf(stderr, "forecast_coverage: of how many SEEDS?\n");
		return 2;
	}
	printf("%lu programs of each class, recorded once on k1 cores and forecast for 1 to 16, "
	       "%d\n"
	       "other runs of each. In %%: runs that the interval holds, where the work is the "
	       "same\n"
	       "and where it is drawn anew; its width; the scatter of those runs; the error.\n\n",
	       seeds, RUNS);
	printf("%-10s %-6s %2s  %6s %6s %6s %6s  %6s  %6s  %6s  %4s\n", "class", "calls", "k1",
	       "same", "anew", "below", "above", "width", "scatter", "error", "none");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc < 3 || !strcmp(argv[2], kinds[i].class_name))
			measure(&all, &kinds[i], seeds);
	print_row(&all, "all", "", 0);
	measure_speeds(seeds, argc < 3 ? NULL : argv[2]);
	return 0;
}
