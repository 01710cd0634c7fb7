/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "cmd/fit/fit_request.h"
#include "cmd/options/cmd.h"
#include "fit/fit_result.h"
#include "fit/usl/usl_compare.h"
#include "report/fit/report_fit.h"
#include "report/progress.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdlib.h>

/* The series of all files and their fits, before any output: an error leaves no half document. */
struct fits {
	struct series *series; /* moved to `items` when they are fitted */
	struct fitted *items;
	size_t count;
};

static int read_file(struct fits *fits, const char *path, const struct fit_request *request,
		     struct err *err)
{
	struct csv_table *table = options_table(&request->options, path, err);
	int rc;

	if (!table)
		return -1;
	rc = series_read(&fits->series, &fits->count, table, &request->points, err);
	csv_table_free(table);
	return rc;
}

static int fit_all(struct fits *fits, const char *const *paths, size_t count,
		   const struct fit_request *request, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = read_file(fits, paths[i], request, err);
	fits->items = xcalloc(fits->count + 1, sizeof(*fits->items));
	for (size_t i = 0; i < fits->count; i++) {
		fits->items[i].series = fits->series[i];
		rc = rc ? rc : fit_series(&fits->items[i], &request->wish, err);
	}
	return rc ? rc : fit_request_check_series(request, fits->count, err);
}

static int draw_fit(struct report *report, const struct fit_result *result,
		    const struct plotting *plotting, struct err *err)
{
	if (plotting->path && plot_fit(result, plotting->path, err))
		return -1;
	return plotting->chart ? chart_fit(report, result, err) : 0;
}

/* Returns the value of the assertion's quantity. */
static struct assertion_value fit_value(const void *of, const struct assertion *assertion)
{
	static const char *const reasons[] = {
		[USL_NO_FREEDOM] = "as many parameters as points, no error estimate",
		[USL_NOT_FITTED] = "the model does not fit this parameter",
		[USL_NO_PEAK] = "throughput falls from the first N on",
	};
	const struct fit_result *result = of;
	struct usl_estimate known = usl_estimate((enum usl_quantity)assertion->name->id,
						 assertion->n, result->intervals);

	return (struct assertion_value){
		known.best,	     known.interval.low,     known.interval.high,
		result->wish->level, reasons[known.unknown], NULL};
}

static int print_fit(struct report *report, const struct fitted *fitted, bool several,
		     struct fit_request *request, struct err *err)
{
	bool whole = report_shows(report, REPORT_TEXT | REPORT_JSON) || request->plotting.path;
	struct fit_wish wish = request->wish;
	struct progress progress;
	struct fit_result *result;
	int rc;

	wish.bootstrap.progress = progress_show;
	wish.bootstrap.context = &progress;
	progress_begin(&progress, request->options.quiet);
	result = fit_make(fitted, &wish, whole);
	progress_end(&progress);
	report_group(report, NULL);
	assertions_report(&request->assertions, report, fitted->series.source, fit_value, result);
	report_fit(report, result, several);
	report_ungroup(report);
	rc = draw_fit(report, result, &request->plotting, err);
	if (report_shows(report, REPORT_TEXT))
		report_fit_next(report, result);
	fit_result_free(result);
	return rc;
}

/* Returns an exit status. */
static int print_all(const struct fitted *fits, size_t count, struct fit_request *request,
		     struct err *err)
{
	struct report *report = options_report(&request->options, err);
	int rc = 0;

	if (!report)
		return STATUS_FAILED;
	for (size_t i = 0; i < count && !rc; i++)
		rc = print_fit(report, &fits[i], count > 1, request, err);
	if (report_finish(report, rc, err))
		return STATUS_FAILED;
	return assertions_status(&request->assertions, err);
}

static int compare_fits(const struct fitted *fits, const struct fit_request *request,
			struct err *err)
{
	const struct usl_sample a = {&fits[0].usl, &fits[0].series};
	const struct usl_sample b = {&fits[1].usl, &fits[1].series};
	struct report *report = options_report(&request->options, err);
	struct usl_comparison comparison;

	if (!report)
		return STATUS_FAILED;
	usl_compare(&comparison, &a, &b, request->wish.level);
	report_compare(report, &comparison, &a, &b, request->wish.level);
	return report_finish(report, 0, err) ? STATUS_FAILED : STATUS_DONE;
}

static int fit_files(struct fit_request *request, struct err *err)
{
	const struct options *options = &request->options;
	const char *standard = options->arg_count ? NULL : options_file(options, NULL, false, err);
	const char *const *paths = options->arg_count ? options->args : &standard;
	size_t count = options->arg_count ? options->arg_count : 1;
	struct fits fits = {0};
	int status = STATUS_FAILED;

	if (!paths[0])
		return STATUS_USAGE;
	if (!fit_all(&fits, paths, count, request, err))
		status = request->compare ? compare_fits(fits.items, request, err)
					  : print_all(fits.items, fits.count, request, err);
	for (size_t i = 0; i < fits.count; i++)
		series_release(&fits.items[i].series);
	free(fits.series);
	free(fits.items);
	return status;
}

static int cmd_fit_run(int argc, const char **argv, struct err *err)
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
	.run = cmd_fit_run,
};
