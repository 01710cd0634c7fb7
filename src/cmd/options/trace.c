/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/trace.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/names.h"
#include "base/printable.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "decode/trace_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option target_options[] = {
	{"pid", '\0', OPTION_IDS, offsetof(struct trace_options, pids),
	 .help = "processes with all their descendants", .argument = "LIST", .min = 1,
	 .max = INT32_MAX},
	{"tid", '\0', OPTION_IDS, offsetof(struct trace_options, tids), .help = "single threads",
	 .argument = "LIST", .min = 1, .max = INT32_MAX, .rare = true},
	{"comm", '\0', OPTION_TEXT, offsetof(struct trace_options, selection.comm),
	 .help = "threads of this name", .argument = "NAME"},
	OPTION_TABLE_END};

static int run_command(const struct trace_command *command, bool several,
		       const struct options *common, struct err *err)
{
	struct trace_options *trace = command->own;
	struct selection *selection = &trace->selection;
	const char *path = options_file(common, TRACE_USUAL_FILE, several, err);
	int rc;

	selection->pids = trace->pids.items;
	selection->pid_count = trace->pids.count;
	selection->tids = trace->tids.items;
	selection->tid_count = trace->tids.count;
	if (!path || (command->finish && command->finish(command->own, err)))
		return STATUS_USAGE;
	rc = command->print(command->own, common, path, err);
	return rc < 0 ? STATUS_FAILED : rc;
}

static int read_and_run(const struct trace_command *command, bool several, int argc,
			const char **argv, struct err *err)
{
	const struct option table[] = {{.type = OPTION_TABLE, .table = command->table},
				       {.type = OPTION_HEADING, .help = "Target:"},
				       {.type = OPTION_TABLE, .table = target_options},
				       OPTION_TABLE_END};
	struct trace_options *trace = command->own;
	struct options common;
	int status;

	trace->common = &common;
	status = options_read(&common, OPTIONS_REPORT, several ? "[FILE...]" : "[FILE]", table,
			      command->own, argc, argv, err);
	if (status < 0)
		status = run_command(command, several, &common, err);
	if (command->assertions && status == STATUS_DONE)
		status = assertions_status(command->assertions, err);
	if (command->assertions)
		assertions_release(command->assertions);
	options_release(&common);
	return status;
}

int trace_command_run(const struct trace_command *command, int argc, const char **argv,
		      struct err *err)
{
	return read_and_run(command, false, argc, argv, err);
}

int trace_command_run_several(const struct trace_command *command, int argc, const char **argv,
			      struct err *err)
{
	return read_and_run(command, true, argc, argv, err);
}

/* Sets the error about a missing pscal.data; it names recordings that exist. */
static void refuse_usual(struct err *err)
{
	struct nearest nearest;
	char *list;

	nearest_files(&nearest, TRACE_USUAL_FILE);
	list = nearest_list(&nearest);
	err_set(err,
		"there is no " TRACE_USUAL_FILE " here; %s%s%s'pscal record -- COMMAND' makes one",
		nearest.count ? "name a FILE, as " : "", list, nearest.count ? ", or " : "");
	free(list);
}

struct input *trace_input(struct trace_options *options, const char *path, bool quiet,
			  struct err *err)
{
	struct input *input;

	if (!options->common->arg_count && strcmp(path, TRACE_USUAL_FILE) == 0 &&
	    access(path, F_OK) != 0) {
		refuse_usual(err);
		return NULL;
	}
	progress_begin(&options->progress, quiet);
	input = trace_input_open(path, options_owners(options->common), err);
	if (input)
		input_watch(input, 0, progress_show, &options->progress);
	return input;
}

struct event_source *trace_open(struct trace_options *options, const char *path, bool quiet,
				struct err *err)
{
	options->input = trace_input(options, path, quiet, err);
	return options->input ? trace_input_read(options->input, err) : NULL;
}

const char *trace_path_told(const char *path)
{
	return strcmp(path, TRACE_USUAL_FILE) ? path : NULL;
}

const char *trace_target_asked(const struct options *common)
{
	return options_first(common, (const char *const[]){"--pid", "--tid", "--comm", NULL});
}

void trace_option_append(char **text, const char *name, const char *value)
{
	char *quoted = value ? shell_quote((const char *const[]){value, NULL}) : NULL;

	if (quoted)
		xappend(text, "", "%s%s %s", name ? " --" : "", name ? name : "", quoted);
	free(quoted);
}

static char *arguments_but(const char *except, const struct options *common,
			   const char *const *files, size_t count)
{
	bool is_read_again = true;
	char *text = xstrdup("");

	for (const struct option *option = target_options; option->name; option++)
		if (strcmp(option->name, except) != 0)
			trace_option_append(&text, option->name,
					    options_text(common, option->name));
	for (size_t i = 0; i < count; i++) {
		is_read_again &= strcmp(files[i], "-") != 0;
		if (count > 1 || *text || trace_path_told(files[i]))
			trace_option_append(&text, NULL, files[i]);
	}
	if (is_read_again)
		return text;
	free(text);
	return NULL;
}

char *trace_arguments(const struct options *common, const char *const *files, size_t count)
{
	return arguments_but("", common, files, count);
}

char *trace_arguments_but_tid(const struct options *common, const char *path)
{
	return arguments_but("tid", common, &path, 1);
}
