/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model as a network: sources, queues, pools, and the stations where threads wait. The rates are
 * those of the simulation of the unchanged model.
 */
#include "base/alloc.h"
#include "base/err.h"
#include "report/graph/plot_graph.h"
#include "report/model/report_model.h"
#include "report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of stations that is readable in a picture. */
enum { STATIONS_DRAWN = 40 };

/* The utilisation and the mean length below which a station is not drawn. */
static const double least_busy = .001;

static const char beginning[] =
	"digraph model {\n"
	"\trankdir=LR;\n"
	"\tnode [shape=box, style=filled, fillcolor=\"#eef3fa\", color=\"#4f6d94\",\n"
	"\t\tfontname=\"sans-serif\", fontsize=10];\n"
	"\tedge [color=\"#4f6d94\", fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];\n";

#define FULL "color=\"#c4161c\", penwidth=2.5"

static void put_node(FILE *out, const char *letter, size_t number, char *label, const char *style)
{
	char *rest = label, *line;

	fprintf(out, "\t%s%zu [label=\"", letter, number);
	while ((line = strsep(&rest, "\n"))) {
		plot_graph_text(out, line);
		fputs(rest ? "\\n" : "", out);
	}
	fprintf(out, "\"%s];\n", style);
	free(label);
}

static void put_edge(FILE *out, const char *from, size_t from_number, const char *to,
		     size_t to_number, double per_s, bool dashed)
{
	char rate[VALUE_SIZE];

	fprintf(out, "\t%s%zu -> %s%zu [", from, from_number, to, to_number);
	if (!isnan(per_s))
		fprintf(out, "label=\"%s/s\"", format_value(rate, per_s, UNIT_SHORT));
	fprintf(out, "%s];\n", dashed ? " style=dashed, arrowhead=none" : "");
}

/* --- Which stations --------------------------------------------------------------------------- */

static bool is_idle(const struct model_station *station, const struct model_station_result *result)
{
	return station->kind != MODEL_QUEUE &&
	       (station->per_thread ||
		(result->utilisation < least_busy && result->length < least_busy));
}

/* Marks the stations to draw, queues first; returns the number of others. */
static size_t choose_stations(bool *drawn, const struct model_view *view)
{
	const struct model *model = view->model;
	size_t count = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < model->station_count && count < STATIONS_DRAWN; i++)
			if ((model->stations[i].kind == MODEL_QUEUE) == (pass == 0) &&
			    !is_idle(&model->stations[i], &view->result->stations[i])) {
				drawn[i] = true;
				count++;
			}
	return model->station_count - count;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* Returns "lock " for a lock whose name does not begin so, as "lock-0x5624c5a7a308" does. */
static const char *named_word(const struct model_station *station)
{
	static const char *const words[MODEL_STATION_KINDS] = {
		[MODEL_QUEUE] = "queue ", [MODEL_LOCK] = "lock ", [MODEL_DISK] = "disk "};
	const char *word = words[station->kind];

	return strncmp(station->name, word, strlen(word) - 1) == 0 ? "" : word;
}

static void put_station(FILE *out, const struct model_view *view, size_t i)
{
	static const char *const shapes[MODEL_STATION_KINDS] = {
		[MODEL_QUEUE] = ", shape=cds, margin=\"0.2,0.06\", fillcolor=\"#ffffff\"",
		[MODEL_LOCK] = ", shape=ellipse, fillcolor=\"#fff6e0\"",
		[MODEL_DISK] = ", shape=ellipse, fillcolor=\"#f0eee8\"",
		[MODEL_DELAY] = ", shape=ellipse, style=\"filled,dashed\", fillcolor=\"#ffffff\"",
	};
	const struct model_station *station = &view->model->stations[i];
	const struct model_station_result *result = &view->result->stations[i];
	char number[VALUE_SIZE], *label;

	if (station->kind == MODEL_QUEUE)
		label = xasprintf("%s%s\n%s waiting", named_word(station), station->name,
				  format_value(number, result->length, UNIT_SHORT));
	else if (station->kind == MODEL_DELAY)
		label = xasprintf("%s\n%s there", station->name,
				  format_value(number, result->utilisation, UNIT_SHORT));
	else
		label = xasprintf("%s%s\n%.0f %% busy", named_word(station), station->name,
				  100 * result->utilisation);
	put_node(out, "s", i, label, shapes[station->kind]);
}

static void put_source(FILE *out, const struct model_source *source, size_t i)
{
	char rate[VALUE_SIZE], *label;

	if (source->kind == MODEL_OPEN)
		label = xasprintf("%s\n%s/s", source->name,
				  format_value(rate, source->rate, UNIT_SHORT));
	else if (source->kind == MODEL_CLOSED)
		label = xasprintf("%s\n%" PRIu32 " clients", source->name, source->clients);
	else
		label = xasprintf("%s\n%" PRIu64 " items", source->name, source->items);
	put_node(out, "a", i, label, ", shape=ellipse, fillcolor=\"#e8f5e9\"");
}

