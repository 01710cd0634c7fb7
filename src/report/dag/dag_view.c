/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/dag_view.h"

#include "base/alloc.h"
#include "report/dag/task_name.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SPAN_TEXT = 32 };

const char *dag_view_kind(enum dag_node_kind kind)
{
	static const char *const names[] = {
		[DAG_SECTION] = "section", [DAG_SUBTREE] = "subtree", [DAG_GROUP] = "group",
		[DAG_REST] = "rest",	   [DAG_JOIN] = "join",
	};

	return names[kind];
}

static const char *span_text(char text[SPAN_TEXT], uint64_t ns)
{
	struct cell cell = cell_seconds(ns);

	return format_cell(text, SPAN_TEXT, &cell, UNIT_SPAN);
}

/* --- Nodes --------------------------------------------------------------------------------- */

struct site_name dag_view_site(const struct dag_view *view, const struct dag_node *node)
{
	bool is_known = node->site != TASK_UNKNOWN_SITE || node->kind == DAG_REST;

	return task_site_name(view->tree,
			      is_known ? node->site : view->tree->tasks[node->task].site);
}

/* The last part of a path. */
static char *file_text(const struct site_name *site)
{
	const char *slash = memrchr(site->file, '/', (size_t)site->file_length);
	const char *name = slash ? slash + 1 : site->file;

	return xasprintf("%.*s", (int)(site->file + site->file_length - name), name);
}

/* "fib fib.c:17", and "-23" where a section ends there. */
static char *site_text(const struct dag_view *view, const struct dag_node *node)
{
	struct site_name begin = dag_view_site(view, node);
	struct site_name end = task_site_name(view->tree, node->site_end);
	char *name = task_name(begin.function, (size_t)begin.function_length), *file, *text;

	if (!begin.file)
		return name;
	file = file_text(&begin);
	if (node->kind != DAG_SECTION || !end.file || end.line <= begin.line)
		text = xasprintf("%s %s:%u", name, file, begin.line);
	else
		text = xasprintf("%s %s:%u-%u", name, file, begin.line, end.line);
	free(file);
	free(name);
	return text;
}

