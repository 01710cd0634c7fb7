/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/closed_form.h"

#include "base/err.h"
#include "stats/profile/wall_times.h"

#include <math.h>

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int closed_form_check(const struct level_times *levels, struct err *err)
{
	double share = (double)levels->unknown_ns / (double)levels->total_ns;

	if (!levels->total_ns)
		return err_set(err, "there is no forecast: the recording shows the target's "
				    "threads at one instant only; record while they run");
	if (share <= CLOSED_FORM_UNKNOWN_MOST)
		return 0;
	return err_set(err,
		       "there is no forecast: the number of threads ready is unknown for %.3g %% "
		       "of the wall time; choose other threads with --pid, --tid or --comm, or see "
		       "the flaws with 'pscal timeline --audit'",
		       100 * share);
}

double closed_form_wall_s(const struct level_times *levels, uint64_t measured_cores, uint64_t cores)
{
	double wall_ns = (double)levels->unknown_ns + (double)levels->wall_ns[0];

	for (uint64_t j = 1; j <= levels->max_active; j++)
		wall_ns += (double)levels->wall_ns[j] * (double)lesser(j, measured_cores) /
			   (double)lesser(j, cores);
	return wall_ns / 1e9;
}

struct closed_form closed_form(const struct level_times *levels, uint64_t measured_cores,
			       uint64_t cores)
{
	double one_s = closed_form_wall_s(levels, measured_cores, 1);
	double wall_s = closed_form_wall_s(levels, measured_cores, cores);

	return (struct closed_form){
		.cores = cores,
		.wall_s = wall_s,
		.speedup = one_s / wall_s,
		.efficiency = one_s / wall_s / (double)cores,
	};
}

double closed_form_error(const struct level_times *levels, uint64_t measured_cores,
			 const struct wall_time *time)
{
	return closed_form_wall_s(levels, measured_cores, time->cores) / time->mean_s - 1;
}

double closed_form_mean_error(const struct level_times *levels, uint64_t measured_cores,
			      const struct wall_times *times, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < times->count; i++) {
		if (times->items[i].cores == measured_cores)
			continue;
		sum += fabs(closed_form_error(levels, measured_cores, &times->items[i]));
		++*count;
	}
	return *count ? sum / (double)*count : NAN;
}
