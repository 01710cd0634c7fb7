/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/server_trial.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "decode/trace_input.h"
#include "model/extract/extract.h"
#include "model/file/model.h"
#include "model/file/model_file.h"
#include "model/forecast/model_forecast.h"
#include "model/simulate/model_run.h"
#include "replay/program/program_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- Other ways to forecast ------------------------------------------------------------------ */

/* The response of M/M/c, or of M/M/c//N with clients, by the mean visit of each pool. */
static double mmc_response_s(double rate_per_s, double service_s, unsigned servers)
{
	double load = rate_per_s * service_s, term = 1, sum = 0, waits;

	if (load >= servers)
		return INFINITY;
	for (unsigned i = 0; i < servers; i++) {
		sum += term;
		term *= load / (i + 1);
	}
	term *= servers / (servers - load);
	waits = term / (sum + term);
	return service_s + waits * service_s / (servers - load);
}

static double visit_s(const struct server_pool *pool)
{
	double sum_s = 0;

	for (size_t i = 0; i < pool->step_count; i++)
		sum_s += pool->steps[i].time.mean_s;
	return sum_s;
}

static double mmc_s(const struct server *server, double rate_per_s)
{
	double sum_s = 0;

	for (size_t i = 0; i < server->pool_count; i++)
		sum_s += mmc_response_s(rate_per_s, visit_s(&server->pools[i]),
					server->pools[i].threads);
	return sum_s;
}

/* --- The model ------------------------------------------------------------------------------- */

static int read_by_hand(struct model *model, const struct server *server, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int rc;

	server_write_model(file, server);
	fclose(file);
	rc = model_read_text(model, text, size, err);
	free(text);
	return rc;
}

/* What perf would have recorded of it, in memory. Returns the file that is to be closed, or NULL. */
static FILE *record(char path[40], double *response_s, const struct server *server,
		    uint64_t requests)
{
	struct server_run run = {.seed = 1, .requests = requests, .exact = true};
	struct server_truth truth;

	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	if (!run.trace || server_run(&truth, server, &run) || fflush(run.trace))
		return NULL;
	snprintf(path, 40, "/proc/self/fd/%d", fileno(run.trace));
	*response_s = truth.response_s;
	return run.trace;
}

static int read_program(struct program *program, const char *path, struct err *err)
{
	const struct selection all = {.pids = NULL};
	struct input *input = trace_input_open(path, INPUT_OF_ANYONE, err);
	struct event_source *source = input ? trace_input_read(input, err) : NULL;
	int rc;

	if (!source)
		return -1;
	rc = program_read_with_gaps(program, source, &all, err);
	event_source_free(source);
	return rc;
}

static int extract(struct model *model, struct server_trial *trial, const char *path,
		   struct err *err)
{
	struct model_findings findings = {.reason = NULL};
	struct program program = {0};
	int rc = read_program(&program, path, err);

	if (!rc) {
		rc = model_extract(model, &findings, &program, NULL, err);
		if (!rc && findings.reason)
			snprintf(trial->refused, sizeof(trial->refused), "%s", findings.reason);
		if (!rc)
			model_findings_release(&findings);
	}
	program_release(&program);
	return rc;
}

static int extract_recorded(struct model *model, struct server_trial *trial, double *response_s,
			    const struct server *server, uint64_t requests, struct err *err)
{
	char path[40];
	FILE *trace = record(path, response_s, server, requests);
	int rc;

	if (!trace)
		return err_set(err, "a server of the tests is stuck: mend it");
	rc = extract(model, trial, path, err);
	fclose(trace);
	return rc;
}

/* --- A row ----------------------------------------------------------------------------------- */

/* MODEL_NONE: there is none of the name. */
static uint32_t find_pool(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->pool_count; i++)
		if (strcmp(model->pools[i].name, name) == 0)
			return (uint32_t)i;
	return model->pool_count == 1 ? 0 : MODEL_NONE;
}

/* Once, in the configuration that is asked for. */
static int simulate(struct server_trial_row *row, const struct model *model, uint32_t pool,
		    unsigned threads, double precision, struct err *err)
{
	const struct model_run_request request = {.seed = 11, .precision = precision};
	struct model_result result;
	struct model other;
	int rc;

	model_copy(&other, model);
	other.machine.cores = row->asked->cores;
	other.sources[0].rate = row->asked->rate_per_s;
	other.sources[0].clients = row->asked->clients;
	other.pools[pool].threads = threads;
	rc = model_run(&result, &other, &request, err);
	model_release(&other);
	if (rc)
		return -1;
	row->grows = result.grows;
	row->throughput_per_s = result.throughput_per_s;
	row->response_s = result.response_s;
	row->response_p95_s = result.response_p95_s;
	model_result_release(&result);
	return 0;
}

