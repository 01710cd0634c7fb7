/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data file that is read: perfdata_source.c goes through the file, perfdata_events.c reads
 * the records of the kernel in it, perfdata_namespaces.c joins the numbers of their threads,
 * perfdata_command.c reads how perf was called, and perfdata_target.c what pscal record says of the
 * target.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_PRIVATE_H
#define PSCAL_DECODE_KERNEL_PERFDATA_SOURCE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "decode/event/event_source.h"
#include "decode/kernel/order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_reader.h"
#include "perfdata/sample.h"

struct formats;
struct input;

/* --- PID namespaces ------------------------------------------------------------------------ */

/*
 * Numbers of threads in a recording that perf made inside of a PID namespace, as in a container or
 * WSL2. The kernel writes those of the namespace into sample headers and into FORK, COMM, EXIT and
 * SWITCH records, and 0 for a thread outside of it; payloads of tracepoints have those of the
 * host. A sample of a thread that leaves its CPU or wakes another has both. Events get the
 * numbers of the host, as far as they are known. Zero is one that knows nothing.
 */
struct namespaces {
	struct map inside; /* numbers there, and of each that of the host: */
	int32_t *outside;
	size_t capacity;
	uint64_t own, foreign; /* switches with one number, and with two */
};

/* A thread has these two numbers. */
void namespaces_learn(struct namespaces *namespaces, int32_t inside, int32_t outside);

/* Was it recorded in another namespace than that of the host? */
static inline bool namespaces_matter(const struct namespaces *namespaces)
{
	return namespaces->foreign > namespaces->own;
}

/* Do switches tell that there is only the host's? */
static inline bool namespaces_are_one(const struct namespaces *namespaces)
{
	return namespaces->own > 8 && namespaces->foreign <= namespaces->own / 64;
}

/* The number that the host has for it; -1: not known. */
int32_t namespaces_find(const struct namespaces *namespaces, int32_t inside);

/* Puts the numbers of the host into an event. False: it is of a thread that has none, as yet. */
bool namespaces_join(const struct namespaces *namespaces, struct event *event);

void namespaces_release(struct namespaces *namespaces);

/* --- The command of perf record ------------------------------------------------------------ */

struct perfdata_command {
	bool has_tail;	 /* what perf found at the start stands at the end: --tail-synthesize */
	bool per_thread; /* perf had a ring for each thread: --per-thread */
	bool filtered;	 /* switches are on record of some threads or CPUs only */
	bool chosen;	 /* ... those that a filter of their fields chooses: --filter */
	bool partial;	 /* the same, or but for those of perf */
};

/* The words of a command, as the header keeps them. That of pscal record says nothing of these. */
struct perfdata_command perfdata_command_read(const char *bytes, size_t length, bool swapped);

/*
 * The command that was recorded as a shell reads it, or all words where these do not tell it; of at
 * most COMMAND_WORDS_MAX words. NULL: there are none.
 */
enum { COMMAND_WORDS_MAX = 200 };
char *perfdata_command_text(const char *bytes, size_t length, bool swapped);

/* --- The target ---------------------------------------------------------------------------- */

/*
 * The target as pscal record describes it (PERFDATA_PSCAL in perfdata/perfdata.h): its threads,
 * their first states, and how many events the kernel counted. It stands in a section at the end of
 * the file, or in notes among the records, where the recording did not come to its end or has none.
 */

/* Hits of a tracepoint that the kernel counted. */
struct event_count {
	char name[64]; /* "sched:sched_waking" */
	uint64_t hits;
};

struct target_feature {
	struct event_count *counts;
	size_t count;
	bool wrapped;	       /* thread numbers began anew while only large ones were recorded */
	uint64_t paused_ns;    /* recording was off for so long */
	uint64_t calls_end_ns; /* calls were recorded up to here; 0: to the end */
};

/*
 * Reads `text`, which is changed on the way. What is said of the target and the recording goes to
 * `target` (which the caller releases, also on failure), the state in which a thread was found is
 * pushed to `order` as an EVENT_STATE, and `order` learns of pauses. Returns 0, or -1 with a
 * sentence.
 */
