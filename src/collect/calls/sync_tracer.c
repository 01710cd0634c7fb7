/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/mapped_files.h"
#include "code/object.h"
#include "code/probe_place.h"
#include "collect/calls/calls_private.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/pid_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	bool stack; /* it tells where a thread waits, or lets other threads go on */
} tracepoints[] = {
	{"sys_enter_futex", true},	     {"sys_exit_futex", false},
	{"sys_enter_nanosleep", true},	     {"sys_exit_nanosleep", false},
	{"sys_enter_clock_nanosleep", true}, {"sys_exit_clock_nanosleep", false},
	{"sys_enter_sched_yield", true},     {"sys_exit_sched_yield", false},
};
enum { TRACEPOINTS = sizeof(tracepoints) / sizeof(tracepoints[0]), FUTEX_TRACEPOINTS = 2 };

/* --- Probes on the C library ---------------------------------------------------------------- */

enum { SYNC_PROBES = 14, FUNCTIONS_MAX = 3 };

/* The functions in which threads wait for each other, by event. All take the object first. */
static const struct {
	const char *name;
	const char *functions[FUNCTIONS_MAX];
	enum { JUST_OBJECT, WITH_OBJECT2, WITH_COUNT } more; /* ... second, and third */
} kinds[SYNC_PROBES] = {
	{"mutex_lock",
	 {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock"},
	 JUST_OBJECT},
	{"mutex_trylock", {"pthread_mutex_trylock"}, JUST_OBJECT},
	{"mutex_unlock", {"pthread_mutex_unlock"}, JUST_OBJECT},
	{"read_lock", {"pthread_rwlock_rdlock"}, JUST_OBJECT},
	{"write_lock", {"pthread_rwlock_wrlock"}, JUST_OBJECT},
	{"rw_unlock", {"pthread_rwlock_unlock"}, JUST_OBJECT},
	{"cond_wait",
	 {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"},
	 WITH_OBJECT2},
	{"cond_signal", {"pthread_cond_signal"}, JUST_OBJECT},
	{"cond_broadcast", {"pthread_cond_broadcast"}, JUST_OBJECT},
	{"barrier_init", {"pthread_barrier_init"}, WITH_COUNT},
	{"barrier_wait", {"pthread_barrier_wait"}, JUST_OBJECT},
	{"sem_init", {"sem_init"}, WITH_COUNT},
	{"sem_wait", {"sem_wait", "sem_timedwait", "sem_clockwait"}, JUST_OBJECT},
	{"sem_post", {"sem_post"}, JUST_OBJECT},
};

/* Begins as zero. */
struct sync_probes {
	struct uprobes made; /* events with these names */
	char *note;	     /* names the files that they are in */
};

struct making {
	struct sync_probes *probes;
	const char *path; /* of the file that is looked through */
	struct object object;
	size_t made; /* in it */
	struct {
		size_t kind;
		uint64_t offset;
	} places[4 * SYNC_PROBES]; /* that are probed in it: versions and aliases are often one */
	size_t place_count;
	int code; /* errno of the first failure */
};

static bool is_new(struct making *making, size_t kind, uint64_t offset)
{
	for (size_t i = 0; i < making->place_count; i++)
		if (making->places[i].kind == kind && making->places[i].offset == offset)
			return false;
	if (making->place_count == sizeof(making->places) / sizeof(making->places[0]))
		return false;
	making->places[making->place_count].kind = kind;
	making->places[making->place_count++].offset = offset;
	return true;
}

static void make_probe(struct making *making, size_t kind, uint64_t offset)
{
	const char *const more[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = " object2=", [WITH_COUNT] = " count="};
	const char *const which[] = {[JUST_OBJECT] = "",
				     [WITH_OBJECT2] = uprobes_argument(1),
				     [WITH_COUNT] = uprobes_argument(2)};
	const char *const type[] = {
		[JUST_OBJECT] = "", [WITH_OBJECT2] = ":x64", [WITH_COUNT] = ":u32"};
	char *arguments =
		xasprintf("object=%s:x64%s%s%s", uprobes_argument(0), more[kinds[kind].more],
			  which[kinds[kind].more], type[kinds[kind].more]);
	int code = uprobes_add(&making->probes->made, &(struct uprobe){.event = kinds[kind].name,
								       .path = making->path,
								       .offset = offset,
								       .argument = arguments});

	making->made += !code;
	if (code && !making->code && !uprobes_has(&making->probes->made, kinds[kind].name))
		making->code = code;
	free(arguments);
}

static uint64_t find_place(const struct object *object, const struct elf_function *function,
			   size_t kind)
{
	unsigned arguments = kinds[kind].more == WITH_COUNT	? 3
			     : kinds[kind].more == WITH_OBJECT2 ? 2
								: 1;

	return probe_place_in(object, function->offset, function->size, arguments, false).offset;
}

static void take_function(void *context, const struct elf_function *function)
{
	struct making *making = context;

	for (size_t kind = 0; kind < SYNC_PROBES; kind++)
		for (size_t i = 0; i < FUNCTIONS_MAX && kinds[kind].functions[i]; i++)
			if (strcmp(kinds[kind].functions[i], function->name) == 0 &&
			    is_new(making, kind, function->offset))
				make_probe(making, kind,
					   find_place(&making->object, function, kind));
}

static int explain(const struct file_set *library, int code, struct err *err)
{
	if (code == ENOENT)
		return err_set(err, "--sync=all needs a kernel with CONFIG_UPROBE_EVENTS: take "
				    "--sync=futex");
	if (code)
		return err_set(err, "--sync=all: the kernel takes no probe on %s: %s",
			       library->paths[0], strerror(code));
	return err_set(err,
		       "--sync=all: %s has no pthread_mutex_lock: a static program needs its "
		       "symbols; take --sync=futex",
		       library->count ? library->paths[0] : "the C library");
}

static int make_in(struct sync_probes *probes, const struct file_set *library, struct err *err)
{
	bool any = false;
	int code = 0;

	for (size_t i = 0; i < library->count; i++) {
		struct making making = {.probes = probes, .path = library->paths[i]};

		object_open(&making.object, making.path);
		object_each_function(&making.object, &making.object, STT_FUNC, take_function,
				     &making);
		object_close(&making.object);
		if (making.made)
			xappend(&probes->note, ", ", "%s%s",
				probes->note ? "" : "the calls of --sync=all are seen in ",
				making.path);
		any |= making.made > 0;
		code = code ? code : making.code;
	}
	return any ? 0 : explain(library, code, err);
}

/* Returns 0, or -1 with a sentence; remove them in both cases, once no perf event is open there. */
static int sync_probes_make(struct sync_probes *probes, const char *root,
			    const struct sync_options *sync, struct run_directory *run,
			    struct err *err)
{
	struct file_set library = {.count = 0};
	int rc;

	*probes = (struct sync_probes){.note = NULL};
	if (!uprobes_argument(0))
		return err_set(err, "--sync=all: where functions find their arguments is not known "
				    "of this machine: take --sync=futex");
	if (uprobes_init(&probes->made, root, UPROBES_SYNC, run, err))
		return err_wrap(err, "--sync=all");
	if (sync->command)
		c_library_of_command(&library, sync->command);
	for (size_t i = 0; i < sync->pid_count; i++)
		c_library_of_process(&library, sync->pids[i], "/proc");
	if (!sync->pid_count)
		c_library_of_process(&library, getpid(), "/proc");
	rc = make_in(probes, &library, err);
	file_set_release(&library);
	return rc;
}

static void sync_probes_remove(struct sync_probes *probes)
{
	uprobes_release(&probes->made);
	free(probes->note);
	*probes = (struct sync_probes){.note = NULL};
}

struct sync_tracer {
	struct call_tracer tracer;
	struct sync_probes probes;
	uint64_t calls;
	/* Processes of which other threads than the first have called futex, and the C library. */
	struct pid_set futex, library;
};

int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err)
{
	*choice = strcmp(name, "all") == 0 ? SYNC_RECORD_ALL : SYNC_RECORD_FUTEX;
	if (*choice == SYNC_RECORD_ALL || strcmp(name, "futex") == 0)
		return 0;
	return err_set(err, "%s: take futex, what waits in the kernel, or all, also what does not",
		       name);
}

/* --- Records ------------------------------------------------------------------------------- */

static void note_process(struct sync_tracer *sync, const struct call_sample *sample)
{
	if (sample->parts->tid == sample->parts->pid)
		return;
	if (sample->event < FUTEX_TRACEPOINTS)
		pid_set_add(&sync->futex, sample->parts->pid);
	else if (sample->event >= TRACEPOINTS)
		pid_set_add(&sync->library, sample->parts->pid);
}

static void sync_put(struct call_tracer *tracer, struct recording *recording,
		     const struct call_sample *sample)
{
	struct sync_tracer *sync = (struct sync_tracer *)tracer;
	size_t i = sample->event;

	sync->calls++;
	note_process(sync, sample);
	call_tracer_record(recording, sample, tracer->events.ids[i], &tracer->events.attrs[i],
			   sample->parts->raw, sample->parts->raw_length);
}

static void sync_tell(const struct collector *collector, FILE *out)
{
	const struct call_cost *cost = &((const struct call_tracer *)collector)->cost;

	if (cost->ns[CALL_OF_LIBRARY] > 0)
		fprintf(out, "cost_call_ns %.0f\n", cost->ns[CALL_OF_LIBRARY]);
	if (cost->ns[CALL_OF_SYSTEM] > 0)
		fprintf(out, "cost_system_call_ns %.0f\n", cost->ns[CALL_OF_SYSTEM]);
}

uint64_t sync_tracer_calls(const struct collector *collector)
{
	return ((const struct sync_tracer *)collector)->calls;
}

uint64_t sync_tracer_unseen(const struct collector *collector)
{
	const struct sync_tracer *tracer = (const struct sync_tracer *)collector;
	uint64_t count = 0;
	pid_t pid = 0;

	if (!tracer->probes.note)
		return 0;
	while ((pid = pid_set_next(&tracer->futex, pid)))
		count += !pid_set_has(&tracer->library, pid);
	return count;
}

/* --- Opening and the end ------------------------------------------------------------------- */

/* A probe can only be removed when no event is open on it. */
static void sync_release(struct collector *collector)
{
	struct sync_tracer *sync = (struct sync_tracer *)collector;

	call_tracer_release(&sync->tracer);
	sync_probes_remove(&sync->probes);
	pid_set_release(&sync->futex);
	pid_set_release(&sync->library);
	free(sync);
}

static const struct collector_kind kind = {
	.name = "sync",
	.tell = sync_tell,
	.free = sync_release,
};

static int add_events(struct call_tracer *tracer, const struct sync_probes *probes, struct err *err)
{
	for (size_t i = 0; i < TRACEPOINTS; i++)
		if (call_tracer_add(tracer, "syscalls", "syscalls", tracepoints[i].name,
				    tracepoints[i].stack, err))
			return err_wrap(err, "--sync needs a kernel with CONFIG_FTRACE_SYSCALLS");
	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (uprobes_has(&probes->made, kinds[i].name) &&
		    call_tracer_add(tracer, probes->made.group, UPROBES_SYNC_SYSTEM, kinds[i].name,
				    true, err))
			return -1;
	return 0;
}

static int open_events(struct sync_tracer *tracer, const struct collector_options *options,
		       const struct sync_options *sync, struct err *err)
{
	if (sync->choice == SYNC_RECORD_ALL &&
	    sync_probes_make(&tracer->probes, options->tracefs, sync, options->run, err))
		return -1;
	if (add_events(&tracer->tracer, &tracer->probes, err))
		return -1;
	return call_tracer_open(&tracer->tracer, err);
}

struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err)
{
	struct sync_tracer *tracer = xcalloc(1, sizeof(*tracer));
	struct collector *base = &tracer->tracer.base;

	tracer->tracer.put = sync_put;
	tracer->tracer.events.first_id = RECORD_SYNC_ID;
	tracer->tracer.events.stacks = sync->stacks;
	tracer->tracer.trials = CALL_COST_SYNC;
	if (call_tracer_begin(&tracer->tracer, &kind, options, err) ||
	    open_events(tracer, options, sync, err)) {
		sync_release(base);
		return NULL;
	}
	base->note = tracer->probes.note;
	return base;
}
