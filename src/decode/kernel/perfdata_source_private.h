/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data file while it is read: perfdata_source.c reads the file, perfdata_events.c the
 * records of the kernel, perfdata_namespaces.c translates thread numbers, perfdata_command.c reads
 * the command line of perf, and perfdata_target.c the description of the target by pscal record.
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
 * Numbers of threads in a recording that perf made in a PID namespace, as in a container or WSL2.
 * The kernel writes the numbers of the namespace into sample headers and into FORK, COMM, EXIT and
 * SWITCH records, and 0 for a thread outside it. Payloads of tracepoints have the numbers of the
 * host. A sample of a thread that leaves its CPU or wakes another has both. Events get the numbers
 * of the host, as far as they are known. An empty table is all zero.
 */
struct namespaces {
	struct map inside; /* numbers in the namespace; `outside` has the host's number of each */
	int32_t *outside;
	size_t capacity;
	uint64_t own, foreign; /* switches with one number, and with two different ones */
};

/* Learns the two numbers of a thread. */
void namespaces_learn(struct namespaces *namespaces, int32_t inside, int32_t outside);

/* Returns true if the recording was made in a PID namespace other than that of the host. */
static inline bool namespaces_matter(const struct namespaces *namespaces)
{
	return namespaces->foreign > namespaces->own;
}

/* Returns true if the switches show that there is only the namespace of the host. */
static inline bool namespaces_are_one(const struct namespaces *namespaces)
{
	return namespaces->own > 8 && namespaces->foreign <= namespaces->own / 64;
}

/* Returns the host's number of the thread, or -1 if it is not known. */
int32_t namespaces_find(const struct namespaces *namespaces, int32_t inside);

/* Puts the numbers of the host into an event. Returns false if that of the thread is unknown. */
bool namespaces_join(const struct namespaces *namespaces, struct event *event);

void namespaces_release(struct namespaces *namespaces);

/* --- The command of perf record ------------------------------------------------------------ */

struct perfdata_command {
	bool has_tail;	 /* --tail-synthesize: the threads at the start are described at the end */
	bool per_thread; /* --per-thread: perf had a ring for each thread */
	bool filtered;	 /* only switches of some threads or CPUs are recorded */
	bool chosen;	 /* --filter: a filter of their fields chose the switches */
	bool partial;	 /* `filtered`, or switches of perf itself are left out */
};

/* Reads the words of a command as the header has them. A command of pscal record sets no member. */
struct perfdata_command perfdata_command_read(const char *bytes, size_t length, bool swapped);

/*
 * Returns the recorded command, quoted for a shell, or all words if they do not show where it
 * begins; at most COMMAND_WORDS_MAX words. Returns NULL if there are none.
 */
enum { COMMAND_WORDS_MAX = 200 };
char *perfdata_command_text(const char *bytes, size_t length, bool swapped);

/* --- The target ---------------------------------------------------------------------------- */

/*
 * The target as pscal record describes it (PERFDATA_PSCAL in perfdata/perfdata.h): its threads,
 * their first states, and the number of events that the kernel counted. The description is a
 * section at the end of the file, or notes among the records of a stream or a cut recording.
 */

/* The number of times that the kernel raised a tracepoint. */
struct event_count {
	char name[64]; /* "sched:sched_waking" */
	uint64_t hits;
};

struct target_feature {
	struct event_count *counts;
	size_t count;
	bool wrapped;	    /* thread numbers wrapped around while only large ones were recorded */
	uint64_t paused_ns; /* time without recording, as the user asked */
	/* the end of the recording of calls; 0: that of the whole recording */
	uint64_t calls_end_ns;
};

/*
 * Parses `text`, which it changes. The description of the target and the recording goes to
 * `target`, which the caller releases, also on failure. The first state of a thread is pushed to
 * `order` as an EVENT_STATE, and `order` learns of pauses. Returns 0, or -1 with an error.
 */
