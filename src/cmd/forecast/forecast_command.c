/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/forecast_command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "stats/profile/levels.h"

#include <stdlib.h>
#include <string.h>

static const double share_most = 100; /* above 1 the work takes longer */

/* Reads the shares of a what-if, "0,25%,50%". Returns 0, or -1 if one of them is not a share. */
static int read_shares(struct forecast_change *change, const char *text)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	change->shares = xcalloc(FORECAST_WHAT_IFS, sizeof(*change->shares));
	for (char *item; !rc && (item = strsep(&rest, ","));) {
		double *share = &change->shares[change->share_count];

		rc = change->share_count == FORECAST_WHAT_IFS || parse_share(share, item) ||
				     !(*share >= 0 && *share <= share_most)
			     ? -1
			     : 0;
		change->share_count++;
	}
	free(copy);
	return rc;
}

/* NAME=SHARE,...: the last "=" separates them, as a name may contain one. */
static int read_change(void *own, char *text, struct err *err)
{
	struct forecast_command *command = own;
	size_t count = command->request.change_count;
	const char *sign = strrchr(text, '=');
	struct forecast_change *change;

	if (strcmp(text, "list") == 0) {
		command->request.list = true;
		return 0;
	}
	command->request.change_count++;
	command->changes = xreallocarray(command->changes, count + 1, sizeof(*command->changes));
	command->request.changes = command->changes;
	change = &command->changes[count];
	*change = (struct forecast_change){.text = text};
	if (!sign || sign == text || read_shares(change, sign + 1))
		return err_set(
			err,
			"--what-if %s: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%%, "
			"or up to %d of them with commas between",
			text, FORECAST_WHAT_IFS);
	change->site = xasprintf("%.*s", (int)(sign - text), text);
	return 0;
}

static const char *const models[] = {"closed-form", "replay", NULL};
static const char *const spins[] = {"work", "waiting", NULL};

#define AT(field) offsetof(struct forecast_command, field)

const struct assertion_name forecast_command_quantities[] = {
	{"wall_s", .id = FORECAST_WALL, .takes_n = true},
	{"speedup", .id = FORECAST_SPEEDUP, .takes_n = true},
	{"efficiency", .id = FORECAST_EFFICIENCY, .takes_n = true},
	{"throughput", .id = MODEL_WISH_THROUGHPUT},
	{"response_s", .id = MODEL_WISH_RESPONSE},
	{"response_p95_s", .id = MODEL_WISH_P95},
	{.name = NULL}};

