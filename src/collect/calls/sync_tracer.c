/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/sync_tracer.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/calls/call_tracer.h"
#include "collect/calls/sync_cost.h"
#include "collect/calls/sync_probes.h"
#include "collect/recording/recording.h"
#include "collect/target/pid_set.h"
#include "perfdata/perfdata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sampler has the first ones. */
#define FIRST_ID (PERFDATA_ASIDE_ID + 64)

static const struct {
	const char *name;
	bool stack; /* it tells where a thread waits, or lets others go on */
} tracepoints[] = {
	{"sys_enter_futex", true},	     {"sys_exit_futex", false},
	{"sys_enter_nanosleep", true},	     {"sys_exit_nanosleep", false},
	{"sys_enter_clock_nanosleep", true}, {"sys_exit_clock_nanosleep", false},
	{"sys_enter_sched_yield", true},     {"sys_exit_sched_yield", false},
};
enum { TRACEPOINTS = sizeof(tracepoints) / sizeof(tracepoints[0]) };

struct sync_tracer {
	struct call_tracer tracer;
	struct sync_probes probes;
	struct sync_cost cost; /* that a call has because it is recorded; 0: not known */
	uint64_t calls;
	struct pid_set system, library; /* processes with calls of other threads than the first */
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
	if (sample->tid != sample->pid)
		pid_set_add(sample->event < TRACEPOINTS ? &sync->system : &sync->library,
			    (pid_t)sample->pid);
}

static void put(struct call_tracer *tracer, struct recording *recording,
		const struct call_sample *sample)
{
	struct sync_tracer *sync = (struct sync_tracer *)tracer;

	sync->calls++;
	note_process(sync, sample);
	call_tracer_record(tracer, recording, sample);
}

static int measure_cost(struct sync_tracer *sync, const struct sync_cost *bare, struct err *err)
{
	struct call_tracer *tracer = &sync->tracer;
	struct sync_cost watched;

	if (call_events_set(&tracer->events, true, err))
		return -1;
	sync_cost_measure(&watched);
	if (call_events_set(&tracer->events, false, err))
		return -1;
	call_tracer_forget(tracer);
	sync_cost_added(&sync->cost, bare, &watched);
	return 0;
}

static void tell(const struct collector *collector, FILE *out)
{
	const struct sync_cost *cost = &((const struct sync_tracer *)collector)->cost;

	if (cost->library_ns > 0)
		fprintf(out, "cost_call_ns %.0f\n", cost->library_ns);
	if (cost->system_ns > 0)
		fprintf(out, "cost_system_call_ns %.0f\n", cost->system_ns);
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
	while ((pid = pid_set_next(&tracer->system, pid)))
		count += !pid_set_has(&tracer->library, pid);
	return count;
}

/* --- Opening and the end ------------------------------------------------------------------- */

/* A probe can only be removed when nobody listens to it. */
static void release(struct collector *collector)
{
	struct sync_tracer *sync = (struct sync_tracer *)collector;

	call_tracer_release(&sync->tracer);
	sync_probes_remove(&sync->probes);
	pid_set_release(&sync->system);
	pid_set_release(&sync->library);
	free(sync);
}

static const struct collector_kind kind = {
	.name = "sync",
	.follow = call_tracer_follow,
	.start = call_tracer_start,
	.adopt = call_tracer_adopt,
	.enable = call_tracer_enable,
	.mark = call_tracer_mark,
	.pass = call_tracer_pass,
	.stop = call_tracer_stop,
	.tell = tell,
	.free = release,
};

static int add_events(struct call_events *events, const struct sync_probes *probes, struct err *err)
{
	for (size_t i = 0; i < TRACEPOINTS; i++)
		if (call_events_add(events, "syscalls", "syscalls", tracepoints[i].name,
				    tracepoints[i].stack, err))
			return err_wrap(err, "--sync needs a kernel with CONFIG_FTRACE_SYSCALLS");
	for (size_t i = 0; i < SYNC_PROBES; i++)
		if (uprobes_has(&probes->made, sync_probe_name(i)) &&
		    call_events_add(events, probes->made.group, UPROBES_SYNC_SYSTEM,
				    sync_probe_name(i), true, err))
			return -1;
	return 0;
}

static int open_events(struct sync_tracer *tracer, const struct collector_options *options,
		       const struct sync_options *sync, struct err *err)
{
	const struct sync_target target = {sync->command, sync->pids, sync->pid_count};

	if (sync->choice == SYNC_RECORD_ALL &&
	    sync_probes_make(&tracer->probes, options->tracefs, &target, options->run, err))
		return -1;
	if (add_events(&tracer->tracer.events, &tracer->probes, err))
		return -1;
	return call_tracer_open(&tracer->tracer, err);
}

struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err)
{
	struct sync_tracer *tracer = xcalloc(1, sizeof(*tracer));
	struct collector *base = &tracer->tracer.base;
	struct sync_cost bare;

	base->kind = &kind;
	tracer->tracer.put = put;
	tracer->tracer.events.first_id = FIRST_ID;
	tracer->tracer.events.stacks = sync->stacks;
	sync_cost_measure(&bare);
	if (call_tracer_begin(&tracer->tracer, options, "--sync", err) ||
	    open_events(tracer, options, sync, err) || measure_cost(tracer, &bare, err)) {
		release(base);
		return NULL;
	}
	base->note = tracer->probes.note;
	return base;
}
