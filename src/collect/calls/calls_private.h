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

/* The CPU time of calls, measured in this process before they are recorded and while they are. */

enum call_trial {
	CALL_OF_LIBRARY, /* a call of the C library that does not wait */
	CALL_IN_WORK,	 /* ... between work that is neither short nor simple */
	CALL_OF_SYSTEM,	 /* a system call in which threads wait, from its begin to its end */
	CALL_OF_SOCKET,	 /* a system call that sends to or receives from a socket */
	/*
	 * Calls of functions that do nothing, from entry to return, by the instruction at the
	 * entry: the kernel single-steps the first, and emulates the second (see probe_place.h).
	 */
	CALL_OF_STEPPED,
	CALL_OF_CHEAP,
	CALL_TRIALS
};
#define CALL_COST_UPROBE (1U << CALL_OF_STEPPED | 1U << CALL_OF_CHEAP)

struct call_cost {
	double ns[CALL_TRIALS]; /* of a call; 0: not known */
};

/* Measures calls. Takes up to 20 ms if the calls of these trials are recorded, otherwise 2 ms. */
void call_cost_measure(struct call_cost *cost, unsigned trials);

/* Computes the time that recording adds to each call. Less than 50 ns may be noise, and is 0. */
void call_cost_added(struct call_cost *added, const struct call_cost *bare,
		     const struct call_cost *watched);

/* Returns the place of the function of such a trial in this program's file; 0: not known. */
#define CALL_COST_FILE "/proc/self/exe"
uint64_t call_cost_place(enum call_trial trial);

/* --- call_links.c ---------------------------------------------------------------------------- */

/*
 * Probes on many functions at once: one BPF program for all of them (uprobe_multi, Linux 6.6). The
 * kernel needs several times as long to make and remove probes of tracefs. These probes end with
 * the process.
 */

enum { SYNC_ARGUMENTS = 3 };

/* The links of the program. Begins as zero. */
struct call_links {
	bool is_open;
	int filter, output, program;
	int *items; /* the links */
	size_t count, capacity;
	bool is_detached;
	pthread_t detaching;
};

/*
 * Opens the program. A call of a function is a record whose number is `type`, in the layout of a
 * probe of tracefs that fetches SYNC_ARGUMENTS and the return address. Returns 0, or errno; the
 * caller releases the links in both cases.
 */
int call_links_open(struct call_links *links, uint16_t type);

/* Adds probes at places of a file, all or none, with these numbers. Returns 0, or errno. */
int call_links_add(struct call_links *links, const char *path, const uint64_t *offsets,
		   const uint64_t *kinds, size_t count);

/* Sends records of a CPU to a BPF_OUTPUT event; -1: nowhere. Returns 0, or -1 with an error. */
int call_links_output(const struct call_links *links, int cpu, int fd, struct err *err);

/* Restricts records to threads that pass; before, all pass. Returns 0, or -1 with an error. */
int call_links_filter(const struct call_links *links, const struct thread_filter *filter,
		      struct err *err);

/* Begins to remove the probes, which takes the kernel long, while other work is done. */
void call_links_detach(struct call_links *links);
void call_links_release(struct call_links *links);

/* --- call_tracer.c --------------------------------------------------------------------------- */

/*
 * The common part of collectors that record calls, beside the scheduler's collector: events on
 * every CPU. The kernel leaves out threads whose ids show that they are not of the target; the
 * tracer leaves out other strangers. Each kind of collector has its own events, and its own use of
 * samples.
 */

enum { CALL_EVENTS_MAX = 24, CALL_EVENT_NAME_SIZE = 64 };

/*
 * The perf events that record calls: tracepoints of system calls, and probes on functions. They are
 * open on every CPU, have their own rings, and write only what the kernel alone knows. Begins as
 * zero, except for the first two members.
 */
struct call_events {
	uint64_t first_id; /* in the file, of the first event */
	/* Record stacks of callers; samples without one have an empty one then. */
	bool stacks;

	struct perf_event table[CALL_EVENTS_MAX]; /* for perf_event_open() */
	struct perf_events open;
	struct sample_layout layout;			  /* of their records */
	struct perfdata_event described[CALL_EVENTS_MAX]; /* for the file */
	struct perf_event_attr attrs[CALL_EVENTS_MAX];
	uint64_t ids[CALL_EVENTS_MAX];
	char names[CALL_EVENTS_MAX][CALL_EVENT_NAME_SIZE];
	bool by_anyone[CALL_EVENTS_MAX]; /* also of threads of other programs */
	size_t count;
};

/* A sample of one of the events. */
struct call_sample {
	const struct sample *parts; /* its chain is empty if the event has no stack */
	int cpu;
	size_t event;	 /* its index in `events` */
	uint64_t caller; /* the return address of the function; 0: not known */
};

/*
 * The first member of each kind's struct. Begins as zero, except for `put`, `events` and `trials`.
 */
struct call_tracer {
	struct collector base;
	struct collector_kind kind;
	struct collector_options options;
	void (*put)(struct call_tracer *tracer, struct recording *recording,
		    const struct call_sample *sample);
	struct call_events events;
	struct call_links links; /* if open, the last event is that of their records */
	struct thread_filter filter;
	struct thread_filter newborn; /* threads born from now on, if their ids are known */
	bool filtered, stopped;
	bool spared;		     /* the events stay off, as they are not wanted any more */
	unsigned trials;	     /* calls that measure the cost of recording: */
	struct call_cost bare, cost; /* before recording, and what recording adds */
	uint64_t strangers;	     /* samples of threads of other programs, dropped */
	uint64_t lost;
	uint64_t lost_id; /* in the file, of the event with records of losses */
};

