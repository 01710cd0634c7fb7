/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the collectors of calls. */
#ifndef PSCAL_COLLECT_CALLS_CALLS_PRIVATE_H
#define PSCAL_COLLECT_CALLS_CALLS_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "collect/calls/calls.h"
#include "collect/kernel/perf_events.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/target/thread_filter.h"
#include "perfdata/perfdata_write.h"
#include "perfdata/sample.h"

struct err;
struct lineage;
struct recording;

/* --- call_cost.c ----------------------------------------------------------------------------- */

/*
 * The CPU time that calls take a thread: measured on calls of this process, before they are
 * recorded and while they are.
 */

enum call_trial {
	CALL_OF_LIBRARY, /* a call of the C library that does not wait */
	CALL_IN_WORK,	 /* ... between work that is neither short nor simple */
	CALL_OF_SYSTEM,	 /* a system call for threads that wait, from its beginning to its end */
	CALL_OF_SOCKET,	 /* one that sends to a socket, or receives */
	/*
	 * Calls of functions that do nothing, from the entry to the return, by the instruction at
	 * the entry: the kernel steps through the first one, and emulates the second (see
	 * probe_place.h).
	 */
	CALL_OF_STEPPED,
	CALL_OF_CHEAP,
	CALL_TRIALS
};
#define CALL_COST_UPROBE (1U << CALL_OF_STEPPED | 1U << CALL_OF_CHEAP)

struct call_cost {
	double ns[CALL_TRIALS]; /* of a call; 0: not known */
};

/* Takes up to 20 ms where the calls of these trials are recorded, and 2 ms where not. */
void call_cost_measure(struct call_cost *cost, unsigned trials);

/* The time that recording adds to each. A difference of less than 50 ns may be chance: 0. */
void call_cost_added(struct call_cost *added, const struct call_cost *bare,
		     const struct call_cost *watched);

/*
 * The place of the function of such a trial in the file that this process runs, which has this
 * path. 0: it is not known.
 */
#define CALL_COST_FILE "/proc/self/exe"
uint64_t call_cost_place(enum call_trial trial);

/* --- call_links.c ---------------------------------------------------------------------------- */

/*
 * Probes on many functions at once: a BPF program at all of them (uprobe_multi, Linux 6.6). A probe
 * of tracefs takes the kernel several times as long to make and to remove. Nothing of these
 * outlives the process.
 */

enum { SYNC_ARGUMENTS = 3 };

/* Begins as zero. */
struct call_links {
	bool is_open;
	int filter, output, program;
	int *items; /* the links */
	size_t count, capacity;
	bool is_detached;
	pthread_t detaching;
};

/*
 * A call of a function is a record whose number is `type`, laid out as a probe of
 * tracefs has it that fetches SYNC_ARGUMENTS and the place that the function will return to. Returns
 * 0, or errno; release them in both cases.
 */
int call_links_open(struct call_links *links, uint16_t type);

/* At these places of a file, all or none; `kinds`: the numbers in their records. Returns 0, or errno. */
int call_links_add(struct call_links *links, const char *path, const uint64_t *offsets,
		   const uint64_t *kinds, size_t count);

/*
 * Records of a CPU are samples of this perf event, of PERF_COUNT_SW_BPF_OUTPUT; -1: there is none.
 * Returns 0, or -1 with a sentence.
 */
int call_links_output(const struct call_links *links, int cpu, int fd, struct err *err);

/* Threads that do not pass are left out; before that all pass. Returns 0, or -1 with a sentence. */
int call_links_filter(const struct call_links *links, const struct thread_filter *filter,
		      struct err *err);

/* Begins to remove the probes, for which the kernel takes its time, while other work is done. */
void call_links_detach(struct call_links *links);
void call_links_release(struct call_links *links);

/* --- call_tracer.c --------------------------------------------------------------------------- */

/*
 * The common part of collectors that record calls, beside the collector that watches the scheduler:
 * events on every CPU. The kernel leaves out threads whose ids show that they are not of the
 * target, and other strangers are left out here. Each kind of collector has its own events, and its
 * own use for a sample.
 */

