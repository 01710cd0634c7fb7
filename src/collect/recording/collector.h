/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collector watches threads and makes records. A recording has one collector that
 * watches the scheduler (perf, bpf or task), and beside it those that count and that sample. The
 * recorder knows them by this interface alone:
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

/* The common data that they are opened with. Borrowed until they are freed. */
struct collector_options {
	const char *tracefs; /* the directory of tracefs; NULL where the user may not read it */
	const char *online;  /* the list of CPUs that are online; NULL: the kernel's */
	struct run_directory *run; /* of the recorder; the collector that needs it opens it */
	bool stacks;		   /* the user stack of a thread that leaves its CPU */
	bool calls;		   /* the system calls in which threads wait for each other ... */
	bool call_stacks;	   /* ... with the user's call chain of the caller */
	/*
	 * The target, which may be all of the machine, or without what its threads create: the
	 * collector that watches the scheduler tells it of births, execs and ends.
	 */
	struct lineage *lineage;
	/* Receives the name of a step that may take long, when it begins; may be NULL. */
	void (*step)(void *context, const char *sentence);
	void *step_context;
};

/*
 * Each function returns 0, or -1 with a sentence, unless it says otherwise. A function that a kind
 * does not need is NULL.
 */
struct collector_kind {
	const char *name; /* "perf", as in --collector */

	/* The caller is about to fork the command: its birth is to be seen. */
	int (*expect)(struct collector *collector, struct err *err);

	/* `child` is born and held back: from now on it and all its descendants are watched. */
	int (*follow)(struct collector *collector, pid_t child, struct err *err);

	/* Births are seen from now on, and everything of the threads that are adopted. */
	int (*start)(struct collector *collector, struct err *err);

	/*
	 * Watch this thread, and what it creates from now on. One that has ended meanwhile is no
	 * failure. The caller reads its state afterwards. Returns 1 where threads that it created
	 * a moment ago may have been missed: look again.
	 */
	int (*adopt)(struct collector *collector, pid_t pid, pid_t tid, struct err *err);

	/*
	 * Off: threads are not recorded, but births are still followed, so that the whole target is
	 * recorded when it is switched on again.
	 */
	int (*enable)(struct collector *collector, bool on, struct err *err);

	/*
	 * The next pass reads no event that comes into the rings later. Of all collectors before
	 * the pass of any, so that the births of all threads that are seen have been told of.
	 */
	void (*mark)(struct collector *collector);

	/*
	 * Moves the events from one mark to the next into the recording. The one that watches
	 * the scheduler is the first.
	 */
	int (*pass)(struct collector *collector, struct recording *recording, struct err *err);

	/*
	 * After a trial: `tids` had been adopted. They are not any more, what has been seen is
	 * passed to `scratch` and counted nowhere, and the collector is as it was opened. NULL: it
	 * cannot be tried.
	 */
	int (*forget)(struct collector *collector, const pid_t *tids, size_t count,
		      struct recording *scratch, struct err *err);

	/*
	 * Switches the recording of calls on (the initial state) or off. Cannot fail. NULL: it
	 * records no calls that could be left out.
	 */
	void (*see_calls)(struct collector *collector, bool on);

	/* Nothing new is seen from now on. Cannot fail. */
	void (*stop)(struct collector *collector);

	/*
	 * The layout of the payload of its tracepoint of this name, where no tracefs tells, as far
	 * as it is known by now. Borrowed until the next pass. NULL: tracefs does.
	 */
	const char *(*format)(const struct collector *collector, const char *event);

	/* After the last pass: lines for the section that perf has no field for, see perfdata.h. */
	void (*tell)(const struct collector *collector, FILE *out);

	void (*free)(struct collector *collector);
};

/* The first member of each kind's own struct. */
struct collector {
	const struct collector_kind *kind;
	struct perfdata_event *events; /* what the header of the recording names */
	size_t event_count;
	const int *fd;	  /* readable when a pass is due; NULL: nothing tells */
	unsigned pass_ms; /* a pass is due after this time in any case; 0: the fd tells */
	const char *note; /* a sentence on its method; NULL: none */
	bool sees_calls;  /* it records such calls as it was asked for: nothing else has to */

	/* For the line that ends the recording, once it has stopped: */
	uint64_t missed_wakes;	/* the kernel counted them but did not record them */
	uint64_t missed_stacks; /* call chains that the kernel had no room for */
	uint64_t cut_maps;	/* processes of which not all mappings were read */
	uint64_t mixed_faults;	/* page faults that had the number and time of another recorder's */
	uint64_t ring_bytes;	/* that the kernel wrote for it; 0: not counted */
	/* Of one that records calls in which threads wait for each other: */
	uint64_t calls;	 /* so many up to the last pass */
	double call_ns;	 /* CPU time that this takes each of them; 0: not known */
	uint64_t cpu_ns; /* of the target up to the last pass; 0: it does not watch that */
	const struct pid_set
		*callers; /* processes of which not only the first thread has made any */
	bool wrapped;	  /* thread ids wrapped around: threads may be missing */
	bool reduced;	  /* no wakes were seen, nor threads of other users */
};

/*
 * All collectors of one recording, driven as one: the comments above on each function of a kind
 * hold for the set.
 *
 * One that watches the scheduler, one that counts, one that samples, one that traces waits, one that
 * traces sockets, two that trace blocks, from inside and from outside, and one that tells how threads
 * began.
 */
enum { COLLECTOR_SET_MAX = 8 };

/* Begins as zero. */
struct collector_set {
	struct collector *items[COLLECTOR_SET_MAX];
	size_t count;
	struct perfdata_event *events; /* of all of them: those that sample come first */
	size_t sampling_count;	       /* of events that sample */
	size_t event_count;
};

/* Takes the collector over. */
void collector_set_add(struct collector_set *set, struct collector *collector);
void collector_set_release(struct collector_set *set);

int collector_set_expect(struct collector_set *set, struct err *err);
int collector_set_follow(struct collector_set *set, pid_t child, struct err *err);
int collector_set_start(struct collector_set *set, struct err *err);
/* Returns 1 when one of them does. */
int collector_set_adopt(struct collector_set *set, pid_t pid, pid_t tid, struct err *err);
int collector_set_enable(struct collector_set *set, bool on, struct err *err);
int collector_set_pass(struct collector_set *set, struct recording *recording, struct err *err);
void collector_set_stop(struct collector_set *set);
/* Of the collector that has this event and says how it is laid out; NULL: none does. */
const char *collector_set_format(const struct collector_set *set, const char *event);
void collector_set_tell(const struct collector_set *set, FILE *out);

#endif
