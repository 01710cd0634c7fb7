/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as viewers of traces show it: states of threads, and functions and tasks, as slices on
 * lanes of threads, arrows from wakers to the threads that they wake, counters and marks. Made in one
 * pass; a writer for each format writes what it is told. Memory is for threads.
 *
 * The own struct of a format begins with struct trace_walk, whose `ops` it sets.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_TRACE_H
#define PSCAL_REPORT_EXPORT_EXPORT_TRACE_H

#include "base/map.h"
#include "decode/event/event.h"
#include "report/export/export_file.h"
#include "report/export/export_format.h"
#include "stats/spin/thread_names.h"
#include "stats/usage/time_bins.h"

/* Functions and tasks do not nest with states, which have a lane of their own. */
enum trace_lane { LANE_STATES, LANE_CODE, LANES };

/* All times are nanoseconds since the timeline began. */
struct trace_thread {
	size_t number;
	int32_t tid, pid; /* pid 0: not known */
	struct thread_name name;
	uint32_t start; /* as in struct change */
	uint64_t begin_ns, end_ns;
	uint64_t flow; /* an arrow that ends where the next slice begins; 0: none */
	bool appeared, has_code;
	bool is_again; /* another thread had its numbers before */
};

struct trace_slice {
	const struct trace_thread *thread;
	enum trace_lane lane;
	const char *name, *category;
	uint64_t begin_ns, end_ns;
	enum thread_state state; /* on LANE_STATES */
	int32_t cpu;		 /* -1: none, or not known */
	uint32_t chain;		 /* of calls, in which it left its CPU; 0: not known */
	uint64_t flow;		 /* an arrow that ends here; 0: none */
	bool open;		 /* its end is not on record */
};

struct trace_arrow {
	uint64_t id, time_ns;
	const struct trace_thread *from, *to;
};

struct trace_mark {
	const char *name, *meaning;
	uint64_t value;
};

struct trace_walk;

/* The functions that write a format; NULL: it has no such part. */
struct trace_ops {
	void (*slice)(struct trace_walk *walk, const struct trace_slice *slice); /* of states */
	/* Where one on LANE_CODE begins, or ends, in the order of time; they nest. */
	void (*code)(struct trace_walk *walk, const struct trace_slice *slice, bool begins);
	void (*arrow)(struct trace_walk *walk, const struct trace_arrow *arrow);
	/* At the end, in this order. */
	void (*process)(struct trace_walk *walk, int32_t pid, const char *name);
	void (*thread)(struct trace_walk *walk, const struct trace_thread *thread);
	void (*counter)(struct trace_walk *walk, const char *name, uint64_t time_ns, double value);
	void (*mark)(struct trace_walk *walk, const struct trace_mark *mark);
	int (*end)(struct trace_walk *walk, const struct export_facts *facts, struct err *err);
};

struct trace_walk {
	const struct trace_ops *ops;
	struct export_file file;
	const char *path, *input;
	struct event_source *source;
	struct trace_thread **threads; /* by number; each stays where it is */
	size_t thread_count, thread_capacity;
	struct map numbers; /* pairs of pid and tid that threads have had */
	struct time_bins bins;
	uint64_t slices, arrows;
};

/* The functions of struct export_format; open returns -1 with a sentence. */
int trace_walk_open(struct trace_walk *walk, const struct trace_ops *ops,
		    const struct export_request *request, struct event_source *source,
		    struct err *err);
void trace_walk_release(struct trace_walk *walk);
void trace_walk_change(void *own, const struct change *change, uint64_t begin_ns);
void trace_walk_span(void *own, const struct block_span *span, uint64_t begin_ns);
int trace_walk_check(const void *own, struct err *err);
int trace_walk_finish(void *own, const struct export_facts *facts, struct err *err);
void trace_walk_report(const void *own, struct report *report);

/* Names of lanes: "NAME", "NAME (code)". */
const char *trace_lane_name(char out[2 * THREAD_NAME_SIZE], const struct trace_thread *thread,
			    enum trace_lane lane);

#endif
