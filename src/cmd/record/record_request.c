/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/parse.h"
#include "cmd/options/trace.h"
#include "collect/recording/recording.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { STACK_EVERY = 10000, OFTEN_MAX = 1000000000 };

/* --- Settings ------------------------------------------------------------------------------ */

enum { OF_PROBE = 1, OF_UPROBE = 2, OF_TASKS = 4, OF_ALL = 7 };
enum record_faults { FAULTS_NO, FAULTS_YES, FAULTS_USUAL };

struct setting {
	const char *name;
	unsigned of;
	size_t at;	   /* offset in struct record_settings */
	uint64_t min, max; /* of a number; max 1: yes or no; max 0: a text */
};

#define SETTING(field) offsetof(struct record_settings, field)

static const struct setting settings[] = {
	{"args", OF_PROBE | OF_UPROBE, SETTING(arguments), 0, PLAN_ARGUMENTS_MAX},
	{"every", OF_PROBE, SETTING(every), 1, OFTEN_MAX},
	{"stacks", OF_PROBE, SETTING(stacks), 0, OFTEN_MAX},
	{"from", OF_PROBE, SETTING(from), 0, 0},
	{"exceptions", OF_UPROBE, SETTING(exceptions), 0, 1},
	{"faults", OF_ALL, SETTING(faults), 0, 1},
	{"marked", OF_TASKS, SETTING(marked), 0, 1},
	{"omp", OF_TASKS, SETTING(omp), 0, 1},
	{"count", OF_TASKS, SETTING(counters), 0, 0},
};

/* Finds the setting that `text` names, as "args" of "args=2". Returns NULL if there is none. */
static const struct setting *setting_find(const char *text, unsigned of)
{
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < COUNT(settings); i++)
		if ((settings[i].of & of) && strncmp(settings[i].name, text, length) == 0 &&
		    !settings[i].name[length])
			return &settings[i];
	return NULL;
}

static int setting_refuse(const char *option, const char *text, unsigned of, struct err *err)
{
	char *name = xasprintf("%.*s", (int)strcspn(text, "="), text), *list = xstrdup("");
	struct nearest nearest;
	char *question;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < COUNT(settings); i++) {
		if (!(settings[i].of & of))
			continue;
		nearest_try(&nearest, settings[i].name);
		xappend(&list, "", "%s%s", *list ? ", " : "", settings[i].name);
	}
	question = nearest_question(&nearest);
	err_set(err, "%s: there is no setting '%s'; %s%s", option, name,
		question ? question : "there are ", question ? "" : list);
	free(question);
	free(list);
	free(name);
	return -1;
}

/* Reads the value of a flag; NULL is yes. Returns 0, or -1 if it is neither yes nor no. */
static int flag_read(uint64_t *flag, const char *value)
{
	*flag = !value || strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0 ? 0 : -1;
}

static int setting_read(struct record_settings *own, const struct setting *setting,
			const char *option, char *text, struct err *err)
{
	void *field = (char *)own + setting->at;
	char *value = strchr(text, '=');

	value += value != NULL;
	if (setting->max == 1)
		return flag_read(field, value) ? err_set(err, "%s %s: say %s=yes or %s=no", option,
							 text, setting->name, setting->name)
					       : 0;
	if (!value || !*value)
		return err_set(err, "%s %s: say %s=%s", option, text, setting->name,
			       setting->max	       ? "N"
			       : *setting->name == 'f' ? "FILE"
						       : "EVENT");
	if (!setting->max) {
		memcpy(field, &value, sizeof(value));
		return 0;
	}
	if (parse_u64(field, value, setting->max) || *(uint64_t *)field < setting->min)
		return err_set(err, "%s %s: give a number from %" PRIu64 " to %" PRIu64, option,
			       text, setting->min, setting->max);
	return 0;
}

/*
 * Returns true if `text`, after a comma, is a setting. The name of a C++ function may contain a
 * comma, but none before a setting, or before lower-case letters and a "=".
 */
static bool is_setting(const char *text, unsigned of)
{
	return setting_find(text, of) || text[strspn(text, "abcdefghijklmnopqrstuvwxyz-")] == '=';
}

