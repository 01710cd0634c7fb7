/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "cmd/fit/fit_request.h"
#include "cmd/options/cmd.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_choice.h"
#include "fit/usl/usl_compare.h"
#include "fit/usl/usl_design.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_questions.h"
#include "report/fit/fit_view.h"
#include "report/fit/plot_fit.h"
#include "report/fit/report_compare.h"
#include "report/fit/report_fit.h"
#include "report/progress.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdlib.h>

struct fit {
	struct series series;
	struct usl usl;
	struct usl_robust robust;
};

static int read_series(struct series *series, const char *path, const struct fit_request *request,
		       struct err *err)
{
	struct csv_table *table = options_table(&request->options, path, err);
	int rc;

	if (!table)
		return -1;
	rc = series_read_as(series, table, &request->points, err);
	csv_table_free(table);
	return rc;
}

static int fit_series(struct fit *fit, const struct fit_request *request, struct err *err)
{
	if (request->loss == USL_LOSS_SQUARES)
		return usl_fit(&fit->usl, &fit->series, &request->form, err);
	return usl_robust_fit(&fit->usl, &fit->robust, &fit->series, &request->form, request->loss,
			      err);
}

/* A change may suit one fit and not another. */
static int check_changes(const struct fit *fit, const struct fit_request *request, struct err *err)
{
	for (size_t i = 0; i < request->change_count; i++) {
		struct usl changed;

		if (usl_change_apply(&changed, &fit->usl, &request->changes[i], err))
			return err_wrap(err, "%s: --what-if %s", fit->series.source,
					request->changes[i].text);
	}
	return 0;
}

/* All files are fitted before anything is written: a bad one leaves no half of a document. */
static int fit_all(struct fit *fits, const char *const *paths, size_t count,
		   const struct fit_request *request, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (read_series(&fits[i].series, paths[i], request, err) ||
		    fit_series(&fits[i], request, err) ||
		    check_changes(&fits[i], request, err))
			return -1;
	return 0;
}

static struct usl_intervals *fit_intervals(const struct fit *fit, const struct fit_request *request)
{
	struct progress progress;
	const struct usl_bootstrap_plan plan = {.refits = request->refits,
						.seed = request->seed,
						.progress = progress_show,
						.context = &progress};
	struct usl_intervals *result;

	if (!request->refits)
		return usl_intervals_new(&fit->usl, &fit->series, request->level, NULL);
	progress_begin(&progress, request->options.quiet);
	result = usl_intervals_new(&fit->usl, &fit->series, request->level, &plan);
	progress_end(&progress);
	return result;
}

static void suggest(struct usl_suggestion *suggestion, const struct fit *fit,
		    const struct fit_request *request)
{
	const double enough = 3; /* times the largest: beyond, the law itself is in doubt */
	double most = request->suggest_most ? (double)request->suggest_most
					    : fmax(enough, enough * fit->usl.largest_n);

	usl_suggest(suggestion, &fit->usl, &fit->series, request->level, most);
}

static int draw(struct report *report, const struct fit_view *view, const struct plotting *plotting,
		struct err *err)
{
	if (plotting->path && plot_fit(view, plotting->path, err))
		return -1;
	return plotting->chart ? chart_fit(report, view, err) : 0;
}

/* Claims that do not hold, of all files. */
struct failures {
	size_t count;
	struct err first; /* says which, and why */
};

static void judge(struct usl_finding *findings, struct failures *failures, const struct fit *fit,
		  const struct usl_intervals *intervals, const struct fit_request *request)
{
	for (size_t i = 0; i < request->claim_count; i++) {
		const struct usl_claim *claim = &request->claims[i];
		char *text;

		findings[i] = usl_claim_judge(claim, intervals);
		if (findings[i].holds || failures->count++)
			continue;
		text = report_finding(&findings[i], request->level);
		err_set(&failures->first, "%s: '%s' %s", fit->series.source, claim->text, text);
		free(text);
	}
}

