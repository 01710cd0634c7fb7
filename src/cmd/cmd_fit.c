/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "cmd/cmd.h"
#include "cmd/fit_request.h"
#include "fit/usl.h"
#include "fit/usl_choice.h"
#include "fit/usl_region.h"
#include "report/fit_view.h"
#include "report/plot_fit.h"
#include "report/report.h"
#include "report/report_fit.h"
#include "stats/series.h"

#include <stdlib.h>

struct fit {
	struct series series;
	struct usl usl;
};

static int read_series(struct series *series, const char *path,
		       const struct series_request *request, struct err *err)
{
	struct input *input = input_open(path, err);
	struct csv_table *table;
	int rc;

	if (!input)
		return -1;
	table = csv_table_read(input, err);
	input_close(input);
	if (!table)
		return -1;
	rc = series_read_as(series, table, request, err);
	csv_table_free(table);
	return rc;
}

/* All files are fitted before anything is written: a bad one leaves no half of a document. */
static int fit_all(struct fit *fits, const char *const *paths, size_t count,
		   const struct fit_request *request, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (read_series(&fits[i].series, paths[i], &request->points.request, err) ||
		    usl_fit(&fits[i].usl, &fits[i].series, &request->form, err))
			return -1;
	return 0;
}

static int draw(struct report *report, const struct fit_view *view, const struct plotting *plotting,
		struct err *err)
{
	if (plotting->path && plot_fit(view, plotting->path, err))
		return -1;
	return plotting->chart ? chart_fit(report, view, err) : 0;
}

static int print(struct report *report, const struct fit *fit, const struct fit_request *request,
		 struct err *err)
{
	struct usl_choice choice;
	struct fit_view view = {.series = &fit->series,
				.usl = &fit->usl,
				.choice = &choice,
				.level = request->level,
				.at = request->at,
				.at_count = request->at_count};
	int rc;

	if (report_shows(report, REPORT_TEXT | REPORT_JSON) || request->plotting.path)
		usl_choose(&choice, view.series, &request->form);
	view.region = usl_region_new(view.usl, view.series, view.level);
	report_fit(report, &view);
	rc = draw(report, &view, &request->plotting, err);
	usl_region_free(view.region);
	return rc;
}

static int print_all(const struct fit *fits, size_t count, const struct fit_request *request,
		     struct err *err)
{
	struct report *report = options_report(&request->options, err);
	struct err ignored;
	int rc = 0;

	if (!report)
		return -1;
	for (size_t i = 0; i < count && !rc; i++)
		rc = print(report, &fits[i], request, err);
	return report_close(report, rc ? &ignored : err) || rc ? -1 : 0;
}

static int fit_files(const struct fit_request *request, struct err *err)
{
	const struct options *options = &request->options;
	const char *standard = options->arg_count ? NULL : options_file(options, NULL, err);
	const char *const *paths = options->arg_count ? options->args : &standard;
	size_t count = options->arg_count ? options->arg_count : 1;
	struct fit *fits;
	int rc;

	if (!paths[0])
		return STATUS_USAGE;
	fits = xcalloc(count, sizeof(*fits));
	rc = fit_all(fits, paths, count, request, err) || print_all(fits, count, request, err);
	for (size_t i = 0; i < count; i++)
		series_release(&fits[i].series);
	free(fits);
	return rc ? STATUS_FAILED : STATUS_DONE;
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
