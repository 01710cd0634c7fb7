/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Payloads of tracepoints and probes that tell of blocks: see formats, which finds them.
 *
 *	pscal:enter, pscal:leave	`block`, a number of the recording, and the dynamic array
 *					`args` of 8 bytes each; the print format says what numbers
 *					are called: __print_symbolic(REC->block, {0, "main"}, ...)
 *	pscal_enter:*, pscal_leave:*	probes: the event is called as the block is, and has the
 *					fields arg1, arg2, ... or ret
 *
 *	pscal:task			`site`, a number as `block` is, and `step`, `task`,
 *					`value`, `index` and counters, see enum task_step
 *
 * In a name of the print format a backslash stands before a quotation mark and before another
 * backslash. A number without a name is called as perf script prints it: 0x11. Numbers of 8 bytes
 * are what a register held: they are taken as signed, so that -1 is not 1.8e19.
 */
#ifndef PSCAL_DECODE_KERNEL_BLOCK_FORMAT_H
#define PSCAL_DECODE_KERNEL_BLOCK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/blocks.h"
#include "perfdata/byte_order.h"

struct tep_event;

/* The names of a recording may have these numbers; what is beyond has none. */
enum { BLOCK_FORMAT_NUMBERS = BLOCKS_MAX };

/* The data of a step of a task beside its place. */
struct step_fields {
	struct payload_field step, task, value, index;
	struct payload_field counters[TASK_COUNTED_MAX];
	int numbers[TASK_COUNTED_MAX]; /* of the counters, see blocks.h */
	size_t counter_count;
};

struct block_format {
	enum event_kind kind;
	struct blocks *blocks; /* borrowed */
	size_t needed;
	struct payload_field tid, block, arguments[BLOCK_ARGUMENTS];
	struct step_fields step;    /* of pscal:task, whose site is `block` */
	struct payload_field array; /* of arguments, where they are not fields of their own */
	int32_t own;		    /* where there is no field `block`: the block of all of them */
	int32_t *numbers;	    /* of `blocks`, + 1, by those of the recording; 0: no name */
	size_t number_count;
};

/* Is it EVENT_ENTER, EVENT_LEAVE or EVENT_STEP? EVENT_NOTE: none. `name` has `length` bytes. */
enum event_kind block_format_kind(const char *system, const char *name, size_t length);

/*
 * `print` is the rest of the text from "print fmt:" on. False: the event lacks what it should say.
 * To be released in any case.
 */
bool block_format_learn(struct block_format *format, struct tep_event *event, const char *print,
			size_t length, struct blocks *blocks);
void block_format_release(struct block_format *format);

/*
 * Fills in the kind, the thread and all that is about the block. Returns 1; 0 when there are too
 * many blocks; -1 when the payload is too short for its fields, or tells of no known step.
 */
int block_format_decode(const struct block_format *format, struct event *event, const char *payload,
			size_t length, bool swapped);

#endif
