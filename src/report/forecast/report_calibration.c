/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_calibration.h"

#include <math.h>

/* More than the housekeeping of a machine. */
static const double disturbing_cpus = .1;

/* Medians of some tens of rounds are a few times as good as one; this is noise all the same. */
static const double noisy_share = .1;

static const struct column fact_columns[] = {
	{"path", "kept in", UNIT_NONE, 0},
	{"buffer_bytes", "bytes of each buffer", UNIT_NONE, 0},
	{"others_cpus", "CPUs busy with others", UNIT_DECIMAL, 0},
};

static const struct table fact_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = fact_columns,
	.column_count = sizeof(fact_columns) / sizeof(fact_columns[0]),
};

static const struct column point_columns[] = {
	{"cores", "busy cores", UNIT_NONE, 0},	   {"compute_slowdown", "compute", UNIT_FACTOR, 0},
	{"compute_noise", "noise", UNIT_SHARE, 0}, {"memory_slowdown", "memory", UNIT_FACTOR, 0},
	{"memory_noise", "noise", UNIT_SHARE, 0},
};

static const struct table point_table = {
	.key = "calibration",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = point_columns,
	.column_count = sizeof(point_columns) / sizeof(point_columns[0]),
};

static double largest_noise(const struct calibration *calibration)
{
	double largest = 0;

	for (size_t i = 0; i < calibration->count; i++)
		for (int kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
			largest = fmax(largest, calibration->points[i].noise[kernel] /
							calibration->points[i].slowdown[kernel]);
	return largest;
}

static void warn(struct report *report, const struct calibration *calibration)
{
	if (calibration->others >= disturbing_cpus)
		report_warning(report,
			       "Meanwhile something else kept %.1f CPUs busy on the average: "
			       "calibrate again when it is quiet.",
			       calibration->others);
	else if (largest_noise(calibration) > noisy_share)
		report_warning(report,
			       "The rounds differ by %.0f %%: something else uses the machine, or "
			       "the one that it is a guest of.",
			       100 * largest_noise(calibration));
}

void report_calibration(struct report *report, const struct calibration *calibration,
			const char *path)
{
	report_begin(report, &fact_table);
	report_row(report,
		   (struct cell[]){cell_text(path), cell_count((int64_t)calibration->buffer_bytes),
				   calibration->others < 0 ? cell_null()
							   : cell_number(calibration->others)});
	report_end(report);
	report_begin(report, &point_table);
	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibration_point *point = &calibration->points[i];

		report_row(report, (struct cell[]){
					   cell_count(point->cores),
					   cell_number(point->slowdown[CALIBRATION_COMPUTE]),
					   cell_number(point->noise[CALIBRATION_COMPUTE] /
						       point->slowdown[CALIBRATION_COMPUTE]),
					   cell_number(point->slowdown[CALIBRATION_MEMORY]),
					   cell_number(point->noise[CALIBRATION_MEMORY] /
						       point->slowdown[CALIBRATION_MEMORY]),
				   });
	}
	report_end(report);
	report_note(report,
		    "So many times as long takes work while so many cores are busy: computing in "
		    "registers, and streaming through memory. Programs are in between. Noise is "
		    "the scatter of the rounds, of which these are medians.");
	warn(report, calibration);
}