static int print(struct report *report, struct failures *failures, const struct fit *fit,
		 const struct fit_request *request, struct err *err)
{
	struct usl_finding *findings = xcalloc(request->claim_count + 1, sizeof(*findings));
	struct usl_choice choice;
	struct usl_suggestion suggestion;
	struct fit_view view = {.series = &fit->series,
				.usl = &fit->usl,
				.choice = &choice,
				.robust = fit->series.trust ? &fit->robust : NULL,
				.level = request->level,
				.at = request->at,
				.at_count = request->at_count,
				.questions = request->questions,
				.question_count = request->question_count,
				.changes = request->changes,
				.change_count = request->change_count,
				.findings = findings,
				.finding_count = request->claim_count,
				.details = request->details};
	struct usl_intervals *intervals;
	struct usl_diagnosis *diagnosis;
	struct usl_interval peak_n;
	int rc;

	if (view.robust)
		usl_choose_beside(&choice, view.series, view.usl);
	else if (report_shows(report, REPORT_TEXT | REPORT_JSON) || request->plotting.path)
		usl_choose(&choice, view.series, &request->form);
	intervals = fit_intervals(fit, request);
	view.intervals = intervals;
	peak_n = usl_interval_of(intervals, USL_PEAK_N, 0);
	diagnosis = usl_diagnosis_new(view.usl, view.series, &peak_n, view.level);
	view.diagnosis = diagnosis;
	judge(findings, failures, fit, intervals, request);
	if (request->suggest) {
		suggest(&suggestion, fit, request);
		view.suggestion = &suggestion;
	}
	report_fit(report, &view);
	rc = draw(report, &view, &request->plotting, err);
	usl_diagnosis_free(diagnosis);
	usl_intervals_free(intervals);
	free(findings);
	return rc;
}

/* An exit status. */
static int print_all(const struct fit *fits, size_t count, const struct fit_request *request,
		     struct err *err)
{
	struct report *report = options_report(&request->options, err);
	struct failures failures = {0};
	int rc = 0;

	if (!report)
		return STATUS_FAILED;
	for (size_t i = 0; i < count && !rc; i++)
		rc = print(report, &failures, &fits[i], request, err);
	if (report_finish(report, rc, err))
		return STATUS_FAILED;
	if (!failures.count)
		return STATUS_DONE;
	err_set(err, "%s", failures.first.text);
	if (failures.count > 1)
		err_set(err, "%s (the first of %zu)", failures.first.text, failures.count);
	return STATUS_CONDITION;
}

static int compare(const struct fit *fits, const struct fit_request *request, struct err *err)
{
	const struct usl_sample a = {&fits[0].usl, &fits[0].series};
	const struct usl_sample b = {&fits[1].usl, &fits[1].series};
	struct report *report = options_report(&request->options, err);
	struct usl_comparison comparison;

	if (!report)
		return STATUS_FAILED;
	usl_compare(&comparison, &a, &b, request->level);
	report_compare(report, &comparison, &a, &b, request->level);
	return report_close(report, err) ? STATUS_FAILED : STATUS_DONE;
}

static int fit_files(const struct fit_request *request, struct err *err)
{
	const struct options *options = &request->options;
	const char *standard = options->arg_count ? NULL : options_file(options, NULL, err);
	const char *const *paths = options->arg_count ? options->args : &standard;
	size_t count = options->arg_count ? options->arg_count : 1;
	struct fit *fits;
	int status = STATUS_FAILED;

	if (!paths[0])
		return STATUS_USAGE;
	fits = xcalloc(count, sizeof(*fits));
	if (!fit_all(fits, paths, count, request, err))
		status = request->compare ? compare(fits, request, err)
					  : print_all(fits, count, request, err);
	for (size_t i = 0; i < count; i++)
		series_release(&fits[i].series);
	free(fits);
	return status;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct fit_request request;
	int status = fit_request_parse(&request, argc, argv, err);

	if (status < 0)
		status = fit_files(&request, err);
	fit_request_release(&request);
	return status;
}

const struct cmd cmd_fit = {
	.name = "fit",
	.summary = "fit the Universal Scalability Law to measured throughput",
	.run = run,
};
