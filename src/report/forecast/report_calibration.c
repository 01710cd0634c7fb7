/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration.h"

#include "report/forecast/report_forecast.h"
#include "report/report.h"

#include <math.h>

/* More CPU use than the housekeeping of a machine. */
static const double disturbing_cpus = .1;

/* The noise of a round above which all are doubtful; their median has a fraction of it. */
static const double noisy_share = .1;

struct facts {
	const char *path;
	uint64_t buffer_bytes;
	double others, speed_noise;
	size_t calibrations;
};

static const struct column fact_columns[] = {
	{"path", "kept in", FIELD(facts, path)},
	{"buffer_bytes", "bytes of each buffer", FIELD(facts, buffer_bytes)},
	{"others_cpus", "CPUs used by other programs", UNIT_DECIMAL, FIELD(facts, others)},
	{"speed_noise", FIELD(facts, speed_noise)},
	{"calibrations", FIELD(facts, calibrations)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

struct point {
	unsigned cores;
	double compute, compute_noise, memory, memory_noise; /* noise relative to the slowdown */
};

static const struct column point_columns[] = {
	{"cores", "busy cores", FIELD(point, cores)},
	{"compute_slowdown", "compute", UNIT_FACTOR, FIELD(point, compute)},
	{"compute_noise", "noise", UNIT_SHARE, FIELD(point, compute_noise)},
	{"memory_slowdown", "memory", UNIT_FACTOR, FIELD(point, memory)},
	{"memory_noise", "noise", UNIT_SHARE, FIELD(point, memory_noise)},
};
static const struct table point_table = {
	.key = "calibration", .in = REPORT_ALL, COLUMNS(point_columns)};

static double noise_share(const struct calibration_point *point, enum calibration_kernel kernel)
{
	return point->noise[kernel] / point->slowdown[kernel];
}

/* Returns the largest noise. */
static double put_points(struct report *report, const struct calibration *calibration)
{
	double largest = 0;

	report_begin(report, &point_table);
	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibration_point *point = &calibration->points[i];
		struct point row = {point->cores, point->slowdown[CALIBRATION_COMPUTE],
				    noise_share(point, CALIBRATION_COMPUTE),
				    point->slowdown[CALIBRATION_MEMORY],
				    noise_share(point, CALIBRATION_MEMORY)};

		report_row(report, &row);
		largest = fmax(largest, fmax(row.compute_noise, row.memory_noise));
	}
	report_end(report);
	return largest;
}

/* Reports the variation of speed in intervals; one calibration is too short to show it. */
static void say_speed(struct report *report, const struct calibration *calibration)
{
	size_t count = calibration->speed_count;
	double noise = calibration_speed_noise(calibration);

	report_remark_if(report, !isnan(noise),
			 "The speed of a core differs by %.2g %% between %zu calibrations; the "
			 "intervals of forecasts for this machine include that.",
			 100 * noise, count);
	report_remark_if(report, isnan(noise),
			 "Calibrate at %d different times or more (%zu so far): intervals then "
			 "include the variation of this machine's speed.",
			 CALIBRATION_SPEEDS_LEAST, count);
}

void report_calibration(struct report *report, const struct calibration *calibration,
			const char *path)
{
	const struct calibration_point *last = &calibration->points[calibration->count - 1];
	double others = calibration->others, noise;
	struct facts facts = {path, calibration->buffer_bytes, others < 0 ? (double)NAN : others,
			      calibration_speed_noise(calibration), calibration->speed_count};

	report_verdict(
		report,
		"With %u busy core%s computing takes %.2fx and memory-bound work %.2fx the time.",
		last->cores, plural(last->cores, "", "s"), last->slowdown[CALIBRATION_COMPUTE],
		last->slowdown[CALIBRATION_MEMORY]);
	report_alert_if(report, others >= disturbing_cpus,
			"Other programs used %.1f CPUs: calibrate again on an idle machine.",
			others);
	noise = put_points(report, calibration);
	report_alert_if(report, others < disturbing_cpus && noise > noisy_share,
			"The rounds differ by %.0f %%: something else used this machine, or its "
			"host.",
			100 * noise);
	report_table(report, &fact_table, &facts, 1);
	say_speed(report, calibration);
	report_detail(report,
		      "Medians of some tens of rounds, relative to one busy core: computing in "
		      "registers, and streaming through memory. Noise is the scatter of the "
		      "rounds.");
	report_next_step(report, "pscal forecast --slowdown memory");
}