enum { CALL_EVENTS_MAX = 24, CALL_EVENT_NAME_SIZE = 64 };

/*
 * The perf events by which calls are recorded: tracepoints of system calls, and probes on
 * functions. They are open on every CPU, have rings of their own, and write no more than the kernel
 * alone knows. Begins as zero, but for the first two members.
 */
struct call_events {
	uint64_t first_id; /* in the file, of the first of them */
	bool stacks;	   /* of callers; samples without one have an empty one then */

	struct perf_event table[CALL_EVENTS_MAX]; /* as the kernel is asked for them */
	struct perf_events open;
	struct sample_layout layout;			  /* of their records */
	struct perfdata_event described[CALL_EVENTS_MAX]; /* as the file has them */
	struct perf_event_attr attrs[CALL_EVENTS_MAX];
	uint64_t ids[CALL_EVENTS_MAX];
	char names[CALL_EVENTS_MAX][CALL_EVENT_NAME_SIZE];
	bool by_anyone[CALL_EVENTS_MAX]; /* also in the name of threads beside the target */
	size_t count;
};

/* A sample of one of the events. */
struct call_sample {
	const struct sample *parts; /* its chain is empty where the event has no stack */
	int cpu;
	size_t event;	 /* its number in `events` */
	uint64_t caller; /* where the function will return to; 0: not known */
};

/* The first member of each kind's own struct. Begins as zero, but for `put`, `events` and
 * `trials`. */
struct call_tracer {
	struct collector base;
	struct collector_kind kind;
	struct collector_options options;
	void (*put)(struct call_tracer *tracer, struct recording *recording,
		    const struct call_sample *sample);
	struct call_events events;
	struct call_links links; /* where they are open, the last event is that of their records */
	struct thread_filter filter;
	struct thread_filter newborn; /* the threads born from now on, where that is known */
	bool filtered, stopped;
	bool spared;		     /* the events stay off: they are not wanted any more */
	unsigned trials;	     /* that tell what a recorded call costs: */
	struct call_cost bare, cost; /* before, and what recording adds */
	uint64_t strangers;	     /* samples of threads beside the target, which go nowhere */
	uint64_t lost;
	uint64_t lost_id; /* in the file, of the event that records of losses are told of */
};

/*
 * Begins a tracer where calls can be recorded at all, before there are probes. Its kind has the
 * functions of this one beside its own: name, format, tell and free. Returns 0, or -1 with a
 * sentence; release it in both cases.
 */
int call_tracer_begin(struct call_tracer *tracer, const struct collector_kind *own,
		      const struct collector_options *options, struct err *err);

/*
 * Adds an event, before they are opened: `event` of `group` in tracefs is `system`:`event` in the
 * file; with its stack where `stack` says so and there are any. Returns 0, or -1 with a sentence.
 */
int call_tracer_add(struct call_tracer *tracer, const char *group, const char *system,
		    const char *event, bool stack, struct err *err);

/* Adds the event for records of `links`, with its stack, after all others. */
void call_tracer_add_links(struct call_tracer *tracer, const char *system, const char *event);

/* Opens the events on all CPUs, switched off, and measures what they cost. */
int call_tracer_open(struct call_tracer *tracer, struct err *err);
void call_tracer_release(struct call_tracer *tracer);

/* Records the sample as one of the event with this id and attr, with this payload. */
void call_tracer_record(struct recording *recording, const struct call_sample *sample, uint64_t id,
			const struct perf_event_attr *attr, const void *raw, size_t raw_size);

/* --- uprobe_functions.c ---------------------------------------------------------------------- */

/*
 * The functions that --uprobe BINARY:FUNCTION names. BINARY is a path, the name of what the target
 * has mapped, or a command in PATH; FUNCTION is a name or a pattern (glob(7)) of the symbols in it.
 */

/*
 * Each has two events in the file. No user names more than these one by one: that is a pattern
 * which says everything, for a tool that has to stop the program at each call.
 */
enum { UPROBE_FUNCTIONS_MAX = 1000 };

