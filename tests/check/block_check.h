/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of the blocks of every trace:
 *
 *  - An event names an existing block, and has no more arguments than it can hold, all finite.
 *  - A span does not end before it begins, and its states add up to it.
 *  - Within a thread, calls that end later lie around those that are deeper.
 *  - Each event enters or leaves a call of some span, or is counted as one without a span.
 */
#ifndef PSCAL_TESTS_CHECK_BLOCK_CHECK_H
#define PSCAL_TESTS_CHECK_BLOCK_CHECK_H

#include "decode/event/event_source.h"

struct err;

/* Returns -1 with the fault. */
int block_check_event(const struct event *event, const struct blocks *blocks, struct err *err);

/* Reads the source to its end, as pscal timeline --blocks does. Returns -1 with the fault. */
int block_check_spans(struct event_source *source, struct err *err);

#endif
