/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_request {
	struct options common;
	const char *pids, *duration, *frequency, *sync, *path, *cores;
};

#define AT(field) offsetof(struct run_request, field)

static const struct option run_table[] = {
	{"pid", 'p', OPTION_TEXT, AT(pids), .help = "record running processes, not a COMMAND",
	 .argument = "PID[,PID]"},
	{"duration", '\0', OPTION_TEXT, AT(duration),
	 .help = "stop recording after a time, say 10 or 500ms", .argument = "S"},
	{"freq", 'F', OPTION_TEXT, AT(frequency),
	 .help = "sample what runs, so often a second, say 997", .argument = "HZ"},
	{"sync", '\0', OPTION_TEXT, AT(sync),
	 .help = "the calls in which threads wait: futex (default), all or none",
	 .argument = "WHICH"},
	{"cores", 'n', OPTION_TEXT, AT(cores),
	 .help = "forecast for these core counts, say 1,2,8-16", .argument = "LIST"},
	{"output", 'o', OPTION_TEXT, AT(path),
	 .help = "the recording (default " TRACE_USUAL_FILE ")", .argument = "FILE"},
	OPTION_TABLE_END};

/* The words of a command of pscal. */
struct run_words {
	const char **items;
	size_t count, capacity;
};

static void add_word(struct run_words *words, const char *word)
{
	array_reserve(&words->items, &words->capacity, words->count + 2);
	words->items[words->count++] = word;
	words->items[words->count] = NULL;
}

/* An option with its argument, if there is one. */
static void add_option(struct run_words *words, const char *name, const char *argument)
{
	if (!argument)
		return;
	add_word(words, name);
	add_word(words, argument);
}

/* Returns the exit status, with a sentence in *err if the command of pscal has failed itself. */
static int run_words(const struct cmd *cmd, struct run_words *words, struct err *err)
{
	int status;

	err_set(err, "%s", "");
	status = cmd->run((int)words->count, words->items, err);
	free(words->items);
	if (*err->text)
		err_wrap(err, "%s", cmd->name);
	return status;
}

/* The status of what was recorded; STATUS_FAILED with a sentence if there is no recording. */
static int run_record(const struct run_request *request, struct err *err)
{
	struct run_words words = {.count = 0};
	char sync[64];

	add_word(&words, "pscal record");
	if (request->common.quiet)
		add_word(&words, "-q");
	if (request->common.verbose)
		add_word(&words, "-v");
	add_option(&words, "-o", request->path);
	add_option(&words, "-p", request->pids);
	add_option(&words, "--duration", request->duration);
	add_option(&words, "-F", request->frequency);
	if (request->sync) {
		snprintf(sync, sizeof(sync), "--sync=%s", request->sync);
		add_word(&words, sync);
	}
	add_word(&words, "--");
	for (size_t i = 0; i < request->common.arg_count; i++)
		add_word(&words, request->common.args[i]);
	return run_words(&cmd_record, &words, err);
}

static int run_show(const struct cmd *cmd, const struct run_request *request, struct err *err)
{
	struct run_words words = {.count = 0};

	add_word(&words, cmd->name);
	add_word(&words, request->common.verbose ? "-v" : cmd == &cmd_profile ? "--brief" : "-q");
	if (cmd == &cmd_forecast)
		add_option(&words, "-n", request->cores);
	add_word(&words, "--");
	add_word(&words, request->path);
	return run_words(cmd, &words, err);
}

static int check_request(const struct run_request *request, struct err *err)
{
	if (!request->common.arg_count && !request->pids)
		return err_set(err, "name a COMMAND to run, or processes that run with -p");
	if (request->common.arg_count && request->pids)
		return err_set(err, "record either a COMMAND or what runs already (-p), not both");
	if (strcmp(request->path, "-") == 0)
		return err_set(err, "-o -: the recording is read again; name a file");
	return 0;
}

/* The commands that say more of the recording. */
static void print_next(const char *path)
{
	const char *words[] = {path, NULL};
	char *name = strcmp(path, TRACE_USUAL_FILE) ? shell_quote(words) : xstrdup("");
	const char *blank = *name ? " " : "";

	printf("\nnext: pscal profile%s%s; pscal forecast --why%s%s\n", blank, name, blank, name);
	free(name);
}

static int run_all(const struct run_request *request, struct err *err)
{
	int status = run_record(request, err), shown;

	if (*err->text)
		return status;
	fflush(stderr);
	shown = run_show(&cmd_profile, request, err);
	if (shown == STATUS_DONE) {
		putchar('\n');
		shown = run_show(&cmd_forecast, request, err);
	}
	if (shown == STATUS_DONE && !request->common.quiet)
		print_next(request->path);
	return shown == STATUS_DONE ? status : shown;
}

static int cmd_run_run(int argc, const char **argv, struct err *err)
{
	struct run_request request = {.path = TRACE_USUAL_FILE};
	int status = options_read(&request.common, OPTIONS_RECORD, "[--] COMMAND [ARG...]",
				  run_table, &request, argc, argv, err);

	if (status < 0)
		status = check_request(&request, err) ? STATUS_USAGE : run_all(&request, err);
	options_release(&request.common);
	return status;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "run a command, and see its profile and its forecast",
	.run = cmd_run_run,
};
