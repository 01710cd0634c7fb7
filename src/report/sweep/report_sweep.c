/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sweep/report_sweep.h"

#include "base/alloc.h"
#include "report/report.h"
#include "stats/series/series_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of CPUs busy with other programs that is more than the housekeeping of a machine. */
static const double disturbing_cpus = .1;

/* The factor between CPU times for the same work that is more than noise. */
static const double inflated = 1.25;

/* The factor between runs at the same N that makes medians of a few runs doubtful. */
static const double wide = 1.25;

static const struct column level_columns[] = {
	{"n", "N", UNIT_SHORT, FIELD(series_level, n)},
	{"runs", "runs", FIELD(series_level, runs)},
	{"throughput", "median", UNIT_SHORT, FIELD(series_level, throughput)},
	{"throughput_low", "min", UNIT_SHORT, FIELD(series_level, least)},
	{"throughput_high", "max", UNIT_SHORT, FIELD(series_level, most)},
	{"speedup", "speedup", UNIT_FACTOR, FIELD(series_level, speedup)},
	{"wall_s", "wall", UNIT_SPAN, FIELD(series_level, wall_s), .optional = true},
	{"cpu_s", "CPU time", UNIT_SPAN, FIELD(series_level, cpu_s), .optional = true},
	{"cpus_used", "CPUs used", UNIT_SHORT, FIELD(series_level, cpus)},
	{"cpu_inflation", FIELD(series_level, inflation)},
	{"others_cpus", "others use", UNIT_SHORT, FIELD(series_level, others), .optional = true},
};

/* The largest number of rows that fits one look. */
enum { ROWS = 12 };

static const struct table level_table = {
	.key = "levels", .in = REPORT_ALL, .top = ROWS, COLUMNS(level_columns)};

static void sweep_verdict(struct report *report, const struct series_sweep *sweep)
{
	const struct series_level *first = sweep->levels, *best = &sweep->levels[sweep->best];
	const struct series_level *last = &sweep->levels[sweep->count - 1];
	char value[VALUE_SIZE];

	format_value(value, best->throughput, UNIT_SHORT);
	if (sweep->count == 1)
		report_verdict(report, "Throughput at N = %g is %s, the median of %zu run%s.",
			       best->n, value, best->runs, plural(best->runs, "", "s"));
	else if (best == first)
		report_verdict(report,
			       "Throughput is highest at N = %g (%s); at N = %g it is %.2fx that.",
			       best->n, value, last->n, last->speedup);
	else
		report_verdict(report, "Throughput is highest at N = %g: %s, %.2fx that of N = %g.",
			       best->n, value, best->speedup, first->n);
}

char *sweep_full_text(size_t cpus, double n, double others, const char *meaning)
{
	char used[64] = "";

	if (others > 0)
		snprintf(used, sizeof(used), ", %.1f by other programs", others);
	return xasprintf("All %zu CPUs are busy from N = %.6g on%s%s%s.", cpus, n, used,
			 meaning ? ": " : "", meaning ? meaning : "");
}

/* Returns whether two factors are equal within a tenth. */
static bool is_near(double a, double b)
{
	return fabs(a / b - 1) < .1;
}

/* Alerts if the CPU time does not grow with the work that throughput is counted in. */
static void alert_inflation(struct report *report, const struct series_sweep *sweep)
{
	const struct series_level *first = sweep->levels, *level = &sweep->levels[sweep->inflated];
	double inflation = level->inflation, larger = level->n / first->n;
	char before[VALUE_SIZE], after[VALUE_SIZE];

	format_value(before, first->cpu_s, UNIT_SPAN);
	format_value(after, level->cpu_s, UNIT_SPAN);
	if (inflation > inflated && is_near(inflation, larger))
		report_alert(
			report,
			"CPU time grows with N (%s at N = %g, %s at N = %g): try --work '1*n'.",
			before, first->n, after, level->n);
	else if (inflation > inflated)
		report_alert(report,
			     "The same work takes %.2fx the CPU time at N = %g of that at N = %g: "
			     "see 'pscal stretch'.",
			     inflation, level->n, first->n);
	else if (inflation < 1 / inflated)
		report_alert(report,
			     "CPU time grows less than the work (%s at N = %g, %s at N = %g).",
			     before, first->n, after, level->n);
}

void report_sweep(struct report *report, const struct series_sweep *sweep)
{
	const struct series_level *widest = &sweep->levels[sweep->widest];
	bool disturbed = sweep->others >= disturbing_cpus;
	bool beyond = sweep->count && sweep->full_n < sweep->levels[sweep->count - 1].n;
	char *full;

	if (!sweep->count)
		return;
	full = sweep_full_text(sweep->cpus, sweep->full_n, disturbed ? sweep->others : 0,
			       disturbed ? "use an idle machine"
			       : beyond	 ? "beyond it threads wait for a CPU"
					 : NULL);
	sweep_verdict(report, sweep);
	report_alert_if(report, widest->most / widest->least > wide,
			"Runs at N = %g differ by a factor of %.2f: repeat them (-r).", widest->n,
			widest->most / widest->least);
	report_alert_if(report, !isnan(sweep->full_n), "%s", full);
	alert_inflation(report, sweep);
	report_alert_if(report, disturbed && isnan(sweep->full_n),
			"Other programs used up to %.1f CPUs: measure again on an idle machine.",
			sweep->others);
	report_table(report, &level_table, sweep->levels, sweep->count);
	free(full);
}

int report_sweep_check_order(const char *sort, struct err *err)
{
	struct report *report = report_open("/dev/null", REPORT_TEXT, err);

	if (!report)
		return -1;
	report_choose_rows(report, 0, sort);
	report_table(report, &level_table, (struct series_level *)NULL, 0);
	return report_finish(report, 0, err);
}
