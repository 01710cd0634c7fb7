/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/io/input.h"
#include "cmd/model/model_load.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "model/file/model_file.h"
#include "report/graph/plot_graph.h"
#include "report/model/report_model.h"
#include "report/plot.h"
#include "report/report.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct model_command {
	struct trace_options trace;
	const char *output, *plot;
};

static const struct option model_table[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct model_command, output),
	 .help = "write the model to a JSON file, for forecast to read or for you to edit",
	 .argument = "FILE"},
	{"plot", '\0', OPTION_TEXT, offsetof(struct model_command, plot),
	 .help = "draw the queueing network into a .svg, .png or .pdf file", .argument = "FILE"},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	struct model_command *command = own;

	if (command->output && options_check_output(command->trace.common, command->output, err))
		return err_wrap(err, "-o");
	if (command->plot && plot_graph_check_path(command->plot, err))
		return err_wrap(err, "--plot");
	return 0;
}

static int keep_model(const struct model *model, const char *path, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out)
		return err_set(err, "%s: cannot write the model: %m", path);
	rc = model_write(model, out, err);
	if (fclose(out) && !rc)
		rc = err_set(err, "%s: cannot write the model: %m", path);
	if (!rc)
		rc = plot_write(path, text, size, err);
	free(text);
	return rc;
}

static int print_model(const struct model_command *command, const struct model_view *view,
		       struct err *err)
{
	struct report *report;

	if (command->output && keep_model(view->model, command->output, err))
		return -1;
	report = options_report(command->trace.common, err);
	if (!report)
		return -1;
	report_model(report, view);
	if (report_finish(report, 0, err))
		return -1;
	return command->plot ? plot_model(view, command->plot, err) : 0;
}

static int print_input(void *own, const struct options *common, const char *path, struct err *err)
{
	struct model_command *command = own;
	struct input *input = trace_input(&command->trace, path, common->quiet, err);
	const char *target = trace_target_asked(common);
	struct model_loaded loaded;
	char *again = NULL;
	int rc;

	if (input && target && model_input_is(input)) {
		err_set(err, "%s: is a model, and %s needs a recording", input->name, target);
		input_close(input);
		return STATUS_USAGE;
	}
	if (!input || model_load(&loaded, &command->trace, input, true, err))
		return -1;
	if (command->output)
		trace_option_append(&again, NULL, command->output);
	else
		again = trace_arguments(common, &path, 1);
	rc = print_model(command,
			 &(struct model_view){
				 .model = &loaded.model,
				 .findings = loaded.is_extracted ? &loaded.findings : NULL,
				 .result = &loaded.result,
				 .path = path,
				 .again = again,
			 },
			 err);
	free(again);
	model_loaded_release(&loaded);
	return rc;
}

static int cmd_model_run(int argc, const char **argv, struct err *err)
{
	struct model_command own = {.output = NULL};
	const struct trace_command command = {model_table, &own, finish, print_input, NULL};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_model = {
	.name = "model",
	.summary = "pools, queues and locks of a server, to forecast with",
	.run = cmd_model_run,
};
