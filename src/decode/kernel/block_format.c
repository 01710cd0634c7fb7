/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/block_format.h"

#include "base/alloc.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

enum event_kind block_format_kind(const char *system, const char *name, size_t length)
{
	static const struct {
		const char *system, *name; /* name NULL: any name */
		enum event_kind kind;
	} kinds[] = {
		{"pscal", "enter", EVENT_ENTER},    {"pscal", "leave", EVENT_LEAVE},
		{"pscal", "task", EVENT_STEP},	    {"pscal_enter", NULL, EVENT_ENTER},
		{"pscal_leave", NULL, EVENT_LEAVE},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(system, kinds[i].system) == 0 &&
		    (!kinds[i].name ||
		     (strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0)))
			return kinds[i].kind;
	return EVENT_NOTE;
}

/* --- Names --------------------------------------------------------------------------------- */

/* The rest of the print format, from `at` on. */
struct text {
	const char *at, *end;
	char *name; /* the last name, without its backslashes */
	size_t length, capacity;
};

/* Skips blanks and returns the next character, or NUL at the end. */
static char text_next(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n'))
		text->at++;
	return text->at < text->end ? *text->at : '\0';
}

static bool text_take(struct text *text, char wanted)
{
	if (text_next(text) != wanted)
		return false;
	text->at++;
	return true;
}

/* Reads a decimal number, or a hexadecimal one with 0x before it. */
static bool text_take_number(struct text *text, uint64_t *number)
{
	char digits[24];
	size_t length = 0;
	char *end;

	text_next(text);
	while (text->at < text->end && (isxdigit((unsigned char)*text->at) || *text->at == 'x') &&
	       length < sizeof(digits) - 1)
		digits[length++] = *text->at++;
	digits[length] = '\0';
	*number = strtoull(digits, &end, 0);
	return length && !*end;
}

static bool text_take_name(struct text *text)
{
	if (!text_take(text, '"'))
		return false;
	for (text->length = 0; text->at < text->end && *text->at != '"'; text->at++) {
		if (*text->at == '\\' && ++text->at == text->end)
			return false;
		array_reserve(&text->name, &text->capacity, text->length + 1);
		text->name[text->length++] = *text->at;
	}
	return text_take(text, '"');
}

static void set_name(struct block_format *format, uint64_t number, const struct text *text)
{
	int32_t block;

	if (number >= BLOCK_FORMAT_NUMBERS || !text->length)
		return;
	block = blocks_number(format->blocks, text->name, text->length);
	array_reserve(&format->numbers, &format->number_count, (size_t)number + 1);
	if (block != BLOCK_NONE && !format->numbers[number])
		format->numbers[number] = block + 1;
}

/*
 * Reads the list of `__print_symbolic(REC->block, {0, "main"}, ...)` up to its end or to damage:
 * the other numbers have no names. libtraceevent is not used: it takes long for a hundred thousand
 * names, and crashes on some damaged texts.
 */
static void read_block_names(struct block_format *format, const char *print, size_t length)
{
	const char *begin = format->kind == EVENT_STEP ? "__print_symbolic(REC->site"
						       : "__print_symbolic(REC->block";
	const char *found = memmem(print, length, begin, strlen(begin));
	struct text text = {.end = print + length};
	uint64_t number;

	text.at = found ? found + strlen(begin) : text.end;
	while (text_take(&text, ',') && text_take(&text, '{') && text_take_number(&text, &number) &&
	       text_take(&text, ',') && text_take_name(&text) && text_take(&text, '}'))
		set_name(format, number, &text);
	free(text.name);
}

/* --- Steps of tasks ------------------------------------------------------------------------ */

enum { COUNTER_FIELD_MAX = 256 };

static bool step_field_find(struct payload_field *field, struct tep_event *event, const char *name,
			    unsigned size, size_t *needed)
{
	*field = payload_field_find(event, name, needed);
	return field->size == size && !field->dynamic;
}

/* Returns false if the event lacks one of these fields. */
static bool step_fields_find(struct step_fields *fields, struct tep_event *event, size_t *needed)
{
	return step_field_find(&fields->step, event, "step", sizeof(uint32_t), needed) &&
	       step_field_find(&fields->task, event, "task", sizeof(uint64_t), needed) &&
	       step_field_find(&fields->value, event, "value", sizeof(uint64_t), needed) &&
	       step_field_find(&fields->index, event, "index", sizeof(uint32_t), needed);
}

/* Makes the name of a field: all but letters and digits become underscores. */
static void counter_field_name(char *field, size_t size, const char *name, size_t length)
{
	size_t at = 0;

	if (length && isdigit((unsigned char)*name))
		field[at++] = '_';
	for (size_t i = 0; i < length && at < size - 1; i++)
		field[at++] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	field[at] = '\0';
}

static void step_fields_add_counter(struct step_fields *fields, struct tep_event *event,
				    const char *name, size_t length, struct blocks *blocks,
				    size_t *needed)
{
	struct payload_field *field = &fields->counters[fields->counter_count];
	char own[COUNTER_FIELD_MAX];
	int number;

	counter_field_name(own, sizeof(own), name, length);
	if (!step_field_find(field, event, own, sizeof(uint64_t), needed))
		return;
	number = blocks_counter(blocks, name, length);
	if (number >= 0)
		fields->numbers[fields->counter_count++] = number;
}

/*
 * Finds the counters: "page-faults=%ld" behind the index in the print format is the field
 * page_faults, a number of 8 bytes. Other fields are ignored.
 */
static void step_fields_find_counters(struct step_fields *fields, struct tep_event *event,
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
		step_fields_add_counter(fields, event, at, (size_t)(stop - at), blocks, needed);
		if (stop + sizeof(after) > end || stop[sizeof(after) - 1] != ' ')
			return;
	}
}