/*
 * Begins a tracer, without probes, if calls can be recorded at all. `own` has the functions that
 * differ between kinds: name, format, tell and free. Returns 0, or -1 with an error; the caller
 * releases the tracer in both cases.
 */
int call_tracer_begin(struct call_tracer *tracer, const struct collector_kind *own,
		      const struct collector_options *options, struct err *err);

/*
 * Adds an event, before they are opened: `event` of `group` in tracefs is `system`:`event` in the
 * file; with a stack if `stack` is true and stacks are recorded. Returns 0, or -1 with an error.
 */
int call_tracer_add(struct call_tracer *tracer, const char *group, const char *system,
		    const char *event, bool stack, struct err *err);

/* Adds the event for records of `links`, with its stack, after all others. */
void call_tracer_add_links(struct call_tracer *tracer, const char *system, const char *event);

/* Opens the events on all CPUs, off, and measures their cost. Returns 0, or -1 with an error. */
int call_tracer_open(struct call_tracer *tracer, struct err *err);
void call_tracer_release(struct call_tracer *tracer);

/* Records a sample under the event with this id and attr, with this payload. */
void call_tracer_record(struct recording *recording, const struct call_sample *sample, uint64_t id,
			const struct perf_event_attr *attr, const void *raw, size_t raw_size);

/* --- uprobe_functions.c ---------------------------------------------------------------------- */

/*
 * The functions of --uprobe BINARY:FUNCTION. BINARY is a path, the name of a file that the target
 * has mapped, or a command in PATH; FUNCTION is a name or a pattern (glob(7)) of its symbols.
 */

/*
 * The most functions; each has two events in the file. No user names more one by one: a pattern
 * that matches everything is a mistake, as the program stops at each call.
 */
enum { UPROBE_FUNCTIONS_MAX = 1000 };

enum { UPROBE_NAME_SIZE = 64 };

struct uprobe_function {
	char *name;
	char event[UPROBE_NAME_SIZE]; /* the name as one word; unique */
};

/* The place of a function. */
struct uprobe_place {
	size_t function;
	char *path;
	uint64_t offset; /* in the file, of the probe */
	bool is_cheap;	 /* see probe_place.h */
};

/* The functions and their places. Begins as zero, except for the first member. */
struct uprobe_functions {
	bool risk_exceptions; /* also functions through which exceptions may pass */
	struct uprobe_function *items;
	size_t count, capacity;
	struct uprobe_place *places;
	size_t place_count, place_capacity;
};

/*
 * Adds the functions of `spec`, BINARY:FUNCTION, with places that keep this number of arguments.
 * `proc` is "/proc". Returns 0, or -1 with an error; the caller releases them in both cases.
 */
int uprobe_functions_add(struct uprobe_functions *functions, const char *spec,
			 const struct uprobe_target *target, unsigned arguments, const char *proc,
			 struct err *err);
void uprobe_functions_release(struct uprobe_functions *functions);

/* --- sync_record.c --------------------------------------------------------------------------- */

/*
 * The payloads of probes on functions of the C library. The kernel writes those of entries as in
 * uprobe_record.c, with the kind of function instead of the place; the file has an event for each
 * kind, as if it had its own probe.
 */
enum {
	SYNC_PROBES = 15,
	SYNC_FIRST_TYPE = 40960, /* behind --uprobe's */
	SYNC_LINK_TYPE = SYNC_FIRST_TYPE + SYNC_PROBES,
};

/*
 * The recorded arguments: the object, and the second argument as another object, or the third as a
 * number; or none: the payload is that of the system call behind the function.
 */
enum sync_values { SYNC_OBJECT, SYNC_OBJECT2, SYNC_COUNT, SYNC_SYSTEM_CALL };

/* Convert payloads and formats as uprobe_record_rewrite() and uprobe_record_format() do, below. */
size_t sync_record_rewrite(uint8_t *out, enum sync_values values, uint16_t type, const uint8_t *raw,
			   size_t size);
char *sync_record_format(const char *event, enum sync_values values, uint16_t type);

/* Returns the return address of the function; 0: not known. */
uint64_t sync_record_return(const uint8_t *raw, size_t size);

/* --- uprobe_record.c ------------------------------------------------------------------------- */

/*
 * The payloads of probes on functions. The kernel writes one event for all functions, with the
 * number of the place before the fetched values; the file has an event for each function, without
 * that number. Closing a perf event for each would take the kernel a tenth of a second each.
 */

enum uprobe_side { UPROBE_ENTER, UPROBE_LEAVE, UPROBE_SIDES };

/* Returns "pscal_enter" or "pscal_leave", the systems of the events in the file. */
const char *uprobe_record_system(enum uprobe_side side);

/* Returns the values that a probe fetches, for tracefs. The caller frees it. */
char *uprobe_record_fetches(enum uprobe_side side, size_t place, unsigned arguments);

/* Returns the number of the place in a payload of the kernel; SIZE_MAX: none. */
size_t uprobe_record_place(enum uprobe_side side, const uint8_t *raw, size_t size);

/*
 * Writes the payload for the file, of an event whose number is `type`, and returns its size: 4
 * bytes less than a multiple of 8, as the kernel's. `raw` is a payload with a place.
 */
enum { UPROBE_RECORD_MAX = 64 };
size_t uprobe_record_rewrite(uint8_t out[UPROBE_RECORD_MAX], enum uprobe_side side, uint16_t type,
			     const uint8_t *raw, size_t size, unsigned arguments);

/* Writes the first lines of a format: name, number, and the fields of all events. */
void uprobe_record_head(FILE *out, const char *event, enum uprobe_side side, uint16_t type);

/* Returns the format of the events, in the language of tracefs. The caller frees it. */
char *uprobe_record_format(const char *event, enum uprobe_side side, uint16_t type,
			   unsigned arguments);

#endif