/* Reads the settings after a pattern and cuts them off. Returns 0, or -1 with an error. */
static int settings_cut(struct record_settings *own, const char *option, char *text, unsigned of,
			struct err *err)
{
	for (char *comma; (comma = strrchr(text, ',')) && is_setting(comma + 1, of);) {
		const struct setting *setting = setting_find(comma + 1, of);

		if (!setting)
			return setting_refuse(option, comma + 1, of, err);
		if (setting_read(own, setting, option, comma + 1, err))
			return -1;
		*comma = '\0';
	}
	return *text ? 0 : err_set(err, "%s: name a function in front of the settings", option);
}

/* --- The options --------------------------------------------------------------------------- */

static int read_probe(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	if (settings_cut(&request->settings, "--probe", text, OF_PROBE, err))
		return -1;
	array_reserve(&request->probes, &request->probe_capacity, request->probe_count + 2);
	request->probes[request->probe_count++] = text;
	request->probes[request->probe_count] = NULL;
	return 0;
}

static int read_uprobe(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	if (settings_cut(&request->settings, "--uprobe", text, OF_UPROBE, err) ||
	    uprobe_functions_check(text, err))
		return -1;
	array_reserve(&request->uprobes, &request->uprobe_capacity, request->uprobe_count + 2);
	request->uprobes[request->uprobe_count++] = text;
	request->uprobes[request->uprobe_count] = NULL;
	return 0;
}

/* Reads "omp,faults,count=cycles+instructions". A "+" becomes the comma between events. */
static int read_tasks(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	request->recorder.probe.tasks = true;
	for (char *word; (word = strsep(&text, ","));) {
		const struct setting *setting = setting_find(word, OF_TASKS);

		if (!setting)
			return setting_refuse("--tasks", word, OF_TASKS, err);
		if (setting_read(&request->settings, setting, "--tasks", word, err))
			return -1;
	}
	for (char *plus = request->settings.counters; plus && (plus = strchr(plus, '+'));)
		*plus = ',';
	return 0;
}

/* Reads a time. A bare number is in milliseconds, as in perf record; -1 waits for --control. */
static int read_delay(void *own, char *text, struct err *err)
{
	struct recorder_request *request = &((struct record_request *)own)->recorder;
	double seconds;
	uint64_t ms;

	if (strcmp(text, "-1") == 0) {
		request->delay_ns = RECORDER_STARTS_OFF;
		return 0;
	}
	if (parse_u64(&ms, text, INT32_MAX) == 0) {
		request->delay_ns = (int64_t)ms * 1000000;
		return 0;
	}
	if (parse_seconds(&seconds, text, err) || seconds > INT32_MAX)
		return err_set(err, "--delay %s: give milliseconds, a time as 500ms or 2s, or -1",
			       text);
	request->delay_ns = (int64_t)(seconds * 1e9);
	return 0;
}

static int read_frequency(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	return sampler_options_set_frequency(&request->recorder.sampling, text, "/proc", err);
}

static int read_calls(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	return sampler_options_set_calls(&request->recorder.sampling, text, err);
}

static int read_sync(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	if (sync_choice_parse(&request->recorder.sync, text, err))
		return err_wrap(err, "--sync");
	return 0;
}

static int read_collector(void *own, char *text, struct err *err)
{
	struct record_request *request = own;

	if (scheduler_choice_parse(&request->recorder.collector, text, err))
		return err_wrap(err, "--collector");
	return 0;
}

#define AT(field) offsetof(struct record_request, field)

static const struct option removed_options[] = {
	{"arguments", .type = OPTION_GONE,
	 .help = "is now a setting of --probe and --uprobe, as --probe 'insert*,args=2'"},
	{"every", .type = OPTION_GONE,
	 .help = "is now a setting of --probe, as --probe 'insert*,every=100'"},
	{"stack-every", .type = OPTION_GONE,
	 .help = "is now a setting of --probe, as --probe 'insert*,stacks=1000'"},
	{"hot-from", .type = OPTION_GONE,
	 .help = "is now a setting of --probe, as --probe hot,from=FILE"},
	{"risk-exceptions", .type = OPTION_GONE,
	 .help = "is now a setting of --uprobe, as --uprobe BINARY:FUNCTION,exceptions"},
	{"faults", .type = OPTION_GONE,
	 .help = "is now a setting, as --tasks=faults; --probe and --uprobe record faults"},
	{"no-faults", .type = OPTION_GONE,
	 .help = "is now a setting of --probe and --uprobe, as --probe 'insert*,faults=no'"},
	{"omp", .type = OPTION_GONE, .help = "is now --tasks=omp"},
	{"task-counters", .type = OPTION_GONE,
	 .help = "is now a setting of --tasks, as --tasks=omp,count=cycles+instructions"},
	{"children", .type = OPTION_GONE,
	 .help = "is the default; --no-children leaves descendants out"},
	OPTION_TABLE_END};

