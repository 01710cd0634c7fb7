/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/forecast_request.h"

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

static int read_model(struct forecast_request *request, struct err *err)
{
	const char *text = request->model_text;

	request->model = MODEL_ANY;
	if (!text)
		return 0;
	request->model = MODEL_CLOSED_FORM;
	if (strcmp(text, "closed-form") == 0)
		return 0;
	request->model = MODEL_REPLAY;
	if (strcmp(text, "replay") == 0)
		return 0;
	return err_set(err, "--model %s: the models are closed-form and replay", text);
}

/* What needs a replay is asked for with another model. */
static int check_model(const struct forecast_request *request, struct err *err)
{
	const char *asked = request->calibration.slowdown ? "--slowdown"
			    : request->spin		  ? "--spin"
			    : request->discrepancy_text	  ? "--discrepancy"
							  : why_options_name(&request->why);

	if (asked && request->model == MODEL_CLOSED_FORM)
		return err_set(err, "%s: is for replays, and --model asks for the closed form",
			       asked);
	return 0;
}

static int read_spin(struct forecast_request *request, struct err *err)
{
	const char *text = request->spin;

	request->spin_waits = text && strcmp(text, "waiting") == 0;
	if (text && !request->spin_waits && strcmp(text, "work") != 0)
		return err_set(err, "--spin %s: threads that spin are taken for work or waiting",
			       text);
	return 0;
}

static int read_discrepancy(struct forecast_request *request, struct err *err)
{
	const char *text = request->discrepancy_text;

	request->discrepancy = INTERVAL_DISCREPANCY;
	if (text && (fit_share_parse(&request->discrepancy, text) ||
		     !(request->discrepancy >= 0 && request->discrepancy <= 1)))
		return err_set(err, "--discrepancy %s: is not a share from 0 to 1 or a percentage",
			       text);
	return 0;
}

int forecast_request_read(struct forecast_request *request, struct err *err)
{
	if (calibration_options_check(&request->calibration, request->trace.common, err) ||
	    why_options_check(&request->why, err) || read_model(request, err) ||
	    read_spin(request, err) || read_discrepancy(request, err) || check_model(request, err))
		return -1;
	if (request->on &&
	    parse_list(&request->list, &request->count, request->on, 1, CORES_MAX, err))
		return err_wrap(err, "-k");
	request->listed = request->on != NULL;
	if (request->cores && (parse_u64(&request->measured_cores, request->cores, CORES_MAX) ||
			       !request->measured_cores))
		return err_set(err, "--cores %s: is not a number of cores", request->cores);
	return plotting_check(&request->plotting, request->trace.common, err);
}

int forecast_request_read_measured(struct forecast_request *request, struct err *err)
{
	struct csv_table *table;
	int rc;

	request->has_measured = request->measured_path != NULL;
	if (!request->measured_path)
		return 0;
	table = options_table(request->trace.common, request->measured_path, err);
	if (!table)
		return -1;
	rc = wall_times_read(&request->measured, table, err);
	csv_table_free(table);
	return rc;
}

void forecast_request_release(struct forecast_request *request)
{
	free(request->model_text);
	free(request->on);
	free(request->cores);
	free(request->spin);
	free(request->discrepancy_text);
	free(request->measured_path);
	calibration_options_release(&request->calibration);
	why_options_release(&request->why);
	free(request->list);
	wall_times_release(&request->measured);
	plotting_release(&request->plotting);
}

static void list_usual(struct forecast_request *request, const struct level_times *levels)
{
	request->list = xcalloc(DEFAULT_CORES, sizeof(*request->list));
	for (uint64_t cores = 1; request->count < DEFAULT_CORES; cores *= 2) {
		request->list[request->count++] = cores;
		if (cores >= levels->max_active && cores >= request->measured_cores)
			break;
	}
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_listed(const struct forecast_request *request, uint64_t cores)
{
	for (size_t i = 0; i < request->count; i++)
		if (request->list[i] == cores)
			return true;
	return false;
}

/* Behind what was asked for, among what is usual. */
static void list_measured(struct forecast_request *request)
{
	request->list = xreallocarray(request->list, request->count + request->measured.count,
				      sizeof(*request->list));
	for (size_t i = 0; i < request->measured.count; i++)
		if (!is_listed(request, request->measured.items[i].cores))
			request->list[request->count++] = request->measured.items[i].cores;
	if (!request->listed)
		qsort(request->list, request->count, sizeof(*request->list), compare);
}

void forecast_request_list(struct forecast_request *request, const struct level_times *levels)
{
	if (!request->listed)
		list_usual(request, levels);
	if (request->has_measured)
		list_measured(request);
}
