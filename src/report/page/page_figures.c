/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a page that are there without JavaScript; page.css colours their classes. */
#include "base/alloc.h"
#include "base/err.h"
#include "replay/forecast/forecast.h"
#include "report/graph/plot_graph.h"
#include "report/model/report_model.h"
#include "report/page/page_private.h"
#include "report/report_embed.h"
#include "stats/overview/overview.h"
#include "stats/profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, LEFT = 180, RIGHT = 940, TOP = 10, BOTTOM = 190, HEIGHT = 220 };
enum { NETWORK_SIZE = 200000 }; /* largest size in bytes */
enum { FIGURE_THREADS = 20, ROW_HEIGHT = 16, BAR_HEIGHT = 12 };

/* An axis: it maps values to places. */
struct axis {
	double least, most; /* values */
	double from, to;    /* places */
};

static double place(const struct axis *axis, double value)
{
	return axis->from +
	       (value - axis->least) / (axis->most - axis->least) * (axis->to - axis->from);
}

static void begin_figure(FILE *out, int height, const char *label)
{
	fprintf(out,
		"<figure>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		"aria-label=\"%s\">\n",
		WIDTH, height, WIDTH, label);
}

static void end_figure(FILE *out, const char *caption)
{
	fprintf(out, "</svg>\n<figcaption>%s</figcaption>\n</figure>\n", caption);
}

static void put_label(FILE *out, double x, double y, const char *anchor, const char *text)
{
	fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
		anchor);
	report_put_html(out, text);
	fputs("</text>\n", out);
}

static void put_value(FILE *out, double x, double y, const char *anchor, double value,
		      enum unit unit)
{
	char text[VALUE_SIZE];

	put_label(out, x, y, anchor, format_value(text, value, unit));
}

/* --- CPUs over time ------------------------------------------------------------------------ */

/* Draws the area between `below` and `below` + `values` in steps. `below` NULL: from 0. */
static void put_area(FILE *out, const char *class, const struct axis *x, const struct axis *y,
		     const double *below, const double *values, const struct overview_cpus *cpus)
{
	fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1f", class, x->from, y->from);
	for (size_t i = 0; i < cpus->count; i++)
		fprintf(out, "V%.1fH%.1f", place(y, (below ? below[i] : 0) + values[i]),
			fmin(place(x, (double)(i + 1)), x->to));
	for (size_t i = cpus->count; i-- > 0;)
		fprintf(out, "V%.1fH%.1f", place(y, below ? below[i] : 0), place(x, (double)i));
	fputs("Z\"/>\n", out);
}

void page_figure_cpus(FILE *out, const struct overview *overview, const struct profile *profile)
{
	const struct overview_cpus *cpus = &overview->cpus[0];
	struct axis x = {0, (double)overview->total_ns / (double)cpus->bin_ns, LEFT, RIGHT};
	struct axis y = {0, profile->cores, BOTTOM, TOP};

	for (size_t i = 0; i < cpus->count; i++)
		y.most = fmax(y.most, cpus->running[i] + cpus->runnable[i]);
	if (!cpus->count || !(y.most > 0))
		return;
	begin_figure(out, HEIGHT, "CPUs over time");
	put_area(out, "running", &x, &y, NULL, cpus->running, cpus);
	put_area(out, "runnable", &x, &y, cpus->running, cpus->runnable, cpus);
	if (profile->cores)
		fprintf(out, "<path class=\"bound\" d=\"M%d %.1fH%d\"/>\n", LEFT,
			place(&y, profile->cores), RIGHT);
	put_value(out, LEFT - 6, TOP + 10, "end", y.most, UNIT_SHORT);
	put_label(out, LEFT - 6, BOTTOM, "end", "0");
	put_label(out, LEFT, HEIGHT - 12, "start", "0 s");
	put_value(out, RIGHT, HEIGHT - 12, "end", (double)overview->total_ns / 1e9, UNIT_SPAN);
	end_figure(out, "Threads that run, and above them threads that wait for a CPU; dotted: the "
			"CPUs that the program could use.");
}

/* --- Threads ------------------------------------------------------------------------------- */

static const char figure_letters[] = OVERVIEW_LETTERS "mb";

static const char *class_of(char letter)
{
	static const char *const classes[] = {"running", "runnable", "blocked", "disk",
					      "stopped", "unknown",  "mixed",	"mixed"};
	return classes[strchr(figure_letters, letter) - figure_letters];
}

/* Draws all runs of one letter as one mark. */
static void put_runs(FILE *out, const char *states, char letter, const struct axis *x, int top)
{
	unsigned long at = 0, length;
	bool any = false;

	for (char *end; *states; states = end + 1, at += length) {
		length = strtoul(states + 1, &end, 36);
		if (*states != letter)
			continue;
		if (!any)
			fprintf(out, "<path class=\"%s\" d=\"", class_of(letter));
		any = true;
		fprintf(out, "M%.1f %dH%.1fv%dH%.1fz", place(x, (double)at), top,
			fmin(place(x, (double)(at + length)), x->to), BAR_HEIGHT,
			place(x, (double)at));
	}
	fputs(any ? "\"/>\n" : "", out);
}