const struct option record_options[] = {
	{.type = OPTION_HEADING, .help = "Which threads:"},
	{"pid", 'p', OPTION_IDS, AT(pids), .help = "record running processes",
	 .argument = "PID[,PID]", .min = 1, .max = INT32_MAX},
	{"comm", '\0', OPTION_TEXT, AT(recorder.target.comm), .help = "record threads of this name",
	 .argument = "NAME", .rare = true},
	{"all-cpus", 'a', OPTION_FLAG, AT(recorder.target.all), .help = "record all threads",
	 .rare = true},

	{.type = OPTION_HEADING, .help = "What:"},
	{"freq", 'F', OPTION_READ, .read = read_frequency,
	 .help = "samples a second of each running thread, say 997", .argument = "HZ"},
	{NULL, 'g', OPTION_FLAG, AT(chains), .help = "... with call chains, by frame pointers"},
	{"off-cpu", '\0', OPTION_FLAG, AT(recorder.off_cpu),
	 .help = "stacks of threads that leave their CPU"},
	{"sync", '\0', OPTION_READ, .read = read_sync, .whole_word = "--sync=futex",
	 .help = "synchronisation: futex calls (default), all (also calls of the C library), none",
	 .argument = "WHICH"},
	{"requests", '\0', OPTION_FLAG, AT(recorder.requests),
	 .help = "requests of a server, for pscal model: --sync=all, and its sockets"},
	{"event", 'e', OPTION_TEXT, AT(recorder.counters),
	 .help = "count events in each thread; pscal list has them", .argument = "EVENT[,EVENT]"},

	{.type = OPTION_HEADING, .help = "Functions and tasks:"},
	{"probe", '\0', OPTION_READ_EACH, .read = read_probe,
	 .help = "calls of functions, say 'insert*', libz:inflate or hot:2%; after commas args=N, "
		 "every=M, stacks=N, faults=no, from=FILE",
	 .argument = "[OBJECT:]GLOB"},
	{"uprobe", '\0', OPTION_READ_EACH, .read = read_uprobe,
	 .help = "the same by probes of the kernel, also with -p, at 2 us or more a call; after "
		 "commas args=N, faults=no, exceptions",
	 .argument = "BINARY:FUNCTION", .rare = true},
	{"tasks", '\0', OPTION_READ, .read = read_tasks, .whole_word = "--tasks=marked",
	 .help = "tasks marked by pscal/task.h (default), or omp: of OpenMP; after commas faults, "
		 "count=EVENT+EVENT",
	 .argument = "WHICH"},

	{.type = OPTION_HEADING, .help = "When, and where to:"},
	{"duration", '\0', OPTION_SECONDS, AT(duration_s),
	 .help = "stop after a time, say 500ms, 10s or 2m", .argument = "TIME", .min = DBL_MIN,
	 .max = 1e9 /* 31 years */, .refusal = "record for more than 0 s"},
	{"output", 'o', OPTION_TEXT, AT(recorder.path),
	 .help = "output (default pscal.data, - streams); an older file becomes FILE.old",
	 .argument = "FILE"},

	{.type = OPTION_HEADING, .help = "Advanced:"},
	{"tid", 't', OPTION_IDS, AT(tids), .help = "record running threads",
	 .argument = "TID[,TID]", .min = 1, .max = INT32_MAX, .advanced = true},
	{"cgroup", '\0', OPTION_TEXT, AT(cgroup), .help = "record the processes of a control group",
	 .argument = "PATH", .advanced = true},
	{"no-children", '\0', OPTION_FLAG, AT(alone),
	 .help = "without the threads and processes that they create", .advanced = true},
	{"call-graph", '\0', OPTION_READ, .read = read_calls,
	 .help = "method of call chains: fp, dwarf[,SIZE], or none", .argument = "MODE",
	 .advanced = true},
	{"counters-optional", '\0', OPTION_FLAG, AT(recorder.counters_optional),
	 .help = "continue without the events that this machine lacks", .advanced = true},
	{"delay", 'D', OPTION_READ, .read = read_delay,
	 .help = "begin later, say 500ms; -1: at enable from --control", .argument = "TIME",
	 .advanced = true},
	{"control", '\0', OPTION_TEXT, AT(recorder.control),
	 .help = "read enable, disable, stop, ping from a pipe", .argument = "FIFO[,ACK]",
	 .advanced = true},
	{"max-size", '\0', OPTION_SIZE, AT(recorder.max_bytes),
	 .help = "stop when the file has this size, say 2G", .argument = "SIZE", .advanced = true},
	{NULL, 'z', OPTION_FLAG, AT(compress), .help = "compress: -z1 (default) to -z22",
	 .advanced = true},
	{"compression-level", '\0', OPTION_DIGITS, AT(level), .help = "the same as -z",
	 .argument = "LEVEL", .advanced = true},
	{"collector", '\0', OPTION_READ, .read = read_collector,
	 .help = "auto (default), bpf, perf or task", .argument = "NAME", .advanced = true},
	{"clean", '\0', OPTION_FLAG, AT(clean),
	 .help = "record nothing: clear the remains of killed recordings", .advanced = true},
	{"force", 'f', OPTION_FLAG, AT(force),
	 .help = "also read files of other users (--probe hot)", .advanced = true},
	{.type = OPTION_TABLE, .table = removed_options},
	OPTION_TABLE_END};

