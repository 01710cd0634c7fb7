/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/slowdown_read.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "cmd/options/options.h"
#include "collect/calibration/calibration.h"
#include "decode/event/event_source.h"
#include "replay/simulate/slowdown.h"
#include "report/forecast/report_forecast.h"
#include "report/progress.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int measure(struct calibration *calibration, const struct options *common, struct err *err)
{
	struct progress progress;
	struct calibration_request request = {.show = progress_show, .context = &progress};
	int rc;

	progress_begin(&progress, common->quiet);
	rc = calibration_measure(calibration, &request, err);
	progress_end(&progress);
	return rc;
}

static int print_calibration(const struct calibration *calibration, const char *path,
			     const struct options *common, struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	report_calibration(report, calibration, path);
	return report_finish(report, 0, err);
}

int slowdown_calibrate(const struct options *common, struct err *err)
{
	char *path = calibration_file_path(err);
	struct calibration calibration;
	struct err ignored;
	int rc;

	if (!path || measure(&calibration, common, err)) {
		free(path);
		return -1;
	}
	/* Measurements are printed even if they cannot be stored. */
	rc = calibration_file_write(path, &calibration, "", err);
	if (print_calibration(&calibration, rc ? NULL : path, common, rc ? &ignored : err))
		rc = -1;
	calibration_release(&calibration);
	free(path);
	return rc;
}

/*
 * Reads the slowdown of work that waits for memory `memory_share` of its time if alone on the
 * machine.
 */
static int from_calibration(struct slowdown *slowdown, double memory_share, struct err *err)
{
	char *path = calibration_file_path(err);
	struct calibration calibration;
	struct slowdown_point *points;
	int rc;

	if (!path || calibration_file_read(&calibration, path, "", err)) {
		free(path);
		return -1;
	}
	points = xcalloc(calibration.count, sizeof(*points));
	for (size_t i = 0; i < calibration.count; i++) {
		const double *factors = calibration.points[i].slowdown;

		points[i] = (struct slowdown_point){
			.cores = calibration.points[i].cores,
			.factor = (1 - memory_share) * factors[CALIBRATION_COMPUTE] +
				  memory_share * factors[CALIBRATION_MEMORY],
		};
	}
	rc = slowdown_init(slowdown, points, calibration.count, err);
	if (rc)
		err_wrap(err, "%s", path);
	free(points);
	calibration_release(&calibration);
	free(path);
	return rc;
}

static int from_rows(struct slowdown *slowdown, const struct csv_table *table, struct err *err)
{
	int cores = csv_table_find(table, "cores"), factor = csv_table_find(table, "slowdown");
	size_t count = csv_table_rows(table);
	struct slowdown_point *points;
	int rc = 0;

	if (cores < 0 || factor < 0)
		return err_set(err, "%s: needs the columns cores and slowdown",
			       csv_table_source(table));
	points = xcalloc(count, sizeof(*points));
	for (size_t i = 0; !rc && i < count; i++) {
		double number = 0;

		rc = csv_table_number(table, &number, i, (size_t)cores, err) ||
		     csv_table_number(table, &points[i].factor, i, (size_t)factor, err);
		if (!rc &&
		    !(number >= 1 && number <= SLOWDOWN_CORES_MAX && number == floor(number)))
			rc = err_set(err, "%s: %g is not a number of cores, 1 to %d",
				     csv_table_source(table), number, SLOWDOWN_CORES_MAX);
		points[i].cores = rc ? 0 : (uint64_t)number;
	}
	if (!rc && slowdown_init(slowdown, points, count, err))
		rc = err_wrap(err, "%s", csv_table_source(table));
	free(points);
	return rc ? -1 : 0;
}

static int from_file(struct slowdown *slowdown, const char *path, const struct options *common,
		     struct err *err)
{
	struct csv_table *table = options_table(common, path, err);
	int rc;

	if (!table)
		return -1;
	rc = from_rows(slowdown, table, err);
	csv_table_free(table);
	return rc;
}

struct run_noise speed_read(const struct event_source *source)
{
	const struct target_info *target = &source->target;
	struct run_noise speed = {.freedom = 0};
	struct calibration calibration;
	struct err ignored;
	char *path = calibration_file_path(&ignored);

	if (path && calibration_is_of("", target->cpu, target->online_count) &&
	    !calibration_file_read(&calibration, path, "", &ignored)) {
		double noise = calibration_speed_noise(&calibration);

		if (noise > 0)
			speed = (struct run_noise){noise, (double)(calibration.speed_count - 1)};
		calibration_release(&calibration);
	}
	free(path);
	return speed;
}

int slowdown_read(struct slowdown *slowdown, const char *text, const struct options *common,
		  struct err *err)
{
	double share;
	int rc;

	*slowdown = (struct slowdown){.count = 0};
	if (!text)
		return 0;
	if (strcmp(text, "compute") == 0)
		rc = from_calibration(slowdown, 0, err);
	else if (strcmp(text, "memory") == 0)
		rc = from_calibration(slowdown, 1, err);
	else if (!parse_double(&share, text))
		rc = share >= 0 && share <= 1
			     ? from_calibration(slowdown, share, err)
			     : err_set(err, "%s is not a share of memory-bound work, 0 to 1", text);
	else
		rc = from_file(slowdown, text, common, err);
	return rc ? err_wrap(err, "--slowdown") : 0;
}
