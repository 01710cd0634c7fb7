/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source of events: one interface for perf.data, for the text of perf script and its like,
 * and for that of perf sched timehist. Events are pulled, in the order of their times as far as the
 * input allows. decode/trace_input.h opens one.
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

/* A limit of CPU time, by control groups, and its use while the recording was made; 0: not known. */
struct target_quota {
	uint64_t quota_ns, period_ns; /* CPU time in each period; quota 0: no limit is known */
	uint64_t periods, throttled;  /* that the group ran in, and that used it up */
	uint64_t throttled_ns;	      /* of its CPUs, all together */
	uint64_t used_ns;	      /* CPU time of the group, with programs beside the target */
};

/* The target of an input and the way it was recorded, as far as the input tells. */
struct target_info {
	int32_t *roots; /* processes whose trees are the target; sorted, as are */
	size_t root_count;
	int32_t *tids; /* ... threads that are, with what they create */
	size_t tid_count;
	char comm[COMM_SIZE];	 /* threads of this name are; empty: none */
	bool wide;		 /* all threads of the machine are ... */
	int32_t self;		 /* ... but not those of this process, the recorder; 0: not known */
	bool alone;		 /* without what roots and tids create */
	bool filtered;		 /* switches are on record of some threads only */
	unsigned affinity_count; /* CPUs that the target may use; 0: not known */
	uint64_t core_count;	 /* ... and the cores of these; 0: not known */
	bool attached;		 /* it ran before recording began: its first states are given */
	int32_t launched;	 /* a process that is of the target from its exec on; 0: none */
	uint64_t start_ns;	 /* recording was on from here; 0: from the first event */
	uint64_t end_ns;	 /* ... up to here; 0: up to the last event */
	char collector[16];	 /* what watched the scheduler: "perf"; empty: not known */
	bool interrupts;	 /* of "bpf": wakes in interrupts are told from others */
	bool hides_interrupts;	 /* ... they are not, in text of perf script */
	char *hidden;		 /* CPUs where switches are hidden; NULL: none known */
	char *command;		 /* that recorded, its words with blanks between; NULL: not known */
	char *kernel;		 /* of the machine, as "6.1.0"; NULL: not known */
	char *cpu;		 /* its CPU, as /proc/cpuinfo calls it; NULL: not known */
	unsigned online_count;	 /* its CPUs; 0: not known */
	uint64_t cost_switch_ns; /* of CPU that recording added to a switch; see has_cost */
	uint64_t cost_call_ns;	 /* ... to a call of the C library; 0: not known */
	uint64_t cost_system_call_ns; /* ... to a system call */
	uint64_t own_cpu_ns;	      /* CPU time that the recorder took itself; 0: not known */
	uint64_t
		busy_ns; /* that the CPUs of the target were in use, by any program; see has_busy */
	uint64_t steal_ns; /* ... of that taken by the hypervisor */
	struct target_quota quota;
	uint64_t blocks_every;	 /* one in so many calls of a block is on record; 0 or 1: all */
	uint64_t blocks_lost;	 /* events of blocks that were not recorded */
	double block_cost_ns;	 /* of CPU that recording added to a block; 0: not known */
	double task_cost_ns;	 /* ... to a task, its beginning and its end; 0: not known */
	uint64_t uprobe_cost_ns; /* ... to a call that a probe in the kernel saw */
	bool has_cost;
	bool has_busy;
	bool has_faults;	 /* page faults of the target are on record */
	double fault_outside_ns; /* ... CPU time of each beside that; 0: not known */
};

void target_info_release(struct target_info *target);

/* Is the kernel known to be older than that version of Linux? */
bool target_kernel_is_before(const struct target_info *target, unsigned long major,
			     unsigned long minor);

/* The share of the busy time of its CPUs that the hypervisor took; 0: not known, as without a target. */
double target_steal_share(const struct target_info *target);

/* Else a wake seems to be by the interrupted thread. What collectors tell is in perfdata.h. */
static inline bool target_tells_interrupts(const struct target_info *target)
{
	return target->interrupts || strcmp(target->collector, "bpf") != 0;
}

struct event_source {
	/* Returns 1 with an event, 0 at the end, -1 with a sentence. */
	int (*next)(struct event_source *source, struct event *event, struct err *err);
	void (*free)(struct event_source *source);
	struct target_info target;
	struct quality quality;
	bool wants_faults;	/* page faults become events; to be set before reading */
	bool audited;		/* ignored records become event_note(), beside being counted */
	struct counts counts;	/* what threads counted; complete at the end, as are */
	struct samples samples; /* where in the code they were */
	struct chains chains;	/* callers of that, of waits and of calls */
	struct chains starts;	/* of EVENT_TASK: functions that threads began with, then words that
				   their arguments point to; complete at the end, too */
	struct blocks blocks;	/* what EVENT_ENTER and EVENT_LEAVE number; grows as they come */
};

static inline int event_source_next(struct event_source *source, struct event *event,
				    struct err *err)
{
	return source->next(source, event, err);
}

/* NULL is fine. */
void event_source_free(struct event_source *source);

#endif
