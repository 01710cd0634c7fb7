/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as trace viewers show it: slices for the states of threads and for functions and
 * tasks, on lanes of threads, arrows from wakers to woken threads, counters and marks. One pass
 * makes them, and the functions of a format write them. Memory grows with the number of threads
 * only.
 *
 * The own struct of a format begins with struct trace_walk.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_TRACE_H
#define PSCAL_REPORT_EXPORT_EXPORT_TRACE_H

#include "base/map.h"
#include "decode/event/event.h"
#include "report/export/export_file.h"
#include "report/export/export_format.h"
#include "stats/spin/thread_names.h"
#include "stats/usage/time_bins.h"

/*
 * The lanes of a thread. States have a lane of their own, as functions and tasks do not nest with
 * them.
 */
enum trace_lane { LANE_STATES, LANE_CODE, LANES };

/* All times are nanoseconds since the timeline began. */
struct trace_thread {
	size_t number;
	int32_t tid, pid; /* pid 0: unknown */
	struct thread_name name;
	uint32_t start; /* as in struct change */
	uint64_t begin_ns, end_ns;
	uint64_t flow; /* an arrow that ends at the start of the next slice; 0: none */
	bool appeared, has_code;
	bool is_again; /* another thread had its pid and tid before */
};

struct trace_slice {
	const struct trace_thread *thread;
	enum trace_lane lane;
	const char *name, *category;
	uint64_t begin_ns, end_ns;
	enum thread_state state; /* on LANE_STATES */
	int32_t cpu;		 /* -1: none, or unknown */
	uint32_t chain;		 /* call chain in which it left its CPU; 0: unknown */
	uint64_t flow;		 /* an arrow that ends here; 0: none */
	bool open;		 /* its end is not recorded */
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

/* The functions that write a format; NULL: the format has no such part. */
struct trace_ops {
	size_t size; /* of the own struct, which begins as zero */
	int (*begin)(struct trace_walk *walk, struct err *err); /* before the file is made */
	void (*release)(struct trace_walk *walk);		/* what only this format has */
	void (*slice)(struct trace_walk *walk, const struct trace_slice *slice); /* of states */
	/* Where one on LANE_CODE begins, or ends, in the order of time; they nest. */
	void (*code)(struct trace_walk *walk, const struct trace_slice *slice, bool begins);
	void (*arrow)(struct trace_walk *walk, const struct trace_arrow *arrow);
	/* Called at the end, in this order. */
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
	struct trace_thread **threads; /* by number; addresses are stable */
	size_t thread_count, thread_capacity;
	struct map numbers; /* pairs of pid and tid of threads so far */
	struct time_bins bins;
	uint64_t slices, arrows;
};

extern const struct trace_ops chrome_ops, perfetto_ops, firefox_ops;

/* Returns the name of a lane: "NAME", "NAME (code)". */
const char *trace_lane_name(char out[2 * THREAD_NAME_SIZE], const struct trace_thread *thread,
			    enum trace_lane lane);

#endif
