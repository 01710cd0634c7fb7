/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads get CPUs and leave them: seen, not seen, or told of later by a witness.
 *
 * The witness is sched_stat_runtime (EVENT_RAN in event.h). update_curr() of kernel/sched/fair.c
 * counts from exec_start, which is set when a thread gets a CPU and whenever an account is given.
 * So the first account of a run tells when it began, and each that follows that it goes on. Limits:
 * only threads of the fair class have it; the time that interrupts and the hypervisor take is not
 * counted (rq_clock_task), so a run may have begun by that much earlier; and an account that was
 * lost is one that is not there, so that a run began no later than the first one says.
 *
 * What is claimed is held against what is known: a run does not begin before the thread's last
 * change, nor before somebody else was last known on the CPU, nor before what has been given out
 * already. A claim to have run when the thread was seen to have left its CPU is not believed.
 */
#ifndef PSCAL_DECODE_TIMELINE_OCCUPANCY_H
#define PSCAL_DECODE_TIMELINE_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event/event.h"

struct change;
struct states;
struct thread;

/*
 * `cpu` is now run by `tid`, for which `leaving` has left it. If somebody else was on it, he left
 * unseen; one that was about to end is dropped.
 */
void occupancy_take(struct states *states, int32_t cpu, int32_t leaving, int32_t tid);

/* What a thread has been doing that turns out to run on a CPU which it was not seen to get. */
enum thread_state occupancy_past(struct states *states, const struct thread *thread);

/*
 * It gets a CPU, and leaves it. The change that the first one tells, valid until the next is told;
 * NULL: none. One that leaves for STATE_NONE is dropped.
 */
struct change *occupancy_enter(struct states *states, struct thread *thread, int32_t cpu);
void occupancy_leave(struct states *states, struct thread *thread, int32_t cpu,
		     enum thread_state next);

/* It runs on a CPU, no matter how it got there. */
void occupancy_find(struct states *states, struct thread *thread, int32_t cpu);

/* If it runs, and was not known where: on this CPU, which it may be about to leave. */
void occupancy_settle(struct states *states, struct thread *thread, int32_t cpu);

/* It runs on a CPU. Returns whether that is all that there is to be known. */
bool occupancy_confirm(const struct states *states, struct thread *thread, int32_t cpu);

/* It runs, and has for `ran_ns` of late; cpu -1: somewhere. */
void occupancy_ran(struct states *states, struct thread *thread, int32_t cpu, uint64_t ran_ns);

#endif