int target_feature_init(struct target_feature *feature, struct target_info *target,
			struct order *order, char *text, struct err *err);
void target_feature_release(struct target_feature *feature);

struct perfdata_target {
	/* The caller sets these three, which are borrowed. */
	struct target_info *target; /* gets the description of the target */
	struct order *order;	    /* gets the first states of threads */
	/* gets names of blocks that differ from those of their events; or NULL */
	struct blocks *blocks;

	bool described; /* a description was read */
	struct target_feature feature;
	bool has_section; /* the file has a section: notes are older */
	char *text;	  /* the part of a note read so far */
	size_t text_length, text_capacity;
};

/* Read the section, or a note. Return 0, or -1 with an error that lacks the name of the input. */
int perfdata_target_section(struct perfdata_target *target, const struct perfdata_file *file,
			    const struct input *input, struct err *err);
int perfdata_target_note(struct perfdata_target *target, const struct perfdata_record *record,
			 struct err *err);
/*
 * Reads the threads of a PERFDATA_RECORD_THREAD_MAP. Returns true if it names threads: then all
 * records of the kernel are of these and, with `inherits`, of the threads that they create.
 */
bool perfdata_target_threads(struct perfdata_target *target, const struct perfdata_record *record,
			     bool inherits);

/*
 * perfdata_target_join() turns the target's thread numbers of a namespace into those of the host.
 * Unknown ones become negative, as no number of an event is, until perfdata_target_learn().
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
	struct perfdata_record first; /* the first record of the kernel, read while opening */
	bool has_first;
	struct formats *formats;
	bool has_formats, has_names; /* were read: later ones are ignored */
	struct perfdata_command command;
	struct order *order;
	struct perfdata_target target;
	bool has_begun, ended;
	struct err no_switches; /* the error to report if samples alone are not enough */

	/* Rules for the records of the kernel. */
	bool births;   /* PERF_RECORD_FORK begins a thread: no tracepoint does */
	bool switches; /* sched_switch shows the end of a thread, after PERF_RECORD_EXIT */
	bool narrow;   /* only some threads are recorded, each up to its PERF_RECORD_EXIT */
	bool unmarked; /* switch records of this kernel do not mark preemption */
	enum {
		TIMELESS_TOO,  /* COMM and FORK records without a time count as others do */
		TIMELESS_ONLY, /* only these records count */
		TIMELESS_NONE, /* these records do not count: they were read before */
	} timeless;
	struct overwritten_ring *rings; /* the rings that were overwritten, by CPU */
	size_t ring_count, ring_capacity;
	struct record_owners owners;
	struct namespaces namespaces;
	/* [tid]: the function, cast to a pointer, with which the thread began */
	struct sparse routines;
	uint64_t lost, lost_sum; /* records lost, by records in place and by the sums at the end */
	/* the sums are larger, and the CPUs that lost the records are not known */
	bool lost_anywhere;
	uint64_t *last_ns; /* the time of the last record in the buffer, by CPU */
	struct {
		uint64_t first_ns, length_ns; /* the time of the samples, from the file */
		unsigned trust; /* the number of samples outside it that are taken for damaged */
	} span;
	size_t cpu_capacity;
};

/*
 * Reads one record of the kernel: its events go to `order`, its counts, samples and chains to
 * `base`. Records without use here are ignored, damaged ones are counted.
 */
void perfdata_events_read(struct perfdata_source *source, const struct perfdata_record *record);

/*
 * Returns the time from which all rings have their records; 0 if none was overwritten. An
 * overwritten ring (perf record --overwrite) has lost its beginning, each CPU up to another time.
 */
uint64_t perfdata_events_forgotten(const struct perfdata_source *source);

void perfdata_events_release(struct perfdata_source *source);

/* Counts a record that is not used; an audit gets its place. */
void perfdata_source_pass_over(struct perfdata_source *source, enum quality_fact fact,
			       uint64_t place);

#endif