/* --- Which of them go together ------------------------------------------------------------- */

struct rule {
	bool broken;
	const char *sentence;
};

static int check_rules(const struct rule *rules, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].broken)
			return err_set_sentence(err, rules[i].sentence);
	return 0;
}

static bool wants_call_chains(const struct record_request *request)
{
	return request->chains || options_text(&request->common, "call-graph");
}

static int check_target(const struct record_request *request, struct err *err)
{
	const struct recorder_request *recorder = &request->recorder;
	const struct target_spec *target = &recorder->target;
	bool command = request->common.arg_count > 0;
	bool ids = request->pids.items || request->tids.items;
	bool targets = ids || target->comm || request->cgroup;
	const struct rule rules[] = {
		{request->clean && (command || targets || target->all),
		 "--clean records nothing: leave out the COMMAND, or the running processes"},
		{!command && !targets && !target->all && !request->clean,
		 "name a COMMAND to start, or running processes; say -- COMMAND, or -p PID, -t "
		 "TID, --comm NAME, --cgroup PATH or -a"},
		{command && targets, "record either a COMMAND or running processes (-p, -t, "
				     "--comm, --cgroup), not both"},
		{request->cgroup && (ids || target->comm),
		 "--cgroup records all its processes: it does not go with -p, -t or --comm"},
		{target->comm && ids,
		 "--comm chooses threads by name: it does not go with -p or -t"},
		{target->all && targets,
		 "-a records everything: it does not go with -p, -t, --comm or --cgroup"},
		{target->all && request->alone,
		 "-a records everything: it does not go with --no-children"},
		{wants_call_chains(request) && !recorder->sampling.frequency_hz &&
			 recorder->sync < SYNC_RECORD_FUTEX && !request->uprobes,
		 "-g and --call-graph are for samples, or calls; take samples with -F 997, or "
		 "record calls with --sync or --uprobe"},
		{recorder->counters_optional && !recorder->counters,
		 "--counters-optional is for counters; name some with -e"},
		{recorder->path && strcmp(recorder->path, "-") == 0 && isatty(STDOUT_FILENO),
		 "-o -: the recording would go to the terminal; pipe it into something, say "
		 "'pscal profile'"},
		{recorder->delay_ns == RECORDER_STARTS_OFF && !recorder->control,
		 "--delay -1: recording would never begin; give --control FIFO, and 'enable' "
		 "there"},
	};

	return check_rules(rules, COUNT(rules), err);
}