char *dag_view_name(const struct dag_view *view, const struct dag_node *node)
{
	if (node->kind == DAG_JOIN)
		return xstrdup("barrier");
	if (node->kind == DAG_REST)
		return xasprintf("%" PRIu64 " other roots", node->members);
	return site_text(view, node);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

char *dag_view_content(const struct dag_node *node)
{
	char time[SPAN_TEXT];

	span_text(time, node->work_ns);
	if (node->kind == DAG_JOIN)
		return xstrdup("");
	if (node->kind == DAG_SECTION)
		return xasprintf("%s, %" PRIu64 " block%s", time, node->blocks,
				 plural(node->blocks));
	if (node->kind == DAG_GROUP)
		return xasprintf("%s, %" PRIu64 " alike, %" PRIu64 " task%s", time, node->members,
				 node->tasks, plural(node->tasks));
	return xasprintf("%s, %" PRIu64 " task%s", time, node->tasks, plural(node->tasks));
}

static char *count_text(const struct task_counter *counter, uint64_t value)
{
	char span[SPAN_TEXT];

	if (value == TASK_COUNT_UNKNOWN)
		return xasprintf("%s ?", counter->name);
	if (counter->in_ns)
		return xasprintf("%s %s", counter->name, span_text(span, value));
	return xasprintf("%s %" PRIu64, counter->name, value);
}

char *dag_view_counts(const struct dag_view *view, const struct dag_node *node)
{
	const uint64_t *counts = dag_counts(view->dag, (size_t)(node - view->dag->nodes));
	char *text = xstrdup("");

	for (size_t i = 0; i < view->shown_count && node->kind != DAG_JOIN; i++) {
		size_t counter = view->shown[i];
		char *one = count_text(&view->tree->counters.items[counter], counts[counter]);
		char *longer = xasprintf("%s%s%s", text, i ? ", " : "", one);

		free(one);
		free(text);
		text = longer;
	}
	return text;
}

/* --- All of it ----------------------------------------------------------------------------- */

char *dag_view_verdict(const struct dag_view *view)
{
	char work[SPAN_TEXT], span[SPAN_TEXT];
	const struct dag *dag = view->dag;

	if (!dag->span_ns)
		return xasprintf("%zu tasks in %u levels did nothing that takes time on a CPU.",
				 view->tree->task_count, view->tree->levels);
	return xasprintf("%zu task%s in %u level%s did %s of work; the critical path takes %s, so "
			 "that no more than %.2f cores can be busy on average.",
			 view->tree->task_count, plural(view->tree->task_count), view->tree->levels,
			 plural(view->tree->levels), span_text(work, dag->work_ns),
			 span_text(span, dag->span_ns),
			 (double)dag->work_ns / (double)dag->span_ns);
}

/* "3 steps WHAT", or NULL for none. */
static char *count_note(uint64_t count, const char *noun, const char *what)
{
	return count ? xasprintf("%" PRIu64 " %s%s %s", count, noun, plural(count), what) : NULL;
}

static char *shape_note(const struct dag_view *view)
{
	const struct dag *dag = view->dag;

	if (!view->options.max_nodes || dag->all_nodes <= view->options.max_nodes)
		return NULL;
	return xasprintf(
		"There are %" PRIu64 " nodes, and room for %zu: %s%s%s. --max-nodes %" PRIu64
		" shows them all.",
		dag->all_nodes, view->options.max_nodes,
		dag->is_lowered ? "a task and all below it are one node" : "",
		dag->is_lowered && dag->is_grouped ? ", and " : "",
		dag->is_grouped ? "siblings that are alike are one node" : "", dag->all_nodes);
}

static char *level_note(const struct dag_view *view)
{
	if (view->dag->level >= view->tree->levels)
		return NULL;
	return xasprintf("At level %u of %u a node stands for a task and all below it.",
			 view->dag->level, view->tree->levels);
}

static char *states_note(const struct dag_view *view)
{
	char time[SPAN_TEXT];

	if (!view->tree->has_states)
		return xstrdup("The scheduler is not on record: times are those of blocks, on a "
			       "CPU or not.");
	if (!view->tree->unknown_ns)
		return NULL;
	return xasprintf("For %s in blocks it is not known whether they were on a CPU; they count "
			 "as if they had been.",
			 span_text(time, view->tree->unknown_ns));
}

static char *doubt_note(const struct dag_view *view, size_t i)
{
	const struct task_tree *tree = view->tree;

	switch (i) {
	case 0:
		return states_note(view);
	case 1:
		return count_note(tree->lost, "step",
				  "of tasks lost: what is missing between tasks may be, too.");
	case 2:
		return count_note(tree->orphans, "step", "of tasks that are not known, left out.");
	case 3:
		return count_note(tree->never_begun, "task",
				  "known by children only, as the beginning is not on record.");
	case 4:
		return count_note(tree->never_run, "task",
				  "that a parent has spawned and that never began.");
	case 5:
		return count_note(tree->never_ended, "task", "that never ended on record.");
	case 6:
		return count_note(tree->never_synced, "task",
				  "that no sync has waited for: nothing comes behind.");
	default:
		return count_note(view->dag->contradictions, "block",
				  "that by the clocks would come before itself: what it waited "
				  "for is left out there.");
	}
}

enum { DOUBTS = 8 };

char *dag_view_note(const struct dag_view *view, size_t i)
{
	size_t found = 0;

	for (size_t k = 0; k < DOUBTS + 2; k++) {
		char *note = k == 0   ? shape_note(view)
			     : k == 1 ? level_note(view)
				      : doubt_note(view, k - 2);

		if (note && found++ == i)
			return note;
		free(note);
	}
	return NULL;
}
