/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts events in the order of their times. A recorder writes what each CPU's buffer held, CPU by
 * CPU, and marks the end of each round. Whatever is written after a round is younger than the
 * youngest event of the round before that one, so memory is bound by two rounds (of our own
 * recorder, in which some events come late, by all that is younger than these): about 100 bytes
 * for each event in them. Where there are no rounds, or none that count, it is that for each event
 * of the recording. Each CPU takes 16 KiB beside that.
 *
 * The events of one CPU are nearly all in order already: each CPU has a queue, and the queues are
 * merged. An event too late or too early for its queue goes into a heap.
 */
#ifndef PSCAL_DECODE_KERNEL_ORDER_H
#define PSCAL_DECODE_KERNEL_ORDER_H

#include <stdbool.h>

#include "decode/event/event.h"

struct order;

struct order *order_new(void);
void order_free(struct order *order);

/*
 * Rounds mean nothing from now on, as in recordings whose rings were overwritten (write_backward):
 * they hold the newest record first. All is kept until the end.
 */
void order_sort_all(struct order *order);

/*
 * Each CPU had a ring, which was written as it is: what comes of one CPU has the order of time. An
 * event that alone is far older or younger than those around it has a damaged time.
 */
void order_by_cpu(struct order *order);

/* Those of a thread do: an event of one may be far from those of all others. */
void order_by_thread(struct order *order);

/* The number left out for that since the last question; an EVENT_NOTE stands for each. */
uint64_t order_take_damaged(struct order *order);

void order_push(struct order *order, const struct event *event);

/*
 * The same without a copy: where an event of `cpu` is to be made. It is then pushed with
 * order_take, or forgotten; before that nothing else may be pushed.
 */
struct event *order_room(struct order *order, int32_t cpu);
void order_take(struct order *order, struct event *room);

/*
 * One that is known before its time has come in the input, so that its time says nothing of how far
 * the rounds have come.
 */
void order_push_ahead(struct order *order, const struct event *event);

/*
 * The user did not want the time from `begin_ns` to `end_ns` to be recorded: what was known is not
 * known any more. Of what is pushed later from in between, a birth and an exec are followed by a
 * gap, as what the threads do then is unknown, an exit is an end, and what shows that a thread
 * does something is left out: others of its kind are missing. Pauses come in the order of their
 * times.
 */
void order_pause(struct order *order, uint64_t begin_ns, uint64_t end_ns);

/* Before `time_ns` as little is known as in a pause; of what is in the order, nothing was given. */
void order_forget(struct order *order, uint64_t time_ns);

/* A round has ended (PERF_RECORD_FINISHED_ROUND). */
void order_round(struct order *order);

/*
 * The same, but for events that are not older than `time_ns` and are still to come; and that they
 * are not older than that any more.
 */
void order_round_from(struct order *order, uint64_t time_ns);
void order_reach(struct order *order, uint64_t time_ns);

/* Nothing more will be pushed: everything that is left is due. */
void order_finish(struct order *order);

/* Is there an event that is due? */
bool order_is_due(struct order *order);

/* The oldest event that is due. Events of the same time come as they were pushed. */
bool order_pop(struct order *order, struct event *event);

#endif
