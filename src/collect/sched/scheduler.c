/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/scheduler.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"
#include "collect/sched/bpf/bpf_collector.h"
#include "collect/sched/sched_private.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <stdlib.h>
#include <string.h>

/* The collectors, from the one that sees most to the one that needs the least rights. */
static const struct {
	const char *name;
	struct collector *(*open)(const struct collector_options *options, struct err *err);
	bool whole_machine; /* sees threads of all users, with the ids of the host */
} kinds[] = {
	[SCHEDULER_BPF] = {"bpf", bpf_collector_open, true},
	[SCHEDULER_PERF] = {"perf", perf_collector_open, true},
	[SCHEDULER_TASK] = {"task", task_collector_open, false},
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

int scheduler_choice_parse(enum scheduler_choice *choice, const char *name, struct err *err)
{
	*choice = SCHEDULER_AUTO;
	if (strcmp(name, "auto") == 0)
		return 0;
	for (int kind = SCHEDULER_BPF; kind < KIND_COUNT; kind++) {
		if (strcmp(name, kinds[kind].name) != 0)
			continue;
		*choice = (enum scheduler_choice)kind;
		return 0;
	}
	return err_set(err, "there is no collector '%s'; there are auto, bpf, perf and task", name);
}

static struct collector *open_kind(enum scheduler_choice kind,
				   const struct collector_options *options, struct err *err)
{
	if (kinds[kind].whole_machine && target_is_in_pid_namespace())
		err_set(err, "process ids in this container are not those in the kernel's events: "
			     "record outside of it, or in one started with --pid=host");
	else if (!kinds[kind].whole_machine && options->lineage->wide)
		err_set(err, "the task collector sees only the user's own threads, not the whole "
			     "machine: run as root");
	else if (!kinds[kind].whole_machine || options->tracefs)
		return kinds[kind].open(options, err);
	else
		tracefs_explain(err);
	return NULL;
}

struct collector *scheduler_open(enum scheduler_choice choice,
				 const struct collector_options *options, char **passed_over,
				 struct err *err)
{
	*passed_over = NULL;
	if (choice != SCHEDULER_AUTO)
		return open_kind(choice, options, err);
	for (int kind = SCHEDULER_BPF; kind < KIND_COUNT; kind++) {
		struct collector *collector = open_kind((enum scheduler_choice)kind, options, err);

		if (collector)
			return collector;
		xappend(passed_over, "; ", "not %s: %s", kinds[kind].name, err->text);
	}
	return NULL;
}

int scheduler_try(enum scheduler_choice choice, const char *tracefs, struct err *err)
{
	struct lineage lineage = {.proc = "/proc", .started_ticks = proc_now_ticks()};
	struct run_directory run = {.fd = -1};
	const struct collector_options options = {
		.tracefs = tracefs, .run = &run, .lineage = &lineage, .calls = true};
	struct collector *collector = open_kind(choice, &options, err);

	if (collector)
		collector->kind->free(collector);
	run_directory_close(&run);
	lineage_release(&lineage);
	return collector ? 0 : -1;
}
