/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "report/dag/report_dag.h"
#include "report/graph/plot_graph.h"
#include "report/report.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <stdlib.h>
#include <string.h>

/* The most tasks that are readable in a picture. */
enum { USUAL_NODES = 40 };

#define NO_NUMBER "is not a number from 0 to 4294967295"

struct dag_command {
	struct trace_options trace;
	uint64_t level, max_nodes;
	const char *show, *plot;
	bool dot;
};

static const struct option dag_table[] = {
	{"plot", '\0', OPTION_TEXT, offsetof(struct dag_command, plot),
	 .help = "draw the graph into a .svg, .png or .pdf file", .argument = "FILE"},
	{"dot", '\0', OPTION_FLAG, offsetof(struct dag_command, dot),
	 .help = "print the graph for graphviz"},
	{"max-nodes", '\0', OPTION_COUNT, offsetof(struct dag_command, max_nodes),
	 .help = "largest number of nodes (default: 40 in a graph, else all; 0: all)",
	 .argument = "N", .max = UINT32_MAX, .refusal = NO_NUMBER},
	{"level", '\0', OPTION_COUNT, offsetof(struct dag_command, level),
	 .help = "a task of level N is one node with all tasks below it; 0: roots", .argument = "N",
	 .max = UINT32_MAX, .refusal = NO_NUMBER, .advanced = true},
	{"show", '\0', OPTION_TEXT, offsetof(struct dag_command, show),
	 .help = "counters on the nodes: switches, migrations, faults, all", .argument = "NAMES",
	 .advanced = true},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	struct dag_command *command = own;
	bool is_text = command->trace.common->format == REPORT_TEXT;

	if (command->dot && !is_text)
		return err_set(err, "--dot: is text; leave out --format");
	if (command->max_nodes == UINT64_MAX)
		command->max_nodes = is_text || command->plot ? USUAL_NODES : 0;
	if (command->plot && plot_graph_check_path(command->plot, err))
		return err_wrap(err, "--plot");
	return 0;
}

static int report_graph(struct dag_command *command, const struct dag_view *view, struct err *err)
{
	struct report *report = options_report(command->trace.common, err);

	if (!report)
		return -1;
	report_dag(report, view);
	if (report_finish(report, 0, err))
		return -1;
	return command->plot ? plot_dag(view, command->plot, err) : 0;
}

static int show_dag(struct dag_command *command, const struct task_tree *tree, const char *path,
		    struct err *err)
{
	char *again = trace_arguments(command->trace.common, &path, 1);
	struct dag dag;
	struct dag_view view = {
		.dag = &dag,
		.tree = tree,
		.again = again,
		.is_drawn = command->plot,
		.as_dot = command->dot,
		.options = {.level = (uint32_t)command->level, .max_nodes = command->max_nodes}};
	size_t *shown;
	int rc = options_shown(&shown, &view.shown_count, command->show, &tree->counters, err);

	if (!rc) {
		view.shown = shown;
		dag_init(&dag, tree, &view.options);
		rc = report_graph(command, &view, err);
		dag_release(&dag);
	}
	free(shown);
	free(again);
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
		rc = show_dag(command, &tree, path, err);
		task_tree_release(&tree);
	}
	event_source_free(source);
	return rc;
}

static int cmd_dag_run(int argc, const char **argv, struct err *err)
{
	struct dag_command own = {.level = UINT32_MAX, .max_nodes = UINT64_MAX};
	const struct trace_command command = {dag_table, &own, finish, print_dag, NULL};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_dag = {
	.name = "dag",
	.summary = "critical path and parallelism of tasks, and their graph",
	.run = cmd_dag_run,
};