int target_feature_init(struct target_feature *feature, struct target_info *target,
			struct order *order, char *text, struct err *err);
void target_feature_release(struct target_feature *feature);

struct perfdata_target {
	/* To be filled in; borrowed. */
	struct target_info *target; /* where it goes, */
	struct order *order;	    /* and the states in which threads were found */
	struct blocks *blocks;	    /* ... whose names are not those of their events; or NULL */

	bool described; /* something has been said */
	struct target_feature feature;
	bool has_section; /* so notes are old */
	char *text;	  /* notes, as far as they have been read */
	size_t text_length, text_capacity;
};

/* Both return 0, or -1 with a sentence that lacks the name of the input. */
int perfdata_target_section(struct perfdata_target *target, const struct perfdata_file *file,
			    const struct input *input, struct err *err);
int perfdata_target_note(struct perfdata_target *target, const struct perfdata_record *record,
			 struct err *err);
/*
 * The same of a PERFDATA_RECORD_THREAD_MAP. Returns whether it names threads: then there are no
 * records of the kernel but of these and, with `inherits`, what they create.
 */
bool perfdata_target_threads(struct perfdata_target *target, const struct perfdata_record *record,
			     bool inherits);

/*
 * They were numbers of a namespace, and become those of the host. A thread of which that is not
 * known has the negative of its number, which no event has, until perfdata_target_learn().
 */
void perfdata_target_join(struct perfdata_target *target, const struct namespaces *namespaces);
void perfdata_target_learn(struct perfdata_target *target, int32_t inside, int32_t outside);
void perfdata_target_release(struct perfdata_target *target);

/* --- The source ---------------------------------------------------------------------------- */

struct perfdata_source {
	struct event_source base;
	struct input *input;
	struct perfdata_file file;
	struct perfdata_reader *reader;
	struct perfdata_record first; /* of the kernel, met while opening */
	bool has_first;
	struct formats *formats;
	bool has_formats, has_names; /* have been read: the first ones count */
	struct perfdata_command command;
	struct order *order;
	struct perfdata_target target;
	bool has_begun, ended;
	struct err no_switches; /* said where samples are alone */

	/* Of the records of the kernel. */
	bool births;   /* PERF_RECORD_FORK begins a thread: no tracepoint tells it */
	bool switches; /* sched_switch tells the end of one, after PERF_RECORD_EXIT ... */
	bool narrow;   /* ... where threads are not recorded one by one, up to there */
	bool unmarked; /* switch records of this kernel do not say that a thread was preempted */
	enum {
		TIMELESS_TOO,  /* COMM and FORK records without a time count as others do, ... */
		TIMELESS_ONLY, /* ... are the only ones that do, */
		TIMELESS_NONE, /* ... or have been read before */
	} timeless;
	struct overwritten_ring *rings; /* by CPU, where any are written over */
	size_t ring_count, ring_capacity;
	struct record_owners owners;
	struct namespaces namespaces;
	struct sparse routines;	 /* by tid: no pointer, but the function that it began with */
	uint64_t lost, lost_sum; /* records, as told where that was and as added up at the end */
	bool lost_anywhere;	 /* more in the sum, and no CPU is known that lost them */
	uint64_t *last_ns;	 /* the last record of each CPU's buffer */
	struct {
		uint64_t first_ns, length_ns; /* of the samples, as the file says, */
		unsigned trust;		      /* until so many say something else */
	} span;
	size_t cpu_capacity;
};

/*
 * One record of the kernel: its events go to `order`, what it says of counts, samples and chains to
 * `base`. Those that say nothing here are passed over, damaged ones are counted.
 */
void perfdata_events_read(struct perfdata_source *source, const struct perfdata_record *record);

/*
 * Rings that the kernel writes over (perf record --overwrite) have forgotten their beginning, each
 * CPU's up to another time. When the last of those begins; 0 when none has forgotten anything.
 */
uint64_t perfdata_events_forgotten(const struct perfdata_source *source);

void perfdata_events_release(struct perfdata_source *source);

/* The record at that place is not used, and counted; an audit tells where it is. */
void perfdata_source_pass_over(struct perfdata_source *source, enum quality_fact fact,
			       uint64_t place);

#endif