static void put_pool(FILE *out, const struct model_view *view, size_t i)
{
	const struct model_pool *pool = &view->model->pools[i];
	double busy = view->result->pools[i].utilisation;

	put_node(out, "p", i,
		 xasprintf("%s\n%" PRIu32 " thread%s\n%.0f %% busy", pool->name, pool->threads,
			   plural(pool->threads, "", "s"), 100 * busy),
		 busy > .95 ? ", " FULL : "");
}

/* --- Edges ------------------------------------------------------------------------------------ */

/* The use of stations by the nodes of a pool. */
struct pool_uses {
	bool *puts, *waits; /* [station] */
	bool ends;	    /* it answers requests */
};

static void find_uses(struct pool_uses *uses, const struct model *model,
		      const struct model_pool *pool)
{
	bool puts = false, done = false;

	for (size_t i = 0; i < pool->node_count; i++) {
		const struct model_node *node = &pool->nodes[i];

		done |= node->kind == MODEL_DONE;
		puts |= node->kind == MODEL_PUT;
		if (node->station < model->station_count)
			(node->kind == MODEL_PUT ? uses->puts : uses->waits)[node->station] = true;
	}
	uses->ends = done || !puts;
}

/* Returns the rate of the only user of a station; NAN if several pools or sources use it. */
static double rate_of(const struct model_view *view, size_t station, const size_t *users)
{
	return users[station] == 1 ? view->result->stations[station].arrivals_per_s : NAN;
}

static void put_uses(FILE *out, const struct model_view *view, const bool *drawn,
		     const struct pool_uses *uses, size_t pool, const size_t *users)
{
	for (size_t i = 0; i < view->model->station_count; i++) {
		if (!drawn[i])
			continue;
		if (uses->puts[i])
			put_edge(out, "p", pool, "s", i, rate_of(view, i, users), false);
		if (uses->waits[i])
			put_edge(out, "p", pool, "s", i, rate_of(view, i, users), true);
	}
	if (uses->ends)
		put_edge(out, "p", pool, "z", 0, view->result->pools[pool].visits_per_s, false);
}

static void put_edges(FILE *out, const struct model_view *view, const bool *drawn)
{
	const struct model *model = view->model;
	struct pool_uses *uses = xcalloc(model->pool_count + 1, sizeof(*uses));
	size_t *users = xcalloc(model->station_count + 1, sizeof(*users));

	for (size_t i = 0; i < model->source_count; i++)
		for (size_t j = 0; j < model->sources[i].to_count; j++) {
			uint32_t to = model->sources[i].to[j];

			users[to]++;
			if (drawn[to])
				put_edge(out, "a", i, "s", to,
					 model->source_count == 1 ? view->result->throughput_per_s
								  : NAN,
					 false);
		}
	for (size_t i = 0; i < model->pool_count; i++) {
		uses[i].puts = xcalloc(model->station_count + 1, sizeof(*uses[i].puts));
		uses[i].waits = xcalloc(model->station_count + 1, sizeof(*uses[i].waits));
		find_uses(&uses[i], model, &model->pools[i]);
		for (size_t j = 0; j < model->station_count; j++)
			users[j] += uses[i].puts[j] + (size_t)uses[i].waits[j];
	}
	for (size_t i = 0; i < model->pool_count; i++) {
		if (drawn[model->pools[i].takes])
			put_edge(out, "s", model->pools[i].takes, "p", i,
				 view->result->pools[i].visits_per_s, false);
		put_uses(out, view, drawn, &uses[i], i, users);
		free(uses[i].puts);
		free(uses[i].waits);
	}
	free(users);
	free(uses);
}

/* --- All of it -------------------------------------------------------------------------------- */

void model_dot_write(FILE *out, const struct model_view *view)
{
	const struct model *model = view->model;
	bool *drawn = xcalloc(model->station_count + 1, sizeof(*drawn));
	size_t left = choose_stations(drawn, view);

	fputs(beginning, out);
	if (left)
		fprintf(out,
			"\tlabel=\"Left out: %zu of the queues, locks, disks and delays, most with "
			"next to no waits\";\n",
			left);
	for (size_t i = 0; i < model->source_count; i++)
		put_source(out, &model->sources[i], i);
	for (size_t i = 0; i < model->station_count; i++)
		if (drawn[i])
			put_station(out, view, i);
	for (size_t i = 0; i < model->pool_count; i++)
		put_pool(out, view, i);
	fputs("\tz0 [label=\"answered\", shape=ellipse, fillcolor=\"#e8f5e9\"];\n", out);
	put_edges(out, view, drawn);
	fputs("}\n", out);
	free(drawn);
}

int plot_model(const struct model_view *view, const char *path, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out)
		return err_set(err, "%s: cannot make the graph: %m", path);
	model_dot_write(out, view);
	rc = fclose(out)
		     ? err_set(err, "%s: cannot make the graph: %m", path)
		     : plot_graph(text, size, path, "the model has too many parts to draw", err);
	free(text);
	return rc;
}