const struct option forecast_command_options[] = {
	{"cores", 'n', OPTION_NUMBERS, AT(cores),
	 .help = "core counts to forecast for, as 1,2,4-16 (default: powers of two)",
	 .argument = "LIST", .min = 1, .max = CORES_MAX},
	{"quota", '\0', OPTION_SHARE, AT(request.quota_cpus),
	 .help = "under a quota of CPU time, as a container has: 1.5 or 150% of a CPU",
	 .argument = "CPUS", .min = .01, .max = CORES_MAX,
	 .refusal = "is not a quota from 0.01 CPUs on, as 1.5 or 150%"},
	{"why", '\0', OPTION_FLAG, AT(request.why),
	 .help = "cost of each wait, and of each function on the critical path"},
	BY_OPTION(AT(request.by), "a row for each site (default), name or process; with --why",
		  "site", NULL),
	{"what-if", '\0', OPTION_READ_EACH, .read = read_change,
	 .help = "forecast with SHARE of the waits at a site, or of the CPU time of a function or "
		 "of thread:NAME, as m=0 or f=50%,80%; repeatable; list: sites and functions",
	 .argument = "NAME=SHARE,..."},
	{"measured", '\0', OPTION_TEXT, AT(wish.measured_path),
	 .help = "compare with measurements: a table of cores,wall_s or threads,response_s",
	 .argument = "FILE", .rare = true},
	{.type = OPTION_TABLE, .table = assertion_options, .at = AT(assertions)},
	{.type = OPTION_TABLE, .table = plotting_options, .at = AT(plotting)},
	{"usl", '\0', OPTION_FLAG, AT(request.usl),
	 .help = "fit the Universal Scalability Law to the replay", .advanced = true},
	{"against", '\0', OPTION_TEXTS, AT(against.paths),
	 .help = "compare with a recording on other cores, and split the error into work, other "
		 "programs and structure; repeatable",
	 .argument = "FILE", .advanced = true},
	{"with", '\0', OPTION_TEXT, AT(with.path),
	 .help = "both programs on the same cores: replay this recording beside the other",
	 .argument = "FILE", .advanced = true},
	{"recorded-cores", '\0', OPTION_COUNT, AT(request.measured_cores),
	 .help = "cores of the recording (default: as recorded)", .argument = "N", .min = 1,
	 .max = CORES_MAX, .refusal = "is not a number of cores", .advanced = true},
	{"model", '\0', OPTION_CHOICE, AT(request.model), .choices = models,
	 .value = FORECAST_CLOSED_FORM,
	 .help = "replay or closed-form (default: replay where its checks pass)",
	 .argument = "MODEL", .refusal = "the models are closed-form and replay", .advanced = true},
	{"spin", '\0', OPTION_CHOICE, AT(spin), .choices = spins,
	 .help = "count busy-waiting as work (default) or as waiting", .argument = "KIND",
	 .refusal = "busy-waiting is counted as work or waiting", .advanced = true},
	{"discrepancy", '\0', OPTION_SHARE, AT(request.discrepancy),
	 .help = "extra interval width per doubling of cores (default: 6.5 %)", .argument = "SHARE",
	 .max = 1, .refusal = "is not a share from 0 to 1 or a percentage", .advanced = true},
	{"slowdown", '\0', OPTION_TEXT, AT(slowdown),
	 .help = "work is slower while more cores are busy: compute, memory, a share of memory-"
		 "bound work as 0.3, or a table of cores,slowdown",
	 .argument = "KIND", .advanced = true},
	{"calibrate", '\0', OPTION_FLAG, AT(calibrate),
	 .help = "measure the slowdown of a core while others are busy", .advanced = true},
	{"on", 'k', OPTION_GONE, .help = "is now -n or --cores"},
	{.type = OPTION_HEADING, .help = "With a performance model (see pscal model):"},
	{.type = OPTION_TABLE, .table = model_wish_options, .at = AT(wish)},
	OPTION_TABLE_END};

/* Questions that only a replay can answer, and other options that change it. */
#define QUESTIONS     "--why", "--what-if", "--usl"
#define OF_THE_REPLAY "--slowdown", "--quota", "--spin", "--discrepancy", QUESTIONS
/* Options that ask for another report than --against and --with do. */
#define OTHER_REPORTS "--calibrate", "--measured", "--assert", "--plot", "--chart", QUESTIONS

static const char *const beyond_closed_form[] = {OF_THE_REPLAY, "--with", NULL};

/* The first assertion about one of the quantities `from` to `to`; NULL: none. */
static const char *asserted(const struct forecast_command *command, int from, int to)
{
	for (size_t i = 0; i < command->assertions.count; i++) {
		const struct assertion *assertion = &command->assertions.items[i];

		if (assertion->name->id >= from && assertion->name->id <= to)
			return assertion->text;
	}
	return NULL;
}

const char *forecast_command_beyond_model(const struct forecast_command *command)
{
	static const char *const names[] = {OF_THE_REPLAY, "--model", "--recorded-cores",
					    "--against",   "--with",  "--calibrate",
					    NULL};
	const char *given = options_first(command->trace.common, names);

	return given || !asserted(command, FORECAST_SPEEDUP, FORECAST_EFFICIENCY)
		       ? given
		       : "--assert of speedup or efficiency";
}

