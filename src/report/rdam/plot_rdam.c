/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "report/plot.h"
#include "report/rdam_template.h"
#include "report/report_text.h"

#include <stdlib.h>
#include <string.h>

static const double HEIGHT = 1.0;

/* The largest number of threads that can be told apart: those with the highest scores. */
enum { THREADS_MAX = 64, NAME_WIDTH = 60 };

static void put_classes(struct plot_script *script, const struct rdam *rdam)
{
	plot_script_begin(script, "classes",
			  "from_s to_s calls cpu_wait_s blocked_s page_faults_s disk_s "
			  "stopped_s unknown_s on_cpu_s");
	for (size_t i = 0; i < rdam->class_count; i++) {
		const struct rdam_class *class = &rdam->classes[i];
		struct rdam_kinds kinds = rdam_kinds_of(class->causes_s);
		double values[3 + RDAM_KINDS] = {class->from_s, class->to_s, (double)class->count};

		memcpy(values + 3, kinds.seconds, sizeof(kinds.seconds));
		plot_script_row(script, values, 3 + RDAM_KINDS);
	}
	plot_script_number(script, "least_s", rdam->classes[0].from_s);
	plot_script_number(script, "most_s", rdam->classes[rdam->class_count - 1].to_s);
}

/* Writes the parts of a score, in per cent. */
static void put_thread(struct plot_script *script, const struct rdam_view *view,
		       const struct rdam_row *row, size_t place)
{
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);
	double values[3 + RDAM_KINDS] = {(double)place};

	values[1] = row->thread == SIZE_MAX ? 0 : view->trace->threads[row->thread].tid;
	values[2] = 100 * row->score;
	for (size_t i = 0; i < RDAM_KINDS; i++)
		values[3 + i] = row->wall_s > 0 ? 100 * kinds.seconds[i] / row->wall_s : 0;
	plot_script_row(script, values, 3 + RDAM_KINDS);
}

static void put_threads(struct plot_script *script, const struct rdam_view *view)
{
	const struct rdam *rdam = view->rdam;
	size_t count = 0;

	plot_script_begin(
		script, "threads",
		"place tid score cpu_wait blocked page_faults disk stopped unknown on_cpu");
	for (size_t i = 0; i < rdam->row_count && count < THREADS_MAX; i++)
		if (strcmp(rdam->rows[i].name, rdam->rows[0].name) == 0)
			put_thread(script, view, &rdam->rows[i], ++count);
	plot_script_number(script, "thread_count", (double)count);
	plot_script_number(script, "pooled", rdam->rows[0].thread == SIZE_MAX);
}

/* Writes the time lost by each cause as an array of gnuplot, for the legend. */
static void put_causes(struct plot_script *script, const struct rdam *rdam)
{
	double causes_s[RDAM_CAUSES] = {0};
	struct rdam_kinds kinds;
	char *line;

	for (size_t i = 0; i < rdam->row_count; i++)
		for (size_t k = 0; k < RDAM_CAUSES; k++)
			if (strcmp(rdam->rows[i].name, rdam->rows[0].name) == 0)
				causes_s[k] += rdam->rows[i].causes_s[k];
	kinds = rdam_kinds_of(causes_s);
	line = xasprintf("array lost[%d] = [", RDAM_KINDS);
	for (size_t i = 0; i < RDAM_KINDS; i++)
		xappend(&line, "", "%s%.17g", i ? ", " : "", kinds.seconds[i]);
	plot_script_template(script, line);
	plot_script_template(script, "]\n");
	free(line);
}

static void put_texts(struct plot_script *script, const struct rdam_view *view)
{
	const struct rdam_row *row = view->rdam->rows;
	char lost[VALUE_SIZE], *where = rdam_view_where(view, row);
	char *summary = xasprintf("%llu calls in %s: %s lost, a score of %.1f %%",
				  (unsigned long long)row->occurrences, where,
				  format_value(lost, row->lost_s, UNIT_SPAN), 100 * row->score);
	char *name = xasprintf("%.*s%s", NAME_WIDTH, row->name,
			       strlen(row->name) > NAME_WIDTH ? "..." : "");

	plot_script_text(script, "block", name);
	plot_script_text(script, "summary", summary);
	plot_script_file(script, "file", strcmp(view->path, "-") ? view->path : "standard input");
	free(where);
	free(summary);
	free(name);
}

int plot_rdam(const struct rdam_view *view, const char *path, struct err *err)
{
	struct plot_script *script;

	if (!view->rdam->row_count || !view->rdam->class_count)
		return err_set(err, "--plot: no function was called twice in a thread: there is "
				    "nothing to draw");
	script = plot_script_new();
	put_texts(script, view);
	put_classes(script, view->rdam);
	put_threads(script, view);
	put_causes(script, view->rdam);
	plot_script_template(script, rdam_template);
	return plot_save(script, HEIGHT, path, err);
}
