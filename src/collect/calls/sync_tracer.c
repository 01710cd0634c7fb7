/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/mapped_files.h"
#include "code/object.h"
#include "code/probe_place.h"
#include "collect/calls/calls_private.h"
#include "collect/kernel/tracefs.h"
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
	bool stack; /* it shows where a thread waits or wakes others */
} tracepoints[] = {
	{"sys_enter_futex", true},
	{"sys_exit_futex", false},
	{"sys_enter_nanosleep", true},
	{"sys_exit_nanosleep", false},
	{"sys_enter_clock_nanosleep", true},
	{"sys_exit_clock_nanosleep", false},
	/* The exit is not needed, and closing a tracepoint takes the kernel 20 ms and more. */
	{"sys_enter_sched_yield", true},
};
enum {
	TRACEPOINTS = sizeof(tracepoints) / sizeof(tracepoints[0]),
	FUTEX_TRACEPOINTS = 2,
	YIELD_TRACEPOINTS = 1
};

/* --- Probes on the C library ---------------------------------------------------------------- */

enum { FUNCTIONS_MAX = 3 };

/* The functions in which threads wait for each other, by event. The object comes first. */
static const struct {
	const char *name;
	const char *functions[FUNCTIONS_MAX];
	enum sync_values values;
} kinds[SYNC_PROBES] = {
	{"mutex_lock",
	 {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock"},
	 SYNC_OBJECT},
	{"mutex_trylock", {"pthread_mutex_trylock"}, SYNC_OBJECT},
	{"mutex_unlock", {"pthread_mutex_unlock"}, SYNC_OBJECT},
	{"read_lock", {"pthread_rwlock_rdlock"}, SYNC_OBJECT},
	{"write_lock", {"pthread_rwlock_wrlock"}, SYNC_OBJECT},
	{"rw_unlock", {"pthread_rwlock_unlock"}, SYNC_OBJECT},
	{"cond_wait",
	 {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"},
	 SYNC_OBJECT2},
	{"cond_signal", {"pthread_cond_signal"}, SYNC_OBJECT},
	{"cond_broadcast", {"pthread_cond_broadcast"}, SYNC_OBJECT},
	{"barrier_init", {"pthread_barrier_init"}, SYNC_COUNT},
	{"barrier_wait", {"pthread_barrier_wait"}, SYNC_OBJECT},
	{"sem_init", {"sem_init"}, SYNC_COUNT},
	{"sem_wait", {"sem_wait", "sem_timedwait", "sem_clockwait"}, SYNC_OBJECT},
	{"sem_post", {"sem_post"}, SYNC_OBJECT},
	/*
	 * A system call that does nothing else, and is recorded as such. Its tracepoint would slow
	 * down all system calls of all programs.
	 */
	{"sys_enter_sched_yield", {"sched_yield"}, SYNC_SYSTEM_CALL},
};

/* The only event in the kernel for all of them: closing a perf event takes 20 ms and more. */
static const char kernel_event[] = "call";

/* The probes. Begins as zero, except for the first two members. */
struct sync_probes {
	struct call_links *links; /* for probes made at once; NULL: by tracefs */
	bool yields;		  /* record calls of sched_yield, too */
	struct uprobes made;
	bool has[SYNC_PROBES];
	char *note;    /* names the files with probes */
	char *refused; /* names calls without probes, as the kernel refuses them; NULL: none */
};

struct making {
	const struct sync_probes *probes;
	struct object object;
	/* The functions to probe in it; versions and aliases are often the same. */
	size_t count;
	uint64_t functions[4 * SYNC_PROBES], offsets[4 * SYNC_PROBES], kinds[4 * SYNC_PROBES];
};

static bool is_new(const struct making *making, size_t kind, uint64_t function)
{
	for (size_t i = 0; i < making->count; i++)
		if (making->kinds[i] == kind && making->functions[i] == function)
			return false;
	return making->count < sizeof(making->kinds) / sizeof(making->kinds[0]);
}

static uint64_t find_place(const struct object *object, const struct elf_function *function,
			   size_t kind)
{
	static const unsigned arguments[] = {
		[SYNC_OBJECT] = 1, [SYNC_OBJECT2] = 2, [SYNC_COUNT] = 3, [SYNC_SYSTEM_CALL] = 0};

	return probe_place_in(object, function->offset, function->size,
			      arguments[kinds[kind].values], true)
		.offset;
}

static bool is_of_kind(const struct sync_probes *probes, const char *function, size_t kind)
{
	if (kinds[kind].values == SYNC_SYSTEM_CALL && !probes->yields)
		return false;
	for (size_t i = 0; i < FUNCTIONS_MAX && kinds[kind].functions[i]; i++)
		if (strcmp(kinds[kind].functions[i], function) == 0)
			return true;
	return false;
}

static void take_function(void *context, const struct elf_function *function)
{
	struct making *making = context;

	for (size_t kind = 0; kind < SYNC_PROBES; kind++) {
		size_t at = making->count;

		if (!is_of_kind(making->probes, function->name, kind) ||
		    !is_new(making, kind, function->offset))
			continue;
		making->functions[at] = function->offset;
		making->offsets[at] = find_place(&making->object, function, kind);
		making->kinds[at] = kind;
		making->count++;
	}
}

/* Makes a probe at one place of a file. Returns 0, or errno. */
static int make_probe(struct sync_probes *probes, const char *path, const struct making *making,
		      size_t at)
{
	char *fetches;
	int code;

	if (probes->links)
		return call_links_add(probes->links, path, &making->offsets[at], &making->kinds[at],
				      1);
	fetches = uprobe_record_fetches(UPROBE_ENTER, making->kinds[at], SYNC_ARGUMENTS);
	code = uprobes_add(&probes->made, &(struct uprobe){.event = kernel_event,
							   .path = path,
							   .offset = making->offsets[at],
							   .argument = fetches});
	free(fetches);
	return code;
}

static void note_refused(struct sync_probes *probes, const char *path, const bool *refused)
{
	char *names = NULL;

	for (size_t kind = 0; kind < SYNC_PROBES; kind++)
		if (refused[kind])
			xappend(&names, ", ", "%s", kinds[kind].name);
	xappend(&probes->refused, "; ", "%s in %s", names, path);
	free(names);
}

/*
 * Makes probes at places of a file. The kernel accepts all of them at once or none: then it is
 * tried with each. Returns 0, or errno of the first refusal.
 */
static int probe_places(struct sync_probes *probes, const char *path, const struct making *making)
{
	bool refused[SYNC_PROBES] = {false}, any = false;
	bool at_once = probes->links && making->count &&
		       call_links_add(probes->links, path, making->offsets, making->kinds,
				      making->count) == 0;
	int first = 0;

	for (size_t i = 0; i < making->count; i++) {
		size_t kind = making->kinds[i];
		int code = at_once ? 0 : make_probe(probes, path, making, i);

		probes->has[kind] |= !code;
		any |= !code;
		refused[kind] |= code != 0;
		first = first ? first : code;
	}
	if (any)
		xappend(&probes->note, ", ", "%s%s",
			probes->note ? "" : "the calls of --sync=all are seen in ", path);
	if (first)
		note_refused(probes, path, refused);
	return first;
}

static int explain(const struct file_set *library, int code, struct err *err)
{
	if (uprobes_explain(err, code, "take --sync=futex"))
		return err_wrap(err, "--sync=all");
	if (code == EEXIST)
		return err_set(err, "--sync=all needs Linux 5.4: take --sync=futex");
	if (code)
		return err_set(err, "--sync=all: the kernel takes no probe on %s: %s",
			       library->paths[0], strerror(code));
	return err_set(err,
		       "--sync=all: %s has no pthread_mutex_lock: a static program needs its "
		       "symbols; take --sync=futex",
		       library->count ? library->paths[0] : "the C library");
}

static bool has_any(const struct sync_probes *probes)
{
	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (probes->has[i])
			return true;
	return false;
}

static int make_in(struct sync_probes *probes, const struct file_set *library, struct err *err)
{
	int first = 0;

	for (size_t i = 0; i < library->count; i++) {
		const char *path = library->paths[i];
		struct making making = {.probes = probes};
		int code;

		object_open(&making.object, path);
		object_each_function(&making.object, &making.object, STT_FUNC, take_function,
				     &making);
		object_close(&making.object);
		code = probe_places(probes, path, &making);
		first = first ? first : code;
	}
	return has_any(probes) ? 0 : explain(library, first, err);
}

/* Makes the probes. Returns 0, or -1 with an error; remove them in both cases, after the events. */
static int sync_probes_make(struct sync_probes *probes, const char *root,
			    const struct sync_options *sync, struct run_directory *run,
			    struct err *err)
{
	struct file_set library = {.count = 0};
	int rc;

	if (!uprobes_argument(0))
		return err_set(err, "--sync=all: the argument registers of this machine are "
				    "unknown: take --sync=futex");
	if (!probes->links && uprobes_init(&probes->made, root, UPROBES_SYNC, run, err))
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
	free(probes->refused);
	*probes = (struct sync_probes){.note = NULL};
}

/* An event of the file for the calls of some functions. */
struct library_event {
	char name[CALL_EVENT_NAME_SIZE];
	struct perf_event_attr attr;
	uint64_t id;
	char *format;
};

struct sync_tracer {
	struct call_tracer tracer;
	struct sync_probes probes;
	size_t system_count; /* tracepoints of system calls, the first of its events */
	bool has_futex;	     /* ... of which the first are those of futex */
	struct library_event library[SYNC_PROBES];
	struct perfdata_event events[TRACEPOINTS + SYNC_PROBES]; /* for the header of the file */
	/* Processes in which threads other than the first have called futex, and the C library. */
	struct pid_set futex_callers, library_callers;
};

int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err)
{
	static const char *const names[] = {[SYNC_RECORD_NONE] = "none",
					    [SYNC_RECORD_FUTEX] = "futex",
					    [SYNC_RECORD_ALL] = "all"};

	for (int i = SYNC_RECORD_NONE; i <= SYNC_RECORD_ALL; i++)
		if (strcmp(name, names[i]) == 0) {
			*choice = (enum sync_choice)i;
			return 0;
		}
	return err_set(err,
		       "%s: take futex (calls that wait in the kernel), all (also calls that do "
		       "not), or none",
		       name);
}

/* --- Records ------------------------------------------------------------------------------- */

static void note_process(struct pid_set *callers, const struct sample *parts)
{
	if (parts->tid != parts->pid)
		pid_set_add(callers, parts->pid);
}

static void put_system_call(struct sync_tracer *sync, struct recording *recording,
			    const struct call_sample *sample)
{
	const struct call_events *events = &sync->tracer.events;
	size_t i = sample->event;

	sync->tracer.base.calls++;
	if (sync->has_futex && i < FUTEX_TRACEPOINTS)
		note_process(&sync->futex_callers, sample->parts);
	call_tracer_record(recording, sample, events->ids[i], &events->attrs[i], sample->parts->raw,
			   sample->parts->raw_length);
}

static void put_library_call(struct sync_tracer *sync, struct recording *recording,
			     const struct call_sample *sample)
{
	const struct sample *parts = sample->parts;
	struct call_sample with_caller = *sample;
	size_t i = uprobe_record_place(UPROBE_ENTER, parts->raw, parts->raw_length), size;
	const struct library_event *event;
	uint8_t raw[UPROBE_RECORD_MAX];

	if (i >= SYNC_PROBES)
		return;
	event = &sync->library[i];
	sync->tracer.base.calls++;
	if (kinds[i].values != SYNC_SYSTEM_CALL)
		note_process(&sync->library_callers, parts);
	size = sync_record_rewrite(raw, kinds[i].values, (uint16_t)event->attr.config, parts->raw,
				   parts->raw_length);
	with_caller.caller = sync_record_return(parts->raw, parts->raw_length);
	call_tracer_record(recording, &with_caller, event->id, &event->attr, raw, size);
}

static void sync_put(struct call_tracer *tracer, struct recording *recording,
		     const struct call_sample *sample)
{
	struct sync_tracer *sync = (struct sync_tracer *)tracer;

	if (sample->event < sync->system_count)
		put_system_call(sync, recording, sample);
	else
		put_library_call(sync, recording, sample);
}

static const char *sync_format(const struct collector *collector, const char *event)
{
	const struct sync_tracer *sync = (const struct sync_tracer *)collector;

	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (strcmp(sync->library[i].name, event) == 0)
			return sync->library[i].format;
	return NULL;
}

static void sync_tell(const struct collector *collector, FILE *out)
{
	const struct call_cost *cost = &((const struct call_tracer *)collector)->cost;

	if (cost->ns[CALL_OF_LIBRARY] > 0)
		fprintf(out, "cost_call_ns %.0f\n", cost->ns[CALL_OF_LIBRARY]);
	if (cost->ns[CALL_OF_SYSTEM] > 0)
		fprintf(out, "cost_system_call_ns %.0f\n", cost->ns[CALL_OF_SYSTEM]);
}

static uint64_t count_unseen(const struct sync_tracer *sync, const struct pid_set *callers)
{
	uint64_t count = 0;
	pid_t pid = 0;

	while ((pid = pid_set_next(callers, pid)))
		count += !pid_set_has(&sync->library_callers, pid);
	return count;
}

uint64_t sync_tracer_unseen(const struct collector *collector, const struct pid_set *callers)
{
	const struct sync_tracer *sync = (const struct sync_tracer *)collector;

	if (!sync->probes.note)
		return 0;
	return count_unseen(sync, &sync->futex_callers) +
	       (callers ? count_unseen(sync, callers) : 0);
}

char *sync_tracer_refused(const struct collector *collector)
{
	const struct sync_tracer *sync = (const struct sync_tracer *)collector;

	return sync->probes.refused ? xstrdup(sync->probes.refused) : NULL;
}

/* --- Opening and the end ------------------------------------------------------------------- */

/* A probe can only be removed if no event is open on it. */
static void sync_release(struct collector *collector)
{
	struct sync_tracer *sync = (struct sync_tracer *)collector;

	call_tracer_release(&sync->tracer);
	sync_probes_remove(&sync->probes);
	for (size_t i = 0; i < SYNC_PROBES; i++)
		free(sync->library[i].format);
	pid_set_release(&sync->futex_callers);
	pid_set_release(&sync->library_callers);
	free(sync);
}

static const struct collector_kind kind = {
	.name = "sync",
	.format = sync_format,
	.tell = sync_tell,
	.free = sync_release,
};

static const char no_tracepoints[] = "--sync needs a kernel with CONFIG_FTRACE_SYSCALLS";

static int add_events(struct sync_tracer *sync, size_t first, struct err *err)
{
	for (size_t i = 0; i < sync->system_count; i++)
		if (call_tracer_add(&sync->tracer, "syscalls", "syscalls",
				    tracepoints[first + i].name, tracepoints[first + i].stack, err))
			return err_wrap(err, "%s", no_tracepoints);
	if (sync->probes.links)
		call_tracer_add_links(&sync->tracer, UPROBES_SYNC_SYSTEM, kernel_event);
	if (!sync->probes.made.count)
		return 0;
	return call_tracer_add(&sync->tracer, sync->probes.made.group, UPROBES_SYNC_SYSTEM,
			       kernel_event, true, err);
}

/*
 * Describes an event of the file. The kernel's event for all functions is not in the file, which
 * has one for each kind. Returns 0, or -1 with an error.
 */
static int describe_library(struct sync_tracer *sync, size_t at, struct err *err)
{
	const struct call_events *kernel = &sync->tracer.events;
	struct library_event *event = &sync->library[at];
	bool own = kinds[at].values != SYNC_SYSTEM_CALL;
	uint64_t type = SYNC_FIRST_TYPE + at;

	snprintf(event->name, sizeof(event->name), "%s:%s", own ? UPROBES_SYNC_SYSTEM : "syscalls",
		 kinds[at].name);
	if (own)
		event->format =
			sync_record_format(kinds[at].name, kinds[at].values, (uint16_t)type);
	else if (tracefs_event_id(&type, sync->tracer.options.tracefs, event->name, err))
		return err_wrap(err, "%s", no_tracepoints);
	event->attr = kernel->attrs[sync->system_count]; /* except its number */
	event->attr.config = type;
	event->id = kernel->first_id + TRACEPOINTS + at;
	sync->events[sync->tracer.base.event_count++] =
		(struct perfdata_event){event->name, &event->attr, &event->id, 1};
	return 0;
}

static int describe_events(struct sync_tracer *sync, struct err *err)
{
	struct collector *base = &sync->tracer.base;

	memcpy(sync->events, sync->tracer.events.described,
	       sync->system_count * sizeof(*sync->events));
	base->events = sync->events;
	base->event_count = sync->system_count;
	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (sync->probes.has[i] && describe_library(sync, i, err))
			return -1;
	sync->tracer.lost_id = sync->events[0].ids[0];
	return 0;
}

/* Makes the probes, if possible at once. Returns 0, or -1 with an error. */
static int make_probes(struct sync_tracer *tracer, const struct collector_options *options,
		       const struct sync_options *sync, struct err *err)
{
	struct sync_probes *probes = &tracer->probes;
	struct call_links *links = &tracer->tracer.links;

	*probes = (struct sync_probes){.links = links, .yields = sync->system == SYNC_SYSTEM_YIELD};
	if (sync->links && !call_links_open(links, SYNC_LINK_TYPE) &&
	    !sync_probes_make(probes, options->tracefs, sync, options->run, err))
		return 0;
	call_links_release(links);
	sync_probes_remove(probes);
	probes->yields = sync->system == SYNC_SYSTEM_YIELD;
	return sync_probes_make(probes, options->tracefs, sync, options->run, err);
}

static int open_events(struct sync_tracer *tracer, const struct collector_options *options,
		       const struct sync_options *sync, struct err *err)
{
	size_t first = sync->system == SYNC_SYSTEM_ALL ? 0
		       : sync->library		       ? TRACEPOINTS
						       : TRACEPOINTS - YIELD_TRACEPOINTS;

	tracer->system_count = TRACEPOINTS - first;
	tracer->has_futex = first == 0;
	if (sync->library && make_probes(tracer, options, sync, err))
		return -1;
	if (add_events(tracer, first, err) || call_tracer_open(&tracer->tracer, err) ||
	    describe_events(tracer, err))
		return -1;
	tracer->tracer.base.call_ns =
		tracer->tracer.cost.ns[sync->library ? CALL_IN_WORK : CALL_OF_SYSTEM];
	return 0;
}

bool sync_tracer_links(void)
{
	struct call_links links;
	bool opens = call_links_open(&links, SYNC_LINK_TYPE) == 0;

	call_links_release(&links);
	return opens;
}

struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err)
{
	struct sync_tracer *tracer = xcalloc(1, sizeof(*tracer));
	struct collector *base = &tracer->tracer.base;

	tracer->tracer.put = sync_put;
	tracer->tracer.events.first_id = RECORD_SYNC_ID;
	tracer->tracer.events.stacks = sync->stacks;
	if (sync->library)
		tracer->tracer.trials |= 1U << CALL_OF_LIBRARY | 1U << CALL_IN_WORK;
	if (!sync->library || sync->system == SYNC_SYSTEM_ALL)
		tracer->tracer.trials |= 1U << CALL_OF_SYSTEM;
	if (call_tracer_begin(&tracer->tracer, &kind, options, err) ||
	    open_events(tracer, options, sync, err)) {
		sync_release(base);
		return NULL;
	}
	base->note = tracer->probes.note;
	return base;
}
