/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_points.h"

#include "base/err.h"
#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

void fit_points_table(struct poptOption table[FIT_POINTS_OPTIONS], struct fit_points *points)
{
	const struct poptOption options[FIT_POINTS_OPTIONS] = {
		{"columns", '\0', POPT_ARG_STRING, &points->columns, 0,
		 "which columns: N and what was measured, by name or number, as 1,time:3",
		 "N,COLUMN"},
		{"time", '\0', POPT_ARG_NONE, &points->time, 0,
		 "what was measured is a time: throughput is 1 / time", NULL},
		{"work", '\0', POPT_ARG_STRING, &points->work, 0,
		 "work done in that time: a number, or the column with it", "W"},
		{"weights", '\0', POPT_ARG_STRING, &points->weights, 0,
		 "none (default), relative, steady, COLUMN of weights, or sd:COLUMN", "KIND"},
		{"from-log", '\0', POPT_ARG_NONE, &points->from_log, 0,
		 "rows are a log over time: fit the steady part of each N", NULL},
		{"cut-end", '\0', POPT_ARG_NONE, &points->cut_end, 0,
		 "... and cut the end of each too where it is not steady", NULL},
		POPT_TABLEEND};

	memcpy(table, options, sizeof(options));
}

/* "time:3" says what column 3 holds; a name may hold a colon too. */
static void read_choice(struct column_choice *choice, char *text)
{
	static const enum quantity kinds[] = {QUANTITY_N,	QUANTITY_THROUGHPUT, QUANTITY_TIME,
					      QUANTITY_LATENCY, QUANTITY_SPEEDUP,    QUANTITY_COUNT,
					      QUANTITY_TOTAL};
	const char *colon = strchr(text, ':');

	*choice = (struct column_choice){.column = text};
	for (size_t i = 0; colon && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(quantity_name(kinds[i]));

		if (colon != text + length || strncmp(text, quantity_name(kinds[i]), length) != 0)
			continue;
		choice->quantity = kinds[i];
		choice->column = text + length + 1;
	}
}

static int read_columns(struct fit_points *points, struct err *err)
{
	size_t most = points->from_log ? COLUMN_CHOICES : 2;
	struct series_request *request = &points->request;
	char *rest = points->columns;

	if (!rest)
		return 0;
	for (char *part; (part = strsep(&rest, ","));) {
		if (!*part || request->column_count == most)
			return err_set(err,
				       "--columns takes %s, by name or number and separated by "
				       "commas; of a name with a comma give the number",
				       points->from_log ? "the columns of time, N and throughput, "
							  "count or total"
							: "two columns, N and what was measured");
		read_choice(&request->columns[request->column_count++], part);
		if (!*request->columns[request->column_count - 1].column)
			return err_set(err, "--columns: %s names no column", part);
	}
	if (request->column_count < 2)
		return err_set(err, "--columns takes two columns, N and what was measured, as 1,3 "
				    "or threads,elapsed");
	return 0;
}

static int read_work(struct fit_points *points, struct err *err)
{
	struct series_request *request = &points->request;

	if (!points->work)
		return 0;
	if (parse_double(&request->work, points->work)) {
		request->work = 0;
		request->work_column = points->work;
	} else if (!(request->work > 0)) {
		return err_set(err, "--work %s: the work must be above 0", points->work);
	}
	return *points->work ? 0 : err_set(err, "--work takes a number or the name of a column");
}

static int read_weights(struct fit_points *points, struct err *err)
{
	struct series_request *request = &points->request;
	char *text = points->weights;

	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "relative") == 0) {
		request->weighting = WEIGHTS_RELATIVE;
		return 0;
	}
	if (strcmp(text, "steady") == 0) {
		request->weighting = WEIGHTS_STEADY;
		if (points->from_log)
			return 0;
		return err_set(err, "--weights steady needs --from-log; for a column of that name "
				    "give its number");
	}
	request->weighting = strncmp(text, "sd:", 3) == 0 ? WEIGHTS_DEVIATIONS : WEIGHTS_COLUMN;
	request->weight_column = request->weighting == WEIGHTS_DEVIATIONS ? text + 3 : text;
	if (points->from_log)
		return err_set(err,
			       "--weights %s: with --from-log they can be none, relative or "
			       "steady",
			       text);
	if (!*request->weight_column)
		return err_set(err, "--weights takes none, relative, steady, COLUMN or sd:COLUMN");
	return 0;
}

static int check(const struct fit_points *points, struct err *err)
{
	if (points->from_log && (points->time || points->work))
		return err_set(err, "--from-log takes throughput or what was completed, not --time "
				    "and --work");
	if (points->cut_end && !points->from_log)
		return err_set(err, "--cut-end needs --from-log");
	return 0;
}

int fit_points_read(struct fit_points *points, struct err *err)
{
	points->request.time = points->time;
	points->request.from_log = points->from_log;
	points->request.cut_end = points->cut_end;
	if (check(points, err) || read_columns(points, err) || read_work(points, err))
		return -1;
	return read_weights(points, err);
}

void fit_points_release(struct fit_points *points)
{
	free(points->columns);
	free(points->work);
	free(points->weights);
}