/* Checks the options of the probe library, which is loaded only when a command starts. */
static int check_loading(const struct recorder_request *recorder, struct err *err)
{
	const struct probe_options *probe = &recorder->probe;

	if (!probe_options_ask(probe))
		return 0;
	if (!recorder->command)
		return err_set(err,
			       "%s works from the start of a command, not in running processes",
			       probe_options_name(probe));
	if (strcmp(recorder->path, "-") == 0 && probe->tasks)
		return err_set(err, "--tasks: a stream has no place for the names of tasks; record "
				    "into a file");
	if (probe_options_check(probe, err))
		return -1;
	return hot_functions_check(probe->patterns, err);
}

/* --- What follows from them ---------------------------------------------------------------- */

/* Compresses events of functions and tasks by default: that is faster than to write them as is. */
static int read_level(struct record_request *request, struct err *err)
{
	uint64_t number = request->compress || probe_options_ask(&request->recorder.probe);

	if (request->level && parse_u64(&number, request->level, RECORDING_LEVEL_MAX))
		return err_set(err, "%s %s: levels are 1 to %d, and 0 for no compression",
			       request->compress ? "-z" : "--compression-level", request->level,
			       RECORDING_LEVEL_MAX);
	request->recorder.compression_level = (int)number;
	return 0;
}

static void complete_target(struct record_request *request)
{
	struct target_spec *target = &request->recorder.target;

	target->alone = request->alone;
	target->pids = request->pids.items;
	target->pid_count = request->pids.count;
	target->tids = request->tids.items;
	target->tid_count = request->tids.count;
}

static void complete_functions(struct record_request *request)
{
	const struct record_settings *own = &request->settings;
	struct recorder_request *recorder = &request->recorder;
	struct probe_options *probe = &recorder->probe;

	probe->patterns = request->probes;
	probe->omp = own->omp;
	probe->counters = own->counters;
	probe->arguments = (uint32_t)own->arguments;
	probe->every = (uint32_t)own->every;
	probe->stack_every = (uint32_t)own->stacks;
	recorder->uprobe.functions = request->uprobes;
	recorder->uprobe.arguments = (unsigned)own->arguments;
	recorder->uprobe.risk_exceptions = own->exceptions;
	recorder->sampling.faults = own->faults == FAULTS_USUAL
					    ? request->probes || request->uprobes
					    : own->faults == FAULTS_YES;
}

/* Call chains of calls are found by frame pointers, whatever the method for samples is. */
static void complete_stacks(struct record_request *request)
{
	struct recorder_request *recorder = &request->recorder;
	bool stacks = recorder->off_cpu || (wants_call_chains(request) &&
					    recorder->sampling.calls != SAMPLER_CALLS_NONE);

	recorder->sync_stacks = stacks && recorder->sync >= SYNC_RECORD_FUTEX;
	recorder->uprobe.stacks = stacks && request->uprobes;
}

void record_request_init(struct record_request *request, const char **argv)
{
	*request = (struct record_request){
		.recorder.cmdline = argv,
		.settings = {.every = 1, .stacks = STACK_EVERY, .faults = FAULTS_USUAL},
	};
}

int record_request_complete(struct record_request *request, struct err *err)
{
	struct recorder_request *recorder = &request->recorder;

	request->common.force = request->force;
	if (check_target(request, err))
		return -1;
	if (!recorder->path)
		recorder->path = TRACE_USUAL_FILE;
	recorder->command = request->common.arg_count ? request->common.args : NULL;
	/* The output of the command must not mix with results or with the recording. */
	recorder->command_output = request->results || strcmp(recorder->path, "-") == 0
					   ? STDERR_FILENO
					   : STDOUT_FILENO;
	if (request->duration_s > 0)
		recorder->duration_ns = (uint64_t)(request->duration_s * 1e9) + 1;
	if (recorder->requests && recorder->sync == SYNC_RECORD_USUAL)
		recorder->sync = SYNC_RECORD_ALL;
	complete_target(request);
	complete_functions(request);
	complete_stacks(request);
	return read_level(request, err) || check_loading(recorder, err) ? -1 : 0;
}

void record_request_release(struct record_request *request)
{
	hot_functions_release(&request->hot);
	free(request->probes);
	free(request->uprobes);
	options_release(&request->common);
}
