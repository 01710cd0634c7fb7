/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/step_event.h"

#include "decode/event/blocks.h"
#include "decode/event/scan.h"

#include <ctype.h>
#include <string.h>

enum { COUNTER_FIELD_MAX = 256 };

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

/* As a field is called: what is no letter and no digit is an underscore. */
static void field_name(char *field, size_t size, const char *name, size_t length)
{
	size_t at = 0;

	if (length && isdigit((unsigned char)*name))
		field[at++] = '_';
	for (size_t i = 0; i < length && at < size - 1; i++)
		field[at++] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	field[at] = '\0';
}

static void add_counter(struct step_fields *fields, struct tep_event *event, const char *name,
			size_t length, struct blocks *blocks, size_t *needed)
{
	struct payload_field *field = &fields->counters[fields->counter_count];
	char own[COUNTER_FIELD_MAX];
	int number;

	field_name(own, sizeof(own), name, length);
	if (!find(field, event, own, sizeof(uint64_t), needed))
		return;
	number = blocks_counter(blocks, name, length);
	if (number >= 0)
		fields->numbers[fields->counter_count++] = number;
}

void step_fields_find_counters(struct step_fields *fields, struct tep_event *event,
			       const char *print, size_t length, struct blocks *blocks,
			       size_t *needed)
{
	static const char before[] = "index=%u ", after[] = "=%ld";
	const char *end = print + length;
	const char *at = memmem(print, length, before, sizeof(before) - 1);
	const char *stop;

	for (at = at ? at + sizeof(before) - 1 : end; fields->counter_count < TASK_COUNTED_MAX;
	     at = stop + sizeof(after)) {
		stop = memmem(at, (size_t)(end - at), after, sizeof(after) - 1);
		if (!stop || memchr(at, '"', (size_t)(stop - at)))
			return;
		add_counter(fields, event, at, (size_t)(stop - at), blocks, needed);
		if (stop + sizeof(after) > end || stop[sizeof(after) - 1] != ' ')
			return;
	}
}

struct told {
	uint64_t step, task, value, index;
};

static int32_t count_of(const struct told *told)
{
	switch (told->step) {
	case TASK_BEGIN:
	case TASK_SPAWN:
	case TASK_SYNC_OF:
		return (int32_t)(uint32_t)told->index;
	case TASK_SYNC:
		return told->index == 1;
	default:
		return 0;
	}
}

static int set_step(struct event *event, const struct told *told)
{
	if (told->step == TASK_NO_STEP || told->step >= TASK_STEPS || told->index > UINT32_MAX)
		return -1;
	event->step = (enum task_step)told->step;
	event->object = told->task;
	event->object2 = told->step == TASK_BEGIN ? told->value : 0;
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		event->counted[i] = TASK_UNCOUNTED;
	event->count = count_of(told);
	return 1;
}

int step_event_decode(struct event *event, const struct step_fields *fields, const char *payload,
		      bool swapped)
{
	const struct told told = {
		payload_field_number(&fields->step, payload, swapped),
		payload_field_number(&fields->task, payload, swapped),
		payload_field_number(&fields->value, payload, swapped),
		payload_field_number(&fields->index, payload, swapped),
	};

	if (set_step(event, &told) < 0)
		return -1;
	for (size_t i = 0; i < fields->counter_count; i++)
		event->counted[fields->numbers[i]] =
			payload_field_number(&fields->counters[i], payload, swapped);
	return 1;
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

/* "page-faults=17", -1 where it is not known. What follows it; NULL: that is no counter. */
static const char *read_counter(struct event *event, const char *at, struct blocks *blocks)
{
	size_t length = strcspn(at, " =");
	const char *value = at + length + 1;
	bool known = at[length] == '=' && *value != '-';
	uint64_t count = 0;
	int number;

	if (!length || at[length] != '=' || (!known && strncmp(value, "-1", 2) != 0))
		return NULL;
	at = known ? scan_unsigned(value, &count) : value + 2;
	if (!at || (*at && !scan_is_blank(*at)))
		return NULL;
	number = blocks ? blocks_counter(blocks, value - length - 1, length) : 0;
	if (number >= 0 && known)
		event->counted[number] = count;
	return number >= 0 ? at : NULL;
}

int step_event_parse(struct event *event, const char *text, struct blocks *blocks)
{
	const char *at = scan_word(text, "step=");
	struct told told;

	at = at ? read_name(&told.step, at) : NULL;
	at = read_number(&told.task, at, " task=");
	at = read_number(&told.value, at, " value=");
	at = read_number(&told.index, at, " index=");
	if (!at || set_step(event, &told) < 0)
		return -1;
	for (at = scan_blanks(at); at && *at;) {
		at = read_counter(event, at, blocks);
		at = at ? scan_blanks(at) : NULL;
	}
	return at ? 1 : -1;
}