static void put_row(FILE *out, const char *states, const struct axis *x, int top)
{
	for (const char *letter = figure_letters; *letter; letter++)
		put_runs(out, states, *letter, x, top);
}

void page_figure_threads(FILE *out, const struct overview *overview, const struct profile *profile)
{
	const double bins = (double)overview->total_ns / (double)overview->state_bin_ns[0];
	struct axis x = {0, bins, LEFT, RIGHT};
	size_t count = overview->thread_count;
	char *caption;

	if (!count || !overview->total_ns)
		return;
	count = count < FIGURE_THREADS ? count : FIGURE_THREADS;
	begin_figure(out, (int)count * ROW_HEIGHT + 30, "Threads over time");
	for (size_t i = 0; i < count; i++) {
		const struct overview_thread *thread = &overview->threads[i];
		int top = TOP + (int)i * ROW_HEIGHT;

		put_label(out, LEFT - 6, top + BAR_HEIGHT - 2, "end",
			  thread_name_text(&profile->threads[thread->number].name));
		put_row(out, thread->states[0], &x, top);
	}
	caption =
		xasprintf("The %zu of %zu threads with the most CPU time. Each place shows the "
			  "longest state there, or that the thread was blocked and ran in between.",
			  count, overview->thread_count + overview->left_out);
	end_figure(out, caption);
	free(caption);
}

/* --- Forecast ------------------------------------------------------------------------------ */

/* Draws the curve of the program, without what-ifs. */
static void put_curve(FILE *out, const struct forecast *forecast, const struct axis *x,
		      const struct axis *y)
{
	fputs("<path class=\"line\" d=\"", out);
	for (size_t i = 0; i < forecast->row_count; i++)
		fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M',
			place(x, log2((double)forecast->rows[i].cores)),
			place(y, forecast->rows[i].wall_s));
	fputs("\"/>\n", out);
}

static void put_band(FILE *out, const struct forecast *forecast, const struct axis *x,
		     const struct axis *y)
{
	const struct forecast_row *rows = forecast->rows;
	size_t count = forecast->row_count;

	for (size_t i = 0; i < count; i++)
		if (!isfinite(rows[i].lo_s) || !isfinite(rows[i].hi_s))
			return;
	fputs("<path class=\"band\" d=\"", out);
	for (size_t i = 0; i < 2 * count; i++) {
		const struct forecast_row *row = &rows[i < count ? i : 2 * count - 1 - i];

		fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', place(x, log2((double)row->cores)),
			place(y, i < count ? row->hi_s : row->lo_s));
	}
	fputs("Z\"/>\n", out);
}

void page_figure_forecast(FILE *out, const struct forecast *forecast)
{
	struct axis x = {0, 1, LEFT, RIGHT}, y = {0, 0, BOTTOM, TOP};

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct forecast_row *row = &forecast->rows[i];

		x.most = fmax(x.most, log2((double)row->cores));
		y.most = fmax(y.most, fmax(row->wall_s, row->hi_s)); /* fmax() ignores NaN */
	}
	if (!(y.most > 0))
		return;
	begin_figure(out, HEIGHT, "Forecast");
	put_band(out, forecast, &x, &y);
	put_curve(out, forecast, &x, &y);
	for (size_t i = 0; i < forecast->row_count; i++)
		put_value(out, place(&x, log2((double)forecast->rows[i].cores)), HEIGHT - 12,
			  "middle", (double)forecast->rows[i].cores, UNIT_SHORT);
	put_value(out, LEFT - 6, TOP + 10, "end", y.most, UNIT_SPAN);
	put_label(out, LEFT - 6, BOTTOM, "end", "0");
	end_figure(out, "Wall time by number of cores, with its 90 % interval where there is one.");
}

/* --- The performance model ----------------------------------------------------------------- */

/* Draws the graph of `pscal model --plot`, if graphviz is installed and the graph fits. */
void page_figure_model(FILE *out, const struct model_view *view, size_t number)
{
	char *dot = NULL, *svg = NULL;
	size_t dot_size = 0, svg_size = 0;
	FILE *dot_out = open_memstream(&dot, &dot_size), *svg_out = open_memstream(&svg, &svg_size);
	struct err ignored;

	if (!dot_out || !svg_out)
		abort();
	model_dot_write(dot_out, view);
	fclose(dot_out);
	if (!plot_graph_embed(svg_out, dot, dot_size, &ignored) && !fflush(svg_out) &&
	    svg_size <= NETWORK_SIZE)
		fprintf(out,
			"<figure class=\"network\" id=\"network-%zu\">\n%s<figcaption>Requests on "
			"their way through "
			"queues and pools of threads; dashed: locks, disks and "
			"delays.</figcaption>\n</figure>\n",
			number, svg);
	fclose(svg_out);
	free(svg);
	free(dot);
}
