/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/forecast_options.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "cmd/options/fit_claims.h"
#include "replay/forecast/variation.h"
#include "stats/profile/levels.h"

#include <stdlib.h>
#include <string.h>

enum { CORES_MAX = 1 << 20, DEFAULT_CORES = 20 };

static int read_model(struct forecast_options *options, struct err *err)
{
	const char *text = options->model;

	options->request.model = FORECAST_ANY;
	if (!text)
		return 0;
	options->request.model = FORECAST_CLOSED_FORM;
	if (strcmp(text, "closed-form") == 0)
		return 0;
	options->request.model = FORECAST_REPLAY;
	if (strcmp(text, "replay") == 0)
		return 0;
	return err_set(err, "--model %s: the models are closed-form and replay", text);
}

/* A question that needs a replay is asked of another model. */
static int check_model(const struct forecast_options *options, struct err *err)
{
	const char *asked = options->calibration.slowdown ? "--slowdown"
			    : options->spin		  ? "--spin"
			    : options->discrepancy	  ? "--discrepancy"
							  : forecast_question(&options->request);

	if (asked && options->request.model == FORECAST_CLOSED_FORM)
		return err_set(err, "%s: is for replays, and --model asks for the closed form",
			       asked);
	return 0;
}

static int read_spin(struct forecast_options *options, struct err *err)
{
	const char *text = options->spin;

	options->request.spin_waits = text && strcmp(text, "waiting") == 0;
	if (text && !options->request.spin_waits && strcmp(text, "work") != 0)
		return err_set(err, "--spin %s: threads that spin are taken for work or waiting",
			       text);
	return 0;
}

static int read_discrepancy(struct forecast_options *options, struct err *err)
{
	double *share = &options->request.discrepancy;
	const char *text = options->discrepancy;

	*share = INTERVAL_DISCREPANCY;
	if (text && (fit_share_parse(share, text) || !(*share >= 0 && *share <= 1)))
		return err_set(err, "--discrepancy %s: is not a share from 0 to 1 or a percentage",
			       text);
	return 0;
}

/* Names may hold a "=", shares do not. */
static int read_change(struct forecast_change *change, const char *text, struct err *err)
{
	const char *sign = strrchr(text, '=');

	if (!sign || sign == text || fit_share_parse(&change->share, sign + 1) ||
	    !(change->share >= 0 && change->share <= 1))
		return err_set(err,
			       "--what-if %s: give SITE=SHARE, with a share from 0 to 1 or a "
			       "percentage",
			       text);
	change->text = text;
	change->site = xstrdup(text);
	change->site[sign - text] = '\0';
	return 0;
}

static int read_changes(struct forecast_options *options, struct err *err)
{
	size_t count = 0;

	options->request.why = options->why;
	options->request.usl = options->usl;
	while (options->what_ifs && options->what_ifs[count])
		count++;
	if (!count)
		return 0;
	options->changes = xcalloc(count, sizeof(*options->changes));
	options->request.changes = options->changes;
	for (size_t i = 0; i < count; i++) {
		if (read_change(&options->changes[i], options->what_ifs[i], err))
			return -1;
		options->request.change_count++;
	}
	return 0;
}

int forecast_options_read(struct forecast_options *options, struct err *err)
{
	struct forecast_request *request = &options->request;

	if (calibration_options_check(&options->calibration, options->trace.common, err) ||
	    read_changes(options, err) || read_model(options, err) || read_spin(options, err) ||
	    read_discrepancy(options, err) || check_model(options, err))
		return -1;
	if (options->on &&
	    parse_list(&options->cores, &request->count, options->on, 1, CORES_MAX, err))
		return err_wrap(err, "-k");
	request->listed = options->on != NULL;
	if (options->measured_on &&
	    (parse_u64(&request->measured_cores, options->measured_on, CORES_MAX) ||
	     !request->measured_cores))
		return err_set(err, "--cores %s: is not a number of cores", options->measured_on);
	return plotting_check(&options->plotting, options->trace.common, err);
}

int forecast_options_read_measured(struct forecast_options *options, struct err *err)
{
	struct csv_table *table;
	int rc;

	options->has_measured = options->measured_path != NULL;
	if (!options->measured_path)
		return 0;
	table = options_table(options->trace.common, options->measured_path, err);
	if (!table)
		return -1;
	rc = wall_times_read(&options->measured, table, err);
	csv_table_free(table);
	return rc;
}

void forecast_options_release(struct forecast_options *options)
{
	for (size_t i = 0; i < options->request.change_count; i++)
		free(options->changes[i].site);
	free(options->changes);
	free(options->cores);
	wall_times_release(&options->measured);
}

/* --- Numbers of cores ----------------------------------------------------------------------- */

static void list_usual(struct forecast_options *options, const struct level_times *levels)
{
	struct forecast_request *request = &options->request;

	options->cores = xcalloc(DEFAULT_CORES, sizeof(*options->cores));
	for (uint64_t cores = 1; request->count < DEFAULT_CORES; cores *= 2) {
		options->cores[request->count++] = cores;
		if (cores >= levels->max_active && cores >= request->measured_cores)
			break;
	}
}

static int compare_cores(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_listed(const struct forecast_options *options, uint64_t cores)
{
	for (size_t i = 0; i < options->request.count; i++)
		if (options->cores[i] == cores)
			return true;
	return false;
}

/* Behind those that were asked for, among the usual ones. */
static void list_measured(struct forecast_options *options)
{
	size_t *count = &options->request.count;

	options->cores = xreallocarray(options->cores, *count + options->measured.count,
				       sizeof(*options->cores));
	for (size_t i = 0; i < options->measured.count; i++)
		if (!is_listed(options, options->measured.items[i].cores))
			options->cores[(*count)++] = options->measured.items[i].cores;
	if (!options->request.listed)
		qsort(options->cores, *count, sizeof(*options->cores), compare_cores);
}

void forecast_options_list(struct forecast_options *options, const struct level_times *levels)
{
	if (!options->request.listed)
		list_usual(options, levels);
	if (options->has_measured)
		list_measured(options);
	options->request.cores = options->cores;
}
