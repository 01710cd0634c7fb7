/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Payloads of tracepoints and probes that record blocks: formats.h finds their fields.
 *
 *	pscal:enter, pscal:leave	`block`, a number of the recording, and the dynamic array
 *					`args` of 8 bytes each; the print format has the names of
 *					the numbers: __print_symbolic(REC->block, {0, "main"}, ...)
 *	pscal_enter:*, pscal_leave:*	probes: the event has the name of the block, and the
 *					fields arg1, arg2, ... or ret
 *
 *	pscal:task			`site`, a number as `block` is, and `step`, `task`,
 *					`value`, `index` and counters, see enum task_step
 *
 * In a name of the print format a backslash stands before a quotation mark and before another
 * backslash. A number without a name gets the name that perf script prints: 0x11. Numbers of 8
 * bytes are the contents of a register: they are read as signed, so that -1 is not 1.8e19.
 */
#ifndef PSCAL_DECODE_KERNEL_BLOCK_FORMAT_H
#define PSCAL_DECODE_KERNEL_BLOCK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/blocks.h"
#include "perfdata/byte_order.h"

struct tep_event;

/* The numbers that names of a recording may have; larger numbers have no name. */
enum { BLOCK_FORMAT_NUMBERS = BLOCKS_MAX };

/* The data of a step of a task, except its place. */
struct step_fields {
	struct payload_field step, task, value, index;
	struct payload_field counters[TASK_COUNTED_MAX];
	int numbers[TASK_COUNTED_MAX]; /* the numbers of the counters in blocks.h */
	size_t counter_count;
};

struct block_format {
	enum event_kind kind;
	struct blocks *blocks; /* borrowed */
	size_t needed;
	struct payload_field tid, block, arguments[BLOCK_ARGUMENTS];
	struct step_fields step;    /* the fields of pscal:task, whose `site` is in `block` */
	struct payload_field array; /* the arguments, if they are not fields of their own */
	int32_t own;		    /* the block of all events, if there is no field `block` */
	/* from numbers of the recording to numbers of `blocks`, plus 1; 0: no name */
	int32_t *numbers;
	size_t number_count;
};

/* Returns EVENT_ENTER, EVENT_LEAVE or EVENT_STEP, else EVENT_NOTE. `name` has `length` bytes. */
enum event_kind block_format_kind(const char *system, const char *name, size_t length);

/*
 * Learns the fields of an event; `print` is its format text from "print fmt:" on. Returns false if
 * the event lacks a field that it needs. The caller releases the format in either case.
 */
bool block_format_learn(struct block_format *format, struct tep_event *event, const char *print,
			size_t length, struct blocks *blocks);
void block_format_release(struct block_format *format);

/*
 * Sets the kind, the thread and the block of `event`. Returns 1; 0 if there are too many blocks; -1
 * if the payload is too short for its fields, or has an unknown step.
 */
int block_format_decode(const struct block_format *format, struct event *event, const char *payload,
			size_t length, bool swapped);

#endif
