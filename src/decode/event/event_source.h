/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source of events: one interface for perf.data, for the text of perf script and its like, and
 * for the text of perf sched timehist. The caller pulls events, in the order of their times as far
 * as the input allows. decode/trace_input.h opens a source.
 *
 *	while ((rc = event_source_next(source, &event, &err)) > 0)
 *		...
 *	event_source_free(source);
 */
#ifndef PSCAL_DECODE_EVENT_EVENT_SOURCE_H
#define PSCAL_DECODE_EVENT_EVENT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/event/blocks.h"
#include "decode/event/counts.h"
#include "decode/event/event.h"
#include "decode/event/quality.h"
#include "decode/event/samples.h"

struct err;

/* A limit of CPU time by control groups, and its use during the recording; 0: not known. */
struct target_quota {
	uint64_t quota_ns, period_ns; /* CPU time in each period; quota 0: no known limit */
	/* periods in which the group ran, and in which it used up its quota */
	uint64_t periods, throttled;
	uint64_t throttled_ns; /* time throttled, the sum over the CPUs of the group */
	/* CPU time of the group, which may include other programs than the target */
	uint64_t used_ns;
};

/* The target of a recording and the way it was recorded, as far as the input says. */
struct target_info {
	int32_t *roots; /* processes that are the target, with all their descendants; sorted */
	size_t root_count;
	int32_t *tids; /* threads that are the target, with all that they create; sorted */
	size_t tid_count;
	char comm[COMM_SIZE];	 /* threads of this name are the target; empty: no such name */
	bool wide;		 /* all threads of the machine are the target */
	int32_t self;		 /* the recorder, which is no part of a wide target; 0: not known */
	bool alone;		 /* threads created by roots and tids are no part of the target */
	bool filtered;		 /* only switches of some threads are recorded */
	unsigned affinity_count; /* CPUs that the target may use; 0: not known */
	uint64_t core_count;	 /* cores of these CPUs; 0: not known */
	bool attached; /* the target ran before the recording began: its first states are given */
	int32_t launched;      /* a process that is part of the target from its exec on; 0: none */
	uint64_t start_ns;     /* the beginning of the recording; 0: the first event */
	uint64_t end_ns;       /* the end of the recording; 0: the last event */
	char collector[16];    /* the collector of scheduling events, as "perf"; empty: not known */
	bool interrupts;       /* the collector "bpf" marks wakeups by interrupts */
	bool hides_interrupts; /* text of perf script does not mark them */
	char *hidden;	       /* CPUs whose switches are hidden; NULL: none known */
	char *command; /* the recorded command, with blanks between its words; NULL: not known */
	char *kernel;  /* version of the kernel, as "6.1.0"; NULL: not known */
	char *cpu;     /* model of the CPU, from /proc/cpuinfo; NULL: not known */
	unsigned online_count;	 /* CPUs of the machine; 0: not known */
	uint64_t cost_switch_ns; /* CPU time that the recording added to a switch; see has_cost */
	uint64_t cost_call_ns;	 /* CPU time added to a call of the C library; 0: not known */
	uint64_t cost_system_call_ns; /* CPU time added to a system call */
	uint64_t own_cpu_ns;	      /* CPU time of the recorder itself; 0: not known */
	uint64_t
		busy_ns; /* time that the CPUs of the target were in use, by anyone; see has_busy */
	uint64_t steal_ns; /* the part of busy_ns that the hypervisor took */
	struct target_quota quota;
	uint64_t blocks_every; /* number of calls of a block for each recorded one; 0 or 1: all */
	uint64_t blocks_lost;  /* events of blocks that were not recorded */
	double block_cost_ns;  /* CPU time that the recording added to a block; 0: not known */
	/* CPU time added to a task, for its beginning and its end together; 0: not known */
	double task_cost_ns;
	uint64_t uprobe_cost_ns; /* CPU time added to a call that an uprobe recorded */
	bool has_cost;
	bool has_busy;
	bool has_faults; /* page faults of the target are recorded */
	/* CPU time of a page fault outside of its recorded interval; 0: not known */
	double fault_outside_ns;
};

void target_info_release(struct target_info *target);

/* Returns true if the kernel is known to be older than this version of Linux. */
bool target_kernel_is_before(const struct target_info *target, unsigned long major,
			     unsigned long minor);

/* Returns the share of busy time of the target's CPUs that the hypervisor took; 0: not known. */
double target_steal_share(const struct target_info *target);

/* Returns false if a wakeup by an interrupt looks like one by the interrupted thread. */
static inline bool target_tells_interrupts(const struct target_info *target)
{
	return target->interrupts || strcmp(target->collector, "bpf") != 0;
}

struct event_source {
	/* Returns 1 with an event, 0 at the end, or -1 with an error. */
	int (*next)(struct event_source *source, struct event *event, struct err *err);
	void (*free)(struct event_source *source);
	struct target_info target;
	struct quality quality;
	bool wants_faults;	/* page faults become events; set before reading */
	bool audited;		/* ignored records become event_note(), and are counted, too */
	struct counts counts;	/* counters of threads; complete at the end */
	struct samples samples; /* places of threads in the code; complete at the end */
	struct chains chains;	/* call chains of samples, waits and calls; complete at the end */
	/* of EVENT_TASK: functions that threads began with, then words that arguments point to */
	struct chains starts;
	struct blocks blocks; /* the blocks of EVENT_ENTER and EVENT_LEAVE; grows while reading */
};

static inline int event_source_next(struct event_source *source, struct event *event,
				    struct err *err)
{
	return source->next(source, event, err);
}

/* Frees the source; NULL is allowed. */
void event_source_free(struct event_source *source);

#endif
