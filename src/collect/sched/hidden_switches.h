/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Some guest kernels never show perf a switch out of the idle task of some of their CPUs: threads
 * are seen to leave these CPUs for idle, and then others are seen to leave that were never seen to
 * come. Seen with Linux 6.18 under KVM, on all CPUs but the one that booted.
 */
#ifndef PSCAL_COLLECT_SCHED_HIDDEN_SWITCHES_H
#define PSCAL_COLLECT_SCHED_HIDDEN_SWITCHES_H

#include <stddef.h>
#include <sys/types.h>

struct cpu_events;
struct slim_layout;

/* One switch: who left the CPU, and who got it. 0 is the idle task. */
struct switch_pair {
	pid_t from, to;
};

enum hidden {
	HIDDEN_PERHAPS, /* the CPU was not idle in between */
	HIDDEN_NO,
	HIDDEN_YES,
};

/* What the switches of one CPU say, all that were seen of a time. */
enum hidden hidden_switches_judge(const struct switch_pair *pairs, size_t count);

/*
 * Finds out about the CPUs from number `first` on where `found` says perhaps, by threads that sleep
 * on them for some 100 us a few times. Event 0 must be sched_switch, off, with samples that
 * slim_switch_pair() reads; it leaves no record and no hit. Takes a few milliseconds.
 */
void hidden_switches_find(enum hidden *found, struct cpu_events *events, size_t first,
			  const struct slim_layout *layout);

#endif
