/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "fit/usl.h"
#include "fit/usl_choice.h"
#include "fit/usl_region.h"
#include "report/report.h"
#include "report/report_fit.h"
#include "stats/series.h"

#include <stdlib.h>

struct fit {
	struct series series;
	struct usl usl;
	struct usl_choice choice;
};

static int read_series(struct series *series, const char *path, struct err *err)
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
	rc = series_read(series, table, err);
	csv_table_free(table);
	return rc;
}

/* Sets *at to what --at lists, which may be nothing. The caller frees *at. */
static int parse_at(double **at, size_t *count, const char *text, struct err *err)
{
	*at = NULL;
	*count = 0;
	if (!text)
		return 0;
	if (parse_doubles(at, count, text, err))
		return err_wrap(err, "--at");
	for (size_t i = 0; i < *count; i++)
		if (!((*at)[i] > 0))
			return err_set(err, "--at %s: each N must be above 0", text);
	return 0;
}

/* All files are fitted before anything is written: a bad one leaves no half of a document. */
static int fit_all(struct fit *fits, const char *const *paths, size_t count, enum usl_model model,
		   struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (read_series(&fits[i].series, paths[i], err) ||
		    usl_fit(&fits[i].usl, &fits[i].series, model, err))
			return -1;
	return 0;
}

static int print_all(struct fit *fits, size_t count, struct fit_view view,
		     const struct options *options, struct err *err)
{
	struct report *report = options_report(options, err);

	if (!report)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (report_shows(report, REPORT_TEXT | REPORT_JSON))
			usl_choose(&fits[i].choice, &fits[i].series);
		view.series = &fits[i].series;
		view.usl = &fits[i].usl;
		view.choice = &fits[i].choice;
		view.region = usl_region_new(view.usl, view.series, view.level, true);
		report_fit(report, &view);
		usl_region_free(view.region);
	}
	return report_close(report, err);
}

static int fit_files(const struct options *options, enum usl_model model,
		     const struct fit_view *view, struct err *err)
{
	const char *standard = options->arg_count ? NULL : options_file(options, NULL, err);
	const char *const *paths = options->arg_count ? options->args : &standard;
	size_t count = options->arg_count ? options->arg_count : 1;
	struct fit *fits;
	int rc;

	if (!paths[0])
		return STATUS_USAGE;
	fits = xcalloc(count, sizeof(*fits));
	rc = fit_all(fits, paths, count, model, err) || print_all(fits, count, *view, options, err);
	for (size_t i = 0; i < count; i++)
		series_release(&fits[i].series);
	free(fits);
	return rc ? STATUS_FAILED : STATUS_DONE;
}

static int parse_level(double *level, const char *text, struct err *err)
{
	*level = .95;
	if (!text)
		return 0;
	if (parse_double(level, text) || !(*level > 0 && *level < 1))
		return err_set(err, "--level %s: the level is a share above 0 and below 1, as 0.9",
			       text);
	return 0;
}

static int run(int argc, const char **argv, struct err *err)
{
	int model = USL_FULL;
	char *at_text = NULL, *level_text = NULL;
	double *at = NULL;
	struct fit_view view = {0};
	struct options options;
	const struct poptOption table[] = {{"usl", '\0', POPT_ARG_VAL, &model, USL_FULL,
					    "fit alpha, beta and gamma (default)", NULL},
					   {"amdahl", '\0', POPT_ARG_VAL, &model, USL_AMDAHL,
					    "fit alpha and gamma: Amdahl's law, beta = 0", NULL},
					   {"linear", '\0', POPT_ARG_VAL, &model, USL_LINEAR,
					    "fit gamma: linear scaling, alpha = beta = 0", NULL},
					   {"at", '\0', POPT_ARG_STRING, &at_text, 0,
					    "predict the throughput at each N", "N,..."},
					   {"level", '\0', POPT_ARG_STRING, &level_text, 0,
					    "confidence of the intervals (default 0.95)", "SHARE"},
					   POPT_TABLEEND};
	int status = options_parse(&options, OPTIONS_REPORT, "[FILE...]", table, argc, argv, err);

	if (status >= 0)
		goto out;
	status = STATUS_USAGE;
	if (parse_at(&at, &view.at_count, at_text, err) ||
	    parse_level(&view.level, level_text, err))
		goto out;
	view.at = at;
	status = fit_files(&options, (enum usl_model)model, &view, err);
out:
	free(at);
	free(at_text);
	free(level_text);
	options_release(&options);
	return status;
}

const struct cmd cmd_fit = {
	.name = "fit",
	.summary = "fit the Universal Scalability Law to measured throughput",
	.run = run,
};
