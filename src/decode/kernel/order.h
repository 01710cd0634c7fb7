/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts events by time. A recorder writes the contents of each CPU's buffer, CPU by CPU, and marks
 * the end of each round. Events written after a round are younger than the youngest event of the
 * round before it. So memory is bounded by two rounds (in recordings of pscal, in which some events
 * come late, by all events younger than these): about 100 bytes for each of their events. Without
 * rounds, or with rounds that do not count, all events of the recording are kept. Each CPU takes 16
 * KiB more.
 *
 * The events of one CPU are nearly in order: each CPU has a queue, and the queues are merged. An
 * event too late or too early for its queue goes into a heap.
 */
#ifndef PSCAL_DECODE_KERNEL_ORDER_H
#define PSCAL_DECODE_KERNEL_ORDER_H

#include <stdbool.h>

#include "decode/event/event.h"

struct order;

struct order *order_new(void);
void order_free(struct order *order);

/*
 * Ignores rounds from now on: rings that were overwritten (write_backward) hold the newest record
 * first. All events are kept until the end.
 */
void order_sort_all(struct order *order);

/*
 * Says that each CPU had a ring, which was written in its order: the events of one CPU are in the
 * order of time. A single event far older or younger than those around it has a damaged time.
 */
void order_by_cpu(struct order *order);

/* Says that each thread had a ring: an event of one thread may be far from those of all others. */
void order_by_thread(struct order *order);

/* Returns the number of events with a damaged time since the last call; each is an EVENT_NOTE. */
uint64_t order_take_damaged(struct order *order);

void order_push(struct order *order, const struct event *event);

/*
 * Returns room for an event of `cpu`, to push it without a copy. The caller fills it in and then
 * pushes it with order_take(), or forgets it; before that no other event may be pushed.
 */
struct event *order_room(struct order *order, int32_t cpu);
void order_take(struct order *order, struct event *room);

/* Pushes an event known ahead of its time in the input: its time does not count for rounds. */
void order_push_ahead(struct order *order, const struct event *event);

/*
 * Marks the time from `begin_ns` to `end_ns` as not recorded, as the user asked: states become
 * unknown. Events inside that are pushed later change. A gap follows a birth and an exec, as the
 * thread's next steps are unknown; an exit becomes an end; events that show what a thread does are
 * left out, as others of their kind are missing. Pauses come in the order of their times.
 */
void order_pause(struct order *order, uint64_t begin_ns, uint64_t end_ns);

/* Treats the time before `time_ns` as a pause. No event may have been popped yet. */
void order_forget(struct order *order, uint64_t time_ns);

/* Ends a round (PERF_RECORD_FINISHED_ROUND). */
void order_round(struct order *order);

/*
 * order_round_from() ends a round after which events from `time_ns` on are still to come.
 * order_reach() says that all events to come are from `time_ns` on.
 */
void order_round_from(struct order *order, uint64_t time_ns);
void order_reach(struct order *order, uint64_t time_ns);

/* Says that no more events follow: all that are left are due. */
void order_finish(struct order *order);

/* Returns true if an event is due. */
bool order_is_due(struct order *order);

/* Gives the oldest event that is due, or returns false. Equal times keep the order of pushes. */
bool order_pop(struct order *order, struct event *event);

#endif
