/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the library begins in a process: before any other (-z initfirst), so that nobody has begun
 * a thread so far. Whatever goes wrong, the process goes on without it.
 */
#include "probe/confinement.h"
#include "probe/open_call.h"
#include "probe/patch_plan.h"
#include "probe/patcher.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/process_files.h"
#include "probe/raw_call.h"
#include "probe/spool_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* What open calls take of the address space: of less than this a program might miss it. */
#define SPACE_ENOUGH (UINT64_C(1) << 30)

/* As the C library may not have begun, the environment is what the loader says it is. */
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

static bool take_spool(const char *spool)
{
	size_t at = 0;

	while (spool && spool[at] && at < SPOOL_PATH_MAX - 1) {
		probe_settings.spool[at] = spool[at];
		at++;
	}
	return at && !spool[at];
}

static const struct plan_header *map_plan(size_t *length)
{
	struct spool_text path = {.length = 0};
	struct stat file;
	long fd, at = -1;

	spool_text_put(&path, probe_settings.spool);
	spool_text_put(&path, "/plan");
	fd = raw_call(SYS_openat, AT_FDCWD, (long)path.bytes, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return NULL;
	if (!raw_call(SYS_fstat, fd, (long)&file, 0, 0, 0, 0) &&
	    (size_t)file.st_size >= sizeof(struct plan_header)) {
		*length = (size_t)file.st_size;
		at = raw_call(SYS_mmap, 0, (long)*length, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return raw_call_failed(at) ? NULL : (const struct plan_header *)at; // NOLINT: an address
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
	probe_settings.first.version = SPOOL_VERSION;
	probe_settings.first.clock = clock;
	probe_settings.first.every = probe_settings.every;
	probe_settings.first.arguments = probe_settings.arguments;
	probe_settings.first.image = probe_clock_read(clock);
}

/* --- Patches ------------------------------------------------------------------------------- */

/* A directory has a link for each directory in it, and two more. */
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
		trouble = "functions are not recorded: other libraries have begun threads already, "
			  "or /proc is not there";
	else if (!has_space() || open_calls_begin())
		trouble = "functions are not recorded: memory is limited to less than 1 GiB "
			  "('ulimit -v', 'ulimit -d')";
	if (trouble)
		probe_process_trouble(trouble, NULL);
	else
		patcher_apply(plan, length);
}

/* --- Begin and end ------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(int count, char **words, char **environment)
{
	const struct plan_header *plan;
	size_t length = 0;

	(void)count, (void)words;
	if (!take_spool(find_spool(environment)) || !spool_writer_is_read(probe_settings.spool))
		return;
	plan = map_plan(&length);
	if (!plan || probe_threads_begin())
		return;
	probe_process->id = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (plan->magic != PLAN_MAGIC || plan->version != SPOOL_VERSION) {
		probe_process_trouble(
			"nothing is recorded: the probe library is of another version "
			"of pscal; install both from the same build",
			NULL);
		return;
	}
	take_settings(plan);
	if (probe_process_is_elsewhere()) {
		probe_process_elsewhere();
		return;
	}
	probe_process_program();
	probe_process_maps();
	probe_settings.on = true;
	apply_patches(plan, length);
}

/* Libraries that have been loaded since. */
__attribute__((destructor)) static void end(void)
{
	if (!probe_settings.on || !probe_settings.functions || !probe_process->id ||
	    !confinement_hold())
		return;
	probe_process_maps();
	confinement_free();
}
