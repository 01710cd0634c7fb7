/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a step of a task says beside its place, which is a block (block_format, block_text): from
 * the payload of pscal:task, or as perf script prints that. What does not belong to the step (see
 * enum task_step) is zero in the event, whatever is written there.
 */
#ifndef PSCAL_DECODE_KERNEL_STEP_EVENT_H
#define PSCAL_DECODE_KERNEL_STEP_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/event/event.h"
#include "decode/kernel/payload_field.h"

struct blocks;
struct tep_event;

struct step_fields {
	struct payload_field step, task, value, index;
	struct payload_field counters[TASK_COUNTED_MAX];
	int numbers[TASK_COUNTED_MAX]; /* of the counters, see blocks.h */
	size_t counter_count;
};

/* False: the event has not all of them. */
bool step_fields_find(struct step_fields *fields, struct tep_event *event, size_t *needed);

/*
 * Finds the counters: "page-faults=%ld" behind the index in the print format is the field
 * page_faults, a number of 8 bytes. Any other field is passed over.
 */
void step_fields_find_counters(struct step_fields *fields, struct tep_event *event,
			       const char *print, size_t length, struct blocks *blocks,
			       size_t *needed);

/* Fills in step, objects, count and counted. Returns 1, or -1 when there is no such step. */
int step_event_decode(struct event *event, const struct step_fields *fields, const char *payload,
		      bool swapped);

/*
 * "step=begin task=3 value=1 index=0", counters as "page-faults=17", and the end of the line.
 * `blocks` NULL: they are passed over. Returns 1, or -1.
 */
int step_event_parse(struct event *event, const char *text, struct blocks *blocks);

#endif
