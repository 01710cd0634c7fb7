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

/* --- M/M/c ----------------------------------------------------------------------------------- */

/* The mean number of waiting requests in a pool of so many threads; `work` is the rate times the
 * mean visit. */
static double mmc_waiting(double work, unsigned threads)
{
	double term = 1, sum = 0, waits;

	if (work >= threads)
		return INFINITY;
	for (unsigned i = 0; i < threads; i++) {
		sum += term;
		term *= work / (i + 1);
	}
	waits = term * threads / (threads - work);
	return waits / (sum + waits) * work / (threads - work);
}

/* The mean visit in the recording, with all of its waits. */
static double recorded_visit_s(const struct server *recorded, const struct server_truth *truth,
			       size_t pool)
{
	return truth->pool_busy[pool] * recorded->pools[pool].threads / truth->throughput_per_s;
}

static void forecast_open_by_mmc(struct server_trial_row *row, const double *visits_s)
{
	const struct server *asked = row->asked;

	row->mmc.throughput_per_s = asked->rate_per_s;
	row->mmc.response_s = 0;
	for (size_t i = 0; i < asked->pool_count; i++) {
		double threads = asked->pools[i].threads;
		double waiting =
			mmc_waiting(asked->rate_per_s * visits_s[i], asked->pools[i].threads);

		row->mmc.response_s += visits_s[i] + waiting / asked->rate_per_s;
		row->mmc.throughput_per_s = fmin(row->mmc.throughput_per_s, threads / visits_s[i]);
	}
}

/*
 * Clients and pools are a closed network with a known distribution of requests: the convolution of
 * the weights of pools (Buzen). Times are relative to the slowest pool's.
 */
static void forecast_closed_by_mmc(struct server_trial_row *row, const double *visits_s)
{
	const struct server *asked = row->asked;
	unsigned clients = asked->clients;
	long double *sums = calloc(clients + 1, sizeof(*sums));
	double slowest_s = 0;

	for (size_t i = 0; i < asked->pool_count; i++)
		slowest_s = fmax(slowest_s, visits_s[i] / asked->pools[i].threads);
	sums[0] = 1;
	for (unsigned n = 1; n <= clients; n++)
		sums[n] = sums[n - 1] * (asked->think.mean_s / slowest_s) / n;
	for (size_t i = 0; i < asked->pool_count; i++)
		for (unsigned n = clients + 1; n--;) {
			long double weight = 1, sum = sums[n];

			for (unsigned k = 1; k <= n; k++) {
				weight *=
					visits_s[i] / slowest_s /
					(k < asked->pools[i].threads ? k : asked->pools[i].threads);
				sum += weight * sums[n - k];
			}
			sums[n] = sum;
		}
	row->mmc.throughput_per_s = (double)(sums[clients - 1] / sums[clients]) / slowest_s;
	row->mmc.response_s = clients / row->mmc.throughput_per_s - asked->think.mean_s;
	free(sums);
}

static void forecast_by_mmc(struct server_trial_row *row, const struct server *recorded,
			    const struct server_truth *truth)
{
	double visits_s[SERVER_POOLS_MAX];

	for (size_t i = 0; i < recorded->pool_count; i++)
		visits_s[i] = recorded_visit_s(recorded, truth, i);
	if (row->asked->clients)
		forecast_closed_by_mmc(row, visits_s);
	else
		forecast_open_by_mmc(row, visits_s);
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

/* Records the server in memory, as perf would. The caller closes the file; NULL: failed. */
static FILE *record(char path[40], struct server_truth *truth, const struct server *server,
		    uint64_t requests)
{
	struct server_run run = {.seed = 1, .requests = requests, .exact = true};

	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	if (!run.trace || server_run(truth, server, &run) || fflush(run.trace))
		return NULL;
	snprintf(path, 40, "/proc/self/fd/%d", fileno(run.trace));
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

static int extract_recorded(struct model *model, struct server_trial *trial,
			    struct server_truth *truth, const struct server *server,
			    uint64_t requests, struct err *err)
{
	char path[40];
	FILE *trace = record(path, truth, server, requests);
	int rc;

	if (!trace)
		return err_set(err, "a server of the tests is stuck: mend it");
	rc = extract(model, trial, path, err);
	fclose(trace);
	return rc;
}

/* --- A row ----------------------------------------------------------------------------------- */

/* MODEL_NONE: no pool has the name. */
static uint32_t find_pool(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->pool_count; i++)
		if (strcmp(model->pools[i].name, name) == 0)
			return (uint32_t)i;
	return model->pool_count == 1 ? 0 : MODEL_NONE;
}

static void take_result(struct server_trial_row *row, const struct model_result *result)
{
	row->grows = result->grows;
	row->growth_per_s = result->growth_per_s;
	row->throughput_per_s = result->throughput_per_s;
	row->response_s = result->response_s;
	row->response_p95_s = result->response_p95_s;
}

/* One simulation of the configuration. */
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
	take_result(row, &result);
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
		take_result(row, &made.rows[0].result);
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
	if (plan->intervals)
		return forecast(row, trial, model, pool, threads, err);
	return simulate(row, model, pool, threads, plan->precision, err);
}

int server_trial(struct server_trial *trial, struct server_case *drawn,
		 const struct server_trial_plan *plan, struct err *err)
{
	struct server_truth recorded = {.response_s = NAN};
	struct model_result checked = {0};
	struct model model;
	int rc;

	*trial = (struct server_trial){.row_count = 0};
	model_init(&model);
	if (plan->way == SERVER_BY_HAND) {
		drop_costs(drawn);
		rc = read_by_hand(&model, &drawn->recorded, err);
	} else {
		rc = extract_recorded(&model, trial, &recorded, &drawn->recorded, plan->recorded,
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
		row->recorded_s = recorded.response_s;
		row->mmc = (struct server_mmc){NAN, NAN};
		if (plan->way == SERVER_RECORDED)
			forecast_by_mmc(row, &drawn->recorded, &recorded);
		rc = try_row(trial, row, &model, drawn->pool, plan, err);
		trial->row_count += !rc && !trial->refused[0];
	}
	model_result_release(&checked);
	model_release(&model);
	return rc;
}
