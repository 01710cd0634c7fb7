/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collector watches threads and makes records. A recording has one collector that watches the
 * scheduler (perf, bpf or task), and others that count or sample. The recorder knows them only by
 * this interface:
 *
 *	a command:          expect, (fork), follow, pass ..., stop, pass, tell, free
 *	running threads:    start, adopt ..., pass ..., stop, pass, tell, free
 */
#ifndef PSCAL_COLLECT_RECORDING_COLLECTOR_H
#define PSCAL_COLLECT_RECORDING_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perfdata/perfdata_write.h"

struct collector;
struct err;
struct lineage;
struct pid_set;
struct recording;
struct run_directory;

/* The common options of collectors. Borrowed until they are freed. */
struct collector_options {
	const char *tracefs;	   /* directory of tracefs; NULL: the user may not read it */
	const char *online;	   /* file with the CPUs online; NULL: the kernel's */
	struct run_directory *run; /* of the recorder; opened by the collector that needs it */
	bool stacks;		   /* record the user stack of a thread that leaves its CPU */
	bool calls;		   /* record system calls in which threads wait ... */
	bool call_stacks;	   /* ... with the caller's call chain */
	/*
	 * The target, which may be the whole machine, or exclude what its threads create. It learns
	 * births, execs and ends from the collector of the scheduler.
	 */
	struct lineage *lineage;
	/* Receives the name of a step that may take long, at its begin; may be NULL. */
	void (*step)(void *context, const char *sentence);
	void *step_context;
};

/*
 * The functions of a kind of collector. Each returns 0, or -1 with an error, unless it says
 * otherwise. A function that a kind does not need is NULL.
 */
struct collector_kind {
	const char *name; /* "perf", as in --collector */

	/* Prepares for the fork of the command, whose birth has to be recorded. */
	int (*expect)(struct collector *collector, struct err *err);

	/* Watches `child`, which is born and held back, and all its descendants. */
	int (*follow)(struct collector *collector, pid_t child, struct err *err);

	/* Begins to record births, and all events of adopted threads. */
	int (*start)(struct collector *collector, struct err *err);

	/*
	 * Watches this thread, and the threads and processes that it creates from now on. A thread
	 * that has ended meanwhile is no error. The caller reads its state afterwards. Returns 1 if
	 * threads that it created a moment ago may be missing, and must be searched for.
	 */
	int (*adopt)(struct collector *collector, pid_t pid, pid_t tid, struct err *err);

	/*
	 * Switches recording on or off. While it is off births are still followed, so that the
	 * whole target is recorded when it is on again.
	 */
	int (*enable)(struct collector *collector, bool on, struct err *err);

	/*
	 * Ends the events of the next pass: it reads no event that comes into the rings later. The
	 * recorder marks all collectors before it passes any, so that the births of all threads in
	 * the events have been reported.
	 */
	void (*mark)(struct collector *collector);

	/* Moves the events between two marks into the recording; the scheduler's first. */
	int (*pass)(struct collector *collector, struct recording *recording, struct err *err);

	/*
	 * Ends a trial with the adopted threads `tids`. They are not watched any more, the events
	 * so far go to `scratch` and are not counted, and the collector is as it was opened. NULL:
	 * no trials.
	 */
	int (*forget)(struct collector *collector, const pid_t *tids, size_t count,
		      struct recording *scratch, struct err *err);

	/*
	 * Switches the recording of calls on (the initial state) or off. Cannot fail. NULL: it
	 * records no calls that could be left out.
	 */
	void (*see_calls)(struct collector *collector, bool on);

	/* Ends the recording of events. Cannot fail. */
	void (*stop)(struct collector *collector);

	/*
	 * Returns the format of its tracepoint of this name, which tracefs does not have, as far as
	 * it is known. Borrowed until the next pass. NULL: tracefs has it.
	 */
	const char *(*format)(const struct collector *collector, const char *event);

	/* Writes lines of the section PERFDATA_PSCAL, see perfdata.h; after the last pass. */
	void (*tell)(const struct collector *collector, FILE *out);

	void (*free)(struct collector *collector);
};

/* The first member of each kind's struct. */
struct collector {
	const struct collector_kind *kind;
	struct perfdata_event *events; /* its events, for the header of the recording */
	size_t event_count;
	const int *fd;	  /* readable when a pass is due; NULL: none */
	unsigned pass_ms; /* a pass is due after this time; 0: only `fd` shows it */
	const char *note; /* sentence on its method; NULL: none */
	bool sees_calls;  /* it records the requested calls: no other collector has to */

	/* For the summary of the recording, once it has stopped: */
	uint64_t missed_wakes;	/* wakeups that the kernel counted but did not record */
	uint64_t missed_stacks; /* call chains that the kernel had no room for */
	uint64_t cut_maps;	/* processes whose mappings were not all read */
	uint64_t mixed_faults;	/* page faults with the number and time of another recorder's */
	uint64_t ring_bytes;	/* bytes that the kernel wrote for it; 0: not counted */
	/* Of a collector of calls in which threads wait for each other: */
	uint64_t calls;	 /* calls up to the last pass */
	double call_ns;	 /* CPU time that recording adds to a call; 0: not known */
	uint64_t cpu_ns; /* of the target up to the last pass; 0: not measured */
	const struct pid_set
		*callers; /* processes in which other threads than the first made such calls */
	bool wrapped;	  /* thread ids wrapped around: threads may be missing */
	bool reduced;	  /* no wakeups, and no threads of other users */
};

/*
 * All collectors of one recording. The comments on the functions of a kind apply to the set.
 *
 * The largest set: collectors of the scheduler, counters, samples, calls in which threads wait,
 * sockets, blocks from inside and from outside, and starts of threads.
 */
enum { COLLECTOR_SET_MAX = 8 };

/* Begins as zero. */
struct collector_set {
	struct collector *items[COLLECTOR_SET_MAX];
	size_t count;
	struct perfdata_event *events; /* of all collectors; those that sample come first */
	size_t sampling_count;	       /* number of events that sample */
	size_t event_count;
};

/* Adds a collector, of which the set takes ownership. */
void collector_set_add(struct collector_set *set, struct collector *collector);
void collector_set_release(struct collector_set *set);

int collector_set_expect(struct collector_set *set, struct err *err);
int collector_set_follow(struct collector_set *set, pid_t child, struct err *err);
int collector_set_start(struct collector_set *set, struct err *err);
/* Returns 1 if one of them does. */
int collector_set_adopt(struct collector_set *set, pid_t pid, pid_t tid, struct err *err);
int collector_set_enable(struct collector_set *set, bool on, struct err *err);
int collector_set_pass(struct collector_set *set, struct recording *recording, struct err *err);
void collector_set_stop(struct collector_set *set);
/* Returns the format of this event from the collector that has it; NULL: none. */
const char *collector_set_format(const struct collector_set *set, const char *event);
void collector_set_tell(const struct collector_set *set, FILE *out);

#endif
