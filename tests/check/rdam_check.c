/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/rdam_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "check/bytes_check.h"
#include "report/rdam/report_rdam.h"
#include "report/report.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- Rows ---------------------------------------------------------------------------------- */

static int check_times(const struct rdam_row *row, struct err *err)
{
	const double order[] = {0, row->min_s, row->median_s, row->p99_s, row->total_s, INFINITY};
	const double slack = 1 + 1e-9;

	for (size_t i = 1; i < sizeof(order) / sizeof(order[0]); i++)
		if (!(order[i - 1] <= order[i] * slack))
			return err_set(err, "%s: min %g, median %g, p99 %g, total %g s", row->name,
				       row->min_s, row->median_s, row->p99_s, row->total_s);
	return isfinite(row->total_s) ? 0 : err_set(err, "%s: no total", row->name);
}

static int check_score(const struct rdam_row *row, uint64_t every, struct err *err)
{
	double sum_s = 0;

	for (size_t i = 0; i < RDAM_CAUSES; i++) {
		if (!(row->causes_s[i] >= 0))
			return err_set(err, "%s: cause %zu is %g s", row->name, i,
				       row->causes_s[i]);
		sum_s += row->causes_s[i];
	}
	if (!(fabs(sum_s - row->lost_s) <= 1e-6 * row->lost_s + 1e-9))
		return err_set(err, "%s: causes of %g s, and %g s are lost", row->name, sum_s,
			       row->lost_s);
	if (!(row->score >= 0) || isinf(row->score) || (every <= 1 && row->score > 1 + 1e-9))
		return err_set(err, "%s: the score is %g", row->name, row->score);
	if (!(row->grouped_score >= 0 && row->grouped_score <= row->score))
		return err_set(err, "%s: the score is %g, and grouped %g", row->name, row->score,
			       row->grouped_score);
	return 0;
}

static int check_dependences(const struct rdam_row *row, struct err *err)
{
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		const struct rdam_dependence *dependence = &row->dependence[i];

		if (!(fabs(dependence->spearman) <= 1 + 1e-9) || !isfinite(dependence->slope) ||
		    !(dependence->score >= 0 && dependence->score <= row->score * (1 + 1e-9)))
			return err_set(err, "%s: spearman %g, slope %g, %g of %g", row->name,
				       dependence->spearman, dependence->slope, dependence->score,
				       row->score);
	}
	return 0;
}

static int check_row(const struct rdam_row *row, const struct rdam_trace *trace, struct err *err)
{
	uint64_t called = 0;

	for (size_t i = 0; i < row->stack_count; i++)
		called += row->stacks[i].count;
	if (row->occurrences < 2 || called > row->occurrences || row->waker_count > RDAM_WAKERS)
		return err_set(err, "%s: %" PRIu64 " calls, %" PRIu64 " with stacks", row->name,
			       row->occurrences, called);
	if (row->slowest.thread >= trace->thread_count || row->slowest.first > row->slowest.last ||
	    row->slowest.last >= trace->threads[row->slowest.thread].count)
		return err_set(err, "%s: the slowest one is nowhere", row->name);
	if (check_times(row, err) || check_score(row, trace->every, err))
		return -1;
	return check_dependences(row, err);
}

static int check_rows(const struct rdam *rdam, const struct rdam_trace *trace, struct err *err)
{
	uint64_t spread = 0;

	for (size_t i = 0; i < rdam->row_count; i++) {
		if (check_row(&rdam->rows[i], trace, err))
			return -1;
		if (i && rdam->rows[i - 1].score < rdam->rows[i].score)
			return err_set(err, "%s: is behind a lower score", rdam->rows[i].name);
	}
	for (size_t i = 0; i < rdam->class_count; i++)
		spread += rdam->classes[i].count;
	if (rdam->row_count && spread != rdam->rows[0].occurrences)
		return err_set(err, "%s: %" PRIu64 " calls are spread", rdam->rows[0].name, spread);
	return 0;
}

/* --- Reports ------------------------------------------------------------------------------- */

static int check_json(int fd, size_t rows, struct err *err)
{
	json_error_t why;
	json_t *json, *functions;
	int rc = 0;

	lseek(fd, 0, SEEK_SET);
	json = json_loadfd(fd, 0, &why);
	functions = json_object_get(json, "functions");
	if (!json_is_array(functions) || json_array_size(functions) != rows)
		rc = err_set(err, "of %zu rows the JSON has %zu: %s", rows,
			     json_array_size(functions), json ? "" : why.text);
	json_decref(json);
	return rc;
}

static int check_report(const struct rdam_view *view, enum report_format format, struct err *err)
{
	int fd = memfd_create("report", MFD_CLOEXEC), rc;
	char path[64];
	struct report *report;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	report = report_open(path, format, err);
	if (!report)
		return -1;
	report_rdam(report, view);
	rc = report_finish(report, 0, err);
	if (!rc && format == REPORT_JSON)
		rc = check_json(fd, view->rdam->row_count, err);
	close(fd);
	return rc;
}

static int check_reports(const struct rdam *rdam, const struct rdam_trace *trace,
			 struct event_source *source, enum rdam_min min, struct err *err)
{
	struct rdam_view view = {.rdam = rdam, .trace = trace, .path = "trace", .min = min};
	int rc = 0;

	if (source->chains.count)
		view.names = chain_names_new(&source->chains, &source->samples);
	for (enum report_format format = REPORT_TEXT; !rc && format <= REPORT_JSON; format *= 2)
		rc = check_report(&view, format, err);
	if (view.names)
		chain_names_free(view.names);
	return rc;
}

/* --- The whole ----------------------------------------------------------------------------- */

/* With a row for each value of the first argument of the first block, which may have none. */
static int check_key(const struct rdam_trace *trace, struct err *err)
{
	const struct rdam_key key = {trace->blocks->items[0].name, "arg1"};
	const struct rdam_options options = {.keys = &key, .key_count = 1};
	struct rdam rdam;
	struct err why = {.text = ""};
	int rc = rdam_init(&rdam, trace, &options, &why);
	char *shown = printable(PRINTABLE_TEXT, why.text, PRINTABLE_WHOLE);

	/* The key is an argument of the command line; sentences show it as the user typed it. */
	if (rc)
		rc = bytes_check_sentence(shown, NULL, err);
	else
		for (size_t i = 0; !rc && i < rdam.row_count; i++)
			rc = check_row(&rdam.rows[i], trace, err);
	free(shown);
	rdam_release(&rdam);
	return rc;
}

int rdam_check_trace(struct event_source *source, struct err *err)
{
	const struct selection everybody = {0};
	struct rdam_trace trace;
	struct err why = {.text = ""};
	int rc = 0;

	source->chains.wanted = true;
	if (rdam_trace_read(&trace, source, &everybody, &why))
		return bytes_check_sentence(why.text, NULL, err);
	for (enum rdam_min min = RDAM_MIN_THREAD; !rc && min <= RDAM_MIN_POOLED; min++) {
		const struct rdam_options options = {
			.min = min, .all_sequences = min == RDAM_MIN_POOLED, .want_spread = true};
		struct rdam rdam;

		rc = rdam_init(&rdam, &trace, &options, err) || check_rows(&rdam, &trace, err) ||
		     check_reports(&rdam, &trace, source, min, err);
		rdam_release(&rdam);
	}
	if (!rc)
		rc = check_key(&trace, err);
	rdam_trace_release(&trace);
	return rc ? -1 : 1;
}
