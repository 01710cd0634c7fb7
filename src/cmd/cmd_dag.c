/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "report/dag/plot_dag.h"
#include "report/dag/report_dag.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <stdlib.h>

/* What graphviz draws in seconds. */
enum { USUAL_NODES = 500 };

struct dag_command {
	struct trace_options trace;
	char *level_text, *nodes_text, *show, *plot; /* as typed */
	struct dag_options options;
};

static int read_number(uint64_t *value, const char *text, uint64_t most, const char *option,
		       struct err *err)
{
	if (!text || !parse_u64(value, text, most))
		return 0;
	return err_set(err, "%s %s: that is no number from 0 to %" PRIu64, option, text, most);
}

static int finish(void *own, struct err *err)
{
	struct dag_command *command = own;
	uint64_t level = UINT32_MAX, nodes = USUAL_NODES;

	if (read_number(&level, command->level_text, UINT32_MAX, "--level", err) ||
	    read_number(&nodes, command->nodes_text, UINT32_MAX, "--max-nodes", err))
		return -1;
	command->options = (struct dag_options){.level = (uint32_t)level, .max_nodes = nodes};
	if (command->plot && plot_dag_check_path(command->plot, err))
		return err_wrap(err, "--plot");
	return 0;
}

static int find_shown(size_t **shown, size_t *count, const struct dag_command *command,
		      const struct task_tree *tree, struct err *err)
{
	const struct task_counters *counters = &tree->counters;
	const char **names = xcalloc(counters->count + 1, sizeof(*names));
	int rc;

	for (size_t i = 0; i < counters->count; i++)
		names[i] = counters->items[i].name;
	rc = options_shown(shown, count, command->show, names, counters->count, err);
	free(names);
	return rc;
}

static int report_graph(struct dag_command *command, const struct dag_view *view, struct err *err)
{
	struct report *report = options_report(command->trace.common, err);

	if (!report)
		return -1;
	report_dag(report, view, command->plot);
	if (report_close(report, err))
		return -1;
	return command->plot ? plot_dag(view, command->plot, err) : 0;
}

static int show_dag(struct dag_command *command, const struct task_tree *tree, struct err *err)
{
	struct dag dag;
	struct dag_view view = {.dag = &dag, .tree = tree, .options = command->options};
	size_t *shown;
	int rc = find_shown(&shown, &view.shown_count, command, tree, err);

	if (!rc) {
		view.shown = shown;
		dag_init(&dag, tree, &command->options);
		rc = report_graph(command, &view, err);
		dag_release(&dag);
	}
	free(shown);
	return rc;
}

static int print_dag(void *own, const struct options *common, const char *path, struct err *err)
{
	struct dag_command *command = own;
	struct event_source *source = trace_open(&command->trace, path, common->quiet, err);
	struct task_tree tree;
	int rc;

	if (!source)
		return -1;
	rc = task_tree_read(&tree, source, &command->trace.selection, err);
	progress_end(&command->trace.progress);
	if (!rc) {
		rc = show_dag(command, &tree, err);
		task_tree_release(&tree);
	}
	event_source_free(source);
	return rc;
}

static int cmd_dag_run(int argc, const char **argv, struct err *err)
{
	struct dag_command own = {.plot = NULL};
	const struct poptOption table[] = {
		{"level", '\0', POPT_ARG_STRING, &own.level_text, 0,
		 "a task of this level is one node with all below it; 0: roots", "N"},
		{"max-nodes", '\0', POPT_ARG_STRING, &own.nodes_text, 0,
		 "lower the level until there are no more nodes (default: 500; 0: all)", "N"},
		{"show", '\0', POPT_ARG_STRING, &own.show, 0,
		 "counters on the nodes: switches, migrations, faults, all", "NAMES"},
		{"plot", '\0', POPT_ARG_STRING, &own.plot, 0,
		 "draw it into a .svg, .png or .pdf file", "FILE"},
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print_dag};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_dag = {
	.name = "dag",
	.summary = "the graph of a program's tasks, and its critical path",
	.run = cmd_dag_run,
};