enum { UPROBE_NAME_SIZE = 64 };

struct uprobe_function {
	char *name;
	char event[UPROBE_NAME_SIZE]; /* the name as a word; the same for two of the same name */
};

/* Where one of them stands. */
struct uprobe_place {
	size_t function;
	char *path;
	uint64_t offset; /* in the file, of the probe */
	bool is_cheap;	 /* see probe_place.h */
};

/* Begins as zero, but for the first. */
struct uprobe_functions {
	bool risk_exceptions; /* also functions through which exceptions may pass */
	struct uprobe_function *items;
	size_t count, capacity;
	struct uprobe_place *places;
	size_t place_count, place_capacity;
};

/*
 * Adds those that `spec`, which has it, names, with places that keep so many arguments. `proc` is
 * "/proc". Returns 0, or -1 with a sentence; release them in both cases.
 */
int uprobe_functions_add(struct uprobe_functions *functions, const char *spec,
			 const struct uprobe_target *target, unsigned arguments, const char *proc,
			 struct err *err);
void uprobe_functions_release(struct uprobe_functions *functions);

/* --- sync_record.c --------------------------------------------------------------------------- */

/*
 * The payloads of probes on functions of the C library: the kernel writes those of an entry, as in
 * uprobe_record.c, with the number of the kind of function in place of that of the place; the file
 * has an event for each kind, as if it had been a probe of its own.
 */
enum {
	SYNC_PROBES = 15,
	SYNC_FIRST_TYPE = 40960, /* behind --uprobe's */
	SYNC_LINK_TYPE = SYNC_FIRST_TYPE + SYNC_PROBES,
};

/*
 * The arguments on record: the object, and the second as another object, or the third as a number;
 * or none: the payload is that of the system call which the function is.
 */
enum sync_values { SYNC_OBJECT, SYNC_OBJECT2, SYNC_COUNT, SYNC_SYSTEM_CALL };

/* As uprobe_record_rewrite() and uprobe_record_format(), below. */
size_t sync_record_rewrite(uint8_t *out, enum sync_values values, uint16_t type, const uint8_t *raw,
			   size_t size);
char *sync_record_format(const char *event, enum sync_values values, uint16_t type);

/* The place that the function will return to; 0: it is not known. */
uint64_t sync_record_return(const uint8_t *raw, size_t size);

/* --- uprobe_record.c ------------------------------------------------------------------------- */

/*
 * The payloads of probes on functions: as the kernel writes them, one event for all functions with
 * the number of the place in front of what it fetches; and as the file has them, an event for each
 * function, without. A perf event for each would take the kernel a tenth of a second to close.
 */

enum uprobe_side { UPROBE_ENTER, UPROBE_LEAVE, UPROBE_SIDES };

/* "pscal_enter", "pscal_leave": the systems of the events in the file. */
const char *uprobe_record_system(enum uprobe_side side);

/* The values that a probe fetches, for tracefs; to be freed. */
char *uprobe_record_fetches(enum uprobe_side side, size_t place, unsigned arguments);

/*
 * The number of the place in a payload of the kernel; SIZE_MAX: it is none.
 */
size_t uprobe_record_place(enum uprobe_side side, const uint8_t *raw, size_t size);

/*
 * Fills in the payload for the file, of an event whose number is `type`, and returns its size: of
 * 4 bytes less than a multiple of 8, as the kernel's are. `raw` is one with a place.
 */
enum { UPROBE_RECORD_MAX = 64 };
size_t uprobe_record_rewrite(uint8_t out[UPROBE_RECORD_MAX], enum uprobe_side side, uint16_t type,
			     const uint8_t *raw, size_t size, unsigned arguments);

/* The first lines of such a layout: name, number, and the fields of all events. */
void uprobe_record_head(FILE *out, const char *event, enum uprobe_side side, uint16_t type);

/* The layout of these, in the words of tracefs; to be freed. */
char *uprobe_record_format(const char *event, enum uprobe_side side, uint16_t type,
			   unsigned arguments);

#endif
