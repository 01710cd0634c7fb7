/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start of the library in a process: before any other (-z initfirst), so that there is only one
 * thread. After any failure the process continues without it.
 */
#include "probe/confinement.h"
#include "probe/open_call.h"
#include "probe/patch_plan.h"
#include "probe/patcher.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/process_notes.h"
#include "probe/raw_call.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* The least address space for open calls: with less, a program might miss it. */
#define SPACE_ENOUGH (UINT64_C(1) << 30)

/* Finds the path of the spool in the loader's environment, as the C library may not have begun. */
static const char *find_spool(char *const *environment)
{
	static const char name[] = SPOOL_ENVIRONMENT "=";

	for (; environment && *environment; environment++) {
		const char *text = *environment;
		size_t at = 0;

		while (name[at] && text[at] == name[at])
			at++;
		if (!name[at])
			return text + at;
	}
	return NULL;
}

static void take_settings(const struct plan_header *plan)
{
	enum spool_clock clock = probe_clock_choose();

	probe_settings.every = plan->every ? plan->every : 1;
	probe_settings.chance = ~UINT64_C(0) / probe_settings.every;
	probe_settings.stack_every = plan->stack_every;
	probe_settings.arguments =
		plan->arguments < PLAN_ARGUMENTS_MAX ? plan->arguments : PLAN_ARGUMENTS_MAX;
	probe_settings.marks = plan->marks;
	probe_settings.functions = plan->functions;
	probe_settings.tasks = !plan->tasks	     ? TASKS_NOT
			       : plan->counter_count ? TASKS_COUNTED
						     : TASKS_TOLD;
	probe_settings.counter_count =
		plan->counter_count < PLAN_COUNTERS_MAX ? plan->counter_count : PLAN_COUNTERS_MAX;
	for (uint32_t i = 0; i < probe_settings.counter_count; i++)
		probe_settings.counters[i] = plan->counters[i];
	probe_settings.pid_namespace = plan->pid_namespace;
	probe_settings.first =
		(struct spool_offer){.clock = clock, .image = probe_clock_read(clock)};
}

/* --- Patches ------------------------------------------------------------------------------- */

/* Returns whether there is one thread: a directory has two links more than directories. */
static bool has_one_thread(void)
{
	static const char tasks[] = "/proc/self/task";
	struct stat file;

	return !raw_call_failed(
		       raw_call(SYS_newfstatat, AT_FDCWD, (long)tasks, (long)&file, 0, 0, 0)) &&
	       file.st_nlink == 3;
}

static bool has_space(void)
{
	uint64_t space[2] = {0, 0}, data[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)space, 0, 0);
	raw_call(SYS_prlimit64, 0, RLIMIT_DATA, 0, (long)data, 0, 0);
	return space[0] >= SPACE_ENOUGH && data[0] >= SPACE_ENOUGH;
}

static void apply_patches(const struct plan_header *plan, size_t length)
{
	const char *trouble = NULL;

	if (!plan->patch_count)
		return;
	if (!has_one_thread())
		trouble = "functions are not recorded: other libraries began threads before, or "
			  "/proc is missing";
	else if (!has_space() || open_calls_begin())
		trouble = "functions are not recorded: the limit of memory is below 1 GiB ('ulimit "
			  "-v', 'ulimit -d')";
	if (trouble)
		probe_process_trouble(trouble, NULL);
	else
		patcher_apply(plan, length);
}

/* --- Begin and end ------------------------------------------------------------------------- */

__attribute__((constructor)) static void library_begin(int count, char **words, char **environment)
{
	const struct recorder_link *link = &probe_settings.link;
	const struct plan_header *plan;

	(void)count, (void)words;
	if (recorder_link_open(&probe_settings.link, find_spool(environment)))
		return;
	plan = link->plan;
	if (plan->version != SPOOL_VERSION) {
		recorder_link_refuse(link);
		return;
	}
	if (!recorder_link_is_read(link) || probe_threads_begin())
		return;
	probe_process->id = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	take_settings(plan);
	if (probe_process_program())
		return;
	if (probe_process_is_elsewhere()) {
		probe_process_elsewhere();
		return;
	}
	probe_process_maps();
	probe_settings.on = true;
	apply_patches(plan, link->plan_bytes);
}

/* Notes libraries that have been loaded since. */
__attribute__((destructor)) static void library_end(void)
{
	if (!probe_settings.on || !probe_settings.functions || !probe_process->id ||
	    !confinement_hold())
		return;
	probe_process_maps();
	confinement_free();
}
