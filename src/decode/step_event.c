/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/step_event.h"

#include "decode/scan.h"

/* --- Payloads ------------------------------------------------------------------------------ */

static bool find(struct payload_field *field, struct tep_event *event, const char *name,
		 unsigned size, size_t *needed)
{
	*field = payload_field_find(event, name, needed);
	return field->size == size && !field->dynamic;
}

bool step_fields_find(struct step_fields *fields, struct tep_event *event, size_t *needed)
{
	return find(&fields->step, event, "step", sizeof(uint32_t), needed) &&
	       find(&fields->task, event, "task", sizeof(uint64_t), needed) &&
	       find(&fields->value, event, "value", sizeof(uint64_t), needed) &&
	       find(&fields->index, event, "index", sizeof(uint32_t), needed);
}

struct told {
	uint64_t step, task, value, index;
};

static int set_step(struct event *event, const struct told *told)
{
	bool begins = told->step == TASK_BEGIN;
	bool is_of_child = told->step == TASK_SPAWN || told->step == TASK_SYNC_OF;

	if (told->step == TASK_NO_STEP || told->step >= TASK_STEPS || told->index > UINT32_MAX)
		return -1;
	event->step = (enum task_step)told->step;
	event->object = told->task;
	event->object2 = begins ? told->value : 0;
	event->count = begins || is_of_child ? (int32_t)(uint32_t)told->index
					     : told->step == TASK_SYNC && told->index == 1;
	return 1;
}

int step_event_decode(struct event *event, const struct step_fields *fields, const char *payload,
		      bool swapped)
{
	return set_step(event, &(struct told){
				       payload_field_number(&fields->step, payload, swapped),
				       payload_field_number(&fields->task, payload, swapped),
				       payload_field_number(&fields->value, payload, swapped),
				       payload_field_number(&fields->index, payload, swapped),
			       });
}

/* --- Text ---------------------------------------------------------------------------------- */

/* What follows the name of a step; NULL: there is no such step. */
static const char *read_name(uint64_t *step, const char *at)
{
	size_t length = strcspn(at, " ");

	for (unsigned i = TASK_BEGIN; i < TASK_STEPS; i++)
		if (strncmp(at, task_step_name(i), length) == 0 && !task_step_name(i)[length]) {
			*step = i;
			return at + length;
		}
	return NULL;
}

static const char *read_number(uint64_t *number, const char *at, const char *key)
{
	at = at ? scan_word(at, key) : NULL;
	return at ? scan_unsigned(at, number) : NULL;
}

int step_event_parse(struct event *event, const char *text)
{
	const char *at = scan_word(text, "step=");
	struct told told;

	at = at ? read_name(&told.step, at) : NULL;
	at = read_number(&told.task, at, " task=");
	at = read_number(&told.value, at, " value=");
	at = read_number(&told.index, at, " index=");
	return at && !*scan_blanks(at) ? set_step(event, &told) : -1;
}