/* --against and --with print reports of their own. Returns 0, or -1 with an error. */
static int check_reports(const struct options *common, struct err *err)
{
	static const struct {
		const char *name, *what;
		const char *const others[16];
	} reports[] = {
		{"--against", "splits the error of a forecast", {"--cores", OTHER_REPORTS}},
		{"--with",
		 "is about two programs",
		 {"--quota", "--slowdown", "--against", OTHER_REPORTS}},
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		const char *other = options_first(common, reports[i].others);

		if (options_text(common, reports[i].name + strlen("--")) && other)
			return err_set(err, "%s: %s, and does not go with %s", reports[i].name,
				       reports[i].what, other);
	}
	return 0;
}

/* The first option that is about one recording; NULL: none. */
static const char *about_one_recording(const struct forecast_command *command)
{
	static const char *const names[] = {"--slowdown", "--measured",	      "--against",
					    "--with",	  "--recorded-cores", NULL};
	const char *given = options_first(command->trace.common, names);

	return given ? given
	       : command->request.model == FORECAST_CLOSED_FORM
		       ? "--model closed-form"
		       : model_wish_asked(command->trace.common);
}

int forecast_command_check(void *own, struct err *err)
{
	struct forecast_command *command = own;
	struct forecast_request *request = &command->request;
	const struct options *common = command->trace.common;
	const char *of_model = model_wish_asked(common);
	const char *asked = options_first(common, beyond_closed_form);

	request->spin_waits = command->spin;
	request->listed = command->cores.items;
	request->count = command->cores.count;
	if (of_model && forecast_command_beyond_model(command))
		return err_set(err, "%s: does not go with %s", of_model,
			       forecast_command_beyond_model(command));
	if (model_wish_check(&command->wish, err))
		return -1;
	if (command->calibrate && common->arg_count)
		return err_set(err, "--calibrate: measures this machine and reads no FILE ('%s')",
			       common->args[0]);
	if (common->arg_count > 1 && about_one_recording(command))
		return err_set(err, "%s: takes one recording, and '%s' is a second one",
			       about_one_recording(command), common->args[1]);
	if (command->calibrate && command->slowdown)
		return err_set(err, "--calibrate: makes no forecast; leave out --slowdown");
	if (command->assertions.count && (command->calibrate || request->list))
		return err_set(err, "--assert: needs a forecast, and %s makes none",
			       command->calibrate ? "--calibrate" : "--what-if list");
	if (command->assertions.count && request->change_count)
		return err_set(err, "--assert: is about the program as it is; leave out --what-if");
	if (check_reports(common, err))
		return -1;
	request->consolidated = command->with.path;
	if (options_text(common, "by") && !request->why)
		return err_set(err, "--by: needs --why");
	if (asked && request->model == FORECAST_CLOSED_FORM)
		return err_set(err, "%s: needs a replay, and --model asks for the closed form",
			       asked);
	return plotting_check(&command->plotting, common, err);
}

const char *forecast_command_beyond_profile(const struct forecast_command *command)
{
	const struct options *common = command->trace.common;
	const char *asked = options_first(common, beyond_closed_form);

	return asked					   ? asked
	       : command->request.model == FORECAST_REPLAY ? "--model=replay"
	       : command->against.count			   ? "--against"
	       : model_wish_asked(common)		   ? model_wish_asked(common)
							   : trace_target_asked(common);
}

const char *forecast_command_about_server(const struct forecast_command *command)
{
	return asserted(command, MODEL_WISH_NONE, MODEL_WISH_P95);
}

void forecast_command_release(struct forecast_command *command)
{
	for (size_t i = 0; i < command->request.change_count; i++) {
		free(command->changes[i].site);
		free(command->changes[i].shares);
	}
	free(command->changes);
	runs_release(&command->runs);
	wall_times_release(&command->measured);
	against_list_release(&command->against);
	with_recording_release(&command->with);
}