static int forecast(struct server_trial_row *row, struct server_trial *trial,
		    const struct model *model, uint32_t pool, unsigned threads, struct err *err)
{
	double asked[] = {threads, row->asked->rate_per_s, row->asked->clients, row->asked->cores};
	const struct model_values none = {NULL, 0};
	const struct model_question question = {
		.pool = pool,
		.threads = {&asked[0], 1},
		.rates = row->asked->clients ? none : (struct model_values){&asked[1], 1},
		.clients = row->asked->clients ? (struct model_values){&asked[2], 1} : none,
		.cores = {&asked[3], 1},
		.think_s = NAN,
	};
	struct model_forecast made;

	if (model_forecast_make(&made, model, &question, err))
		return -1;
	if (made.refused || !made.row_count) {
		snprintf(trial->refused, sizeof(trial->refused), "%s",
			 made.reason ? made.reason : "there are no rows");
	} else {
		row->grows = made.rows[0].result.grows;
		row->throughput_per_s = made.rows[0].result.throughput_per_s;
		row->response_s = made.rows[0].result.response_s;
		row->response_p95_s = made.rows[0].result.response_p95_s;
		row->response_lo_s = made.rows[0].response_s.lo;
		row->response_hi_s = made.rows[0].response_s.hi;
	}
	model_forecast_release(&made);
	return 0;
}

/* --- All ------------------------------------------------------------------------------------- */

/* The truth of a model without costs has none either. */
static void drop_costs(struct server_case *drawn)
{
	for (size_t i = 0; i <= drawn->asked_count; i++) {
		struct server *server = i ? &drawn->asked[i - 1] : &drawn->recorded;

		server->call_s = server->wake_s = server->switch_s = 0;
	}
}

static int try_row(struct server_trial *trial, struct server_trial_row *row,
		   const struct model *model, unsigned drawn_pool,
		   const struct server_trial_plan *plan, struct err *err)
{
	unsigned threads = row->asked->pools[drawn_pool].threads;
	const struct server_run run = {.seed = 1000, .requests = plan->answered};
	uint32_t pool = find_pool(model, server_pool_name(drawn_pool));

	if (pool == MODEL_NONE || !model->source_count) {
		snprintf(trial->refused, sizeof(trial->refused),
			 "the model has no pool \"%s\", or no source",
			 server_pool_name(drawn_pool));
		return 0;
	}
	if (server_run(&row->truth, row->asked, &run))
		return err_set(err, "a server of the tests is stuck: mend it");
	row->response_lo_s = row->response_hi_s = NAN;
	row->mmc_s = mmc_s(row->asked, row->asked->clients ? row->truth.throughput_per_s
							   : row->asked->rate_per_s);
	if (plan->intervals)
		return forecast(row, trial, model, pool, threads, err);
	return simulate(row, model, pool, threads, plan->precision, err);
}

int server_trial(struct server_trial *trial, struct server_case *drawn,
		 const struct server_trial_plan *plan, struct err *err)
{
	double recorded_s = NAN;
	struct model_result checked = {0};
	struct model model;
	int rc;

	*trial = (struct server_trial){.row_count = 0};
	model_init(&model);
	if (plan->way == SERVER_BY_HAND) {
		drop_costs(drawn);
		rc = read_by_hand(&model, &drawn->recorded, err);
	} else {
		rc = extract_recorded(&model, trial, &recorded_s, &drawn->recorded, plan->recorded,
				      err);
		if (!rc && !trial->refused[0] && plan->intervals)
			rc = model_self_check(&checked, &model, err);
	}
	for (size_t i = 0; !rc && !trial->refused[0] && i < drawn->asked_count; i++) {
		struct server_trial_row *row = &trial->rows[trial->row_count];

		if (plan->rows && !strchr(plan->rows, '0' + (int)i))
			continue;
		row->asked = &drawn->asked[i];
		row->utilisation = drawn->utilisation[i];
		row->recorded_s = recorded_s;
		rc = try_row(trial, row, &model, drawn->pool, plan, err);
		trial->row_count += !rc && !trial->refused[0];
	}
	model_result_release(&checked);
	model_release(&model);
	return rc;
}