/* Returns 0, or -1 if there is no such step. */
static int step_fields_read(const struct step_fields *fields, struct event *event,
			    const char *payload, bool swapped)
{
	const struct task_step_fields told = {
		payload_field_number(&fields->step, payload, swapped),
		payload_field_number(&fields->task, payload, swapped),
		payload_field_number(&fields->value, payload, swapped),
		payload_field_number(&fields->index, payload, swapped),
	};

	if (event_set_step(event, &told))
		return -1;
	for (size_t i = 0; i < fields->counter_count; i++)
		event->counted[fields->numbers[i]] =
			payload_field_number(&fields->counters[i], payload, swapped);
	return 0;
}

/* --- Formats of events --------------------------------------------------------------------- */

/* Finds the fields of the event. Returns false if one that is needed is missing. */
static bool find_fields(struct block_format *format, struct tep_event *event)
{
	static const char *const names[BLOCK_ARGUMENTS] = {"arg1", "arg2", "arg3", "arg4"};
	bool leaves = format->kind == EVENT_LEAVE;
	struct payload_field *array = &format->array;

	format->tid = payload_field_find(event, "common_pid", &format->needed);
	if (format->kind == EVENT_STEP) {
		format->block = payload_field_find(event, "site", &format->needed);
		return step_fields_find(&format->step, event, &format->needed);
	}
	format->block = payload_field_find(event, "block", &format->needed);
	*array = payload_field_find(event, "args", &format->needed);
	if (!array->dynamic)
		array->size = 0;
	for (size_t i = 0; i < (leaves ? 1 : BLOCK_ARGUMENTS); i++) {
		struct payload_field *field = &format->arguments[i];

		*field = payload_field_find(event, leaves ? "ret" : names[i], &format->needed);
		if (field->dynamic || (field->size & (field->size - 1)) || field->size > 8)
			field->size = 0; /* a text, for example */
		if (!field->size)
			break; /* an argument counts only if all before it exist */
	}
	return true;
}

bool block_format_learn(struct block_format *format, struct tep_event *event, const char *print,
			size_t length, struct blocks *blocks)
{
	bool probe = strcmp(event->system, "pscal") != 0;

	*format = (struct block_format){
		.kind = block_format_kind(event->system, event->name, strlen(event->name)),
		.blocks = blocks,
	};
	if (!find_fields(format, event) || format->tid.size != sizeof(int32_t) ||
	    format->tid.dynamic)
		return false;
	if (probe) {
		format->block.size = format->array.size = 0;
		format->own = blocks_number(blocks, event->name, strlen(event->name));
		return true;
	}
	if (format->block.size != sizeof(uint32_t) || format->block.dynamic)
		return false;
	if (format->kind == EVENT_STEP)
		step_fields_find_counters(&format->step, event, print, length, blocks,
					  &format->needed);
	read_block_names(format, print, length);
	return true;
}

void block_format_release(struct block_format *format)
{
	free(format->numbers);
	*format = (struct block_format){.numbers = NULL};
}

/* --- Payloads ------------------------------------------------------------------------------ */

static __attribute__((cold, noinline)) int32_t number_without_name(struct blocks *blocks,
								   uint64_t number)
{
	char name[24];
	int length = snprintf(name, sizeof(name), "0x%" PRIx64, number);

	return blocks_number(blocks, name, (size_t)length);
}

static int32_t read_block_number(const struct block_format *format, const char *payload,
				 bool swapped)
{
	uint64_t number;

	if (!format->block.size)
		return format->own;
	number = payload_field_number(&format->block, payload, swapped);
	if (number < format->number_count && format->numbers[number])
		return format->numbers[number] - 1;
	return number_without_name(format->blocks, number);
}

/* Reads the values of the array, as many as an event holds. Returns -1 if it is cut short. */
static int read_block_array(const struct block_format *format, struct event *event,
			    const char *payload, size_t length, bool swapped)
{
	size_t offset, size, most = format->kind == EVENT_LEAVE ? 1 : BLOCK_ARGUMENTS;

	if (!payload_field_place(&format->array, payload, length, swapped, &offset, &size))
		return -1;
	for (; size >= sizeof(uint64_t) && (size_t)event->count < most; size -= sizeof(uint64_t)) {
		int64_t value = (int64_t)payload_load(payload + offset, sizeof(value), swapped);

		event->arguments[event->count++] = (double)value;
		offset += sizeof(value);
	}
	return 0;
}

static void read_block_fields(const struct block_format *format, struct event *event,
			      const char *payload, bool swapped)
{
	for (size_t i = 0; i < BLOCK_ARGUMENTS && format->arguments[i].size; i++)
		event->arguments[event->count++] = (double)(int64_t)payload_field_number(
			&format->arguments[i], payload, swapped);
}

static int read_block_values(const struct block_format *format, struct event *event,
			     const char *payload, size_t length, bool swapped)
{
	if (format->kind == EVENT_STEP)
		return step_fields_read(&format->step, event, payload, swapped);
	if (format->array.size)
		return read_block_array(format, event, payload, length, swapped);
	read_block_fields(format, event, payload, swapped);
	return 0;
}

int block_format_decode(const struct block_format *format, struct event *event, const char *payload,
			size_t length, bool swapped)
{
	int32_t block;

	if (length < format->needed)
		return -1;
	event->kind = format->kind;
	event->tid = (int32_t)payload_field_number(&format->tid, payload, swapped);
	event->count = 0;
	if (read_block_values(format, event, payload, length, swapped))
		return -1;
	block = read_block_number(format, payload, swapped);
	event->block = (uint32_t)block;
	return block == BLOCK_NONE ? 0 : 1;
}
