/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts events in the order of their times. A recorder writes what each CPU's buffer held, CPU by
 * CPU, and marks the end of each round. Whatever is written after a round is younger than the
 * youngest event of the round before that one, so memory is bound by two rounds.
 */
#ifndef PSCAL_DECODE_ORDER_H
#define PSCAL_DECODE_ORDER_H

#include <stdbool.h>

#include "decode/event.h"

struct order;

struct order *order_new(void);
void order_free(struct order *order);

void order_push(struct order *order, const struct event *event);

/*
 * One that is known before its time has come in the input, so that its time says nothing of how far
 * the rounds have come.
 */
void order_push_ahead(struct order *order, const struct event *event);

/*
 * Recording was off from `begin_ns` to `end_ns`: what was known is not known any more, and what is
 * pushed later from in between means what pauses.h says. Pauses come in the order of their times.
 */
void order_pause(struct order *order, uint64_t begin_ns, uint64_t end_ns);

/* A round has ended (PERF_RECORD_FINISHED_ROUND). */
void order_round(struct order *order);

/* Nothing more will be pushed: everything that is left is due. */
void order_finish(struct order *order);

/* The oldest event that is due. Events of the same time come as they were pushed. */
bool order_pop(struct order *order, struct event *event);

#endif
