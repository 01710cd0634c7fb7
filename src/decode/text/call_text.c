/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/call_text.h"

#include "decode/event/event.h"
#include "decode/text/scan.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Calls --------------------------------------------------------------------------------- */

/* Reads the name of an operation by libtraceevent's plugin (plugins/plugin_futex.c). */
static bool read_op_name(uint64_t *op, const char *at)
{
	static const char *const names[] = {
		[FUTEX_WAIT] = "FUTEX_WAIT",
		[FUTEX_WAKE] = "FUTEX_WAKE",
		[FUTEX_FD] = "FUTEX_FD",
		[FUTEX_REQUEUE] = "FUTEX_REQUEUE",
		[FUTEX_CMP_REQUEUE] = "FUTEX_CMP_REQUEUE",
		[FUTEX_WAKE_OP] = "FUTEX_WAKE_OP",
		[FUTEX_LOCK_PI] = "FUTEX_LOCK_PI",
		[FUTEX_UNLOCK_PI] = "FUTEX_UNLOCK_PI",
		[FUTEX_TRYLOCK_PI] = "FUTEX_TRYLOCK_PI",
		[FUTEX_WAIT_BITSET] = "FUTEX_WAIT_BITSET",
		[FUTEX_WAKE_BITSET] = "FUTEX_WAKE_BITSET",
		[FUTEX_WAIT_REQUEUE_PI] = "FUTEX_WAIT_REQUEUE_PI",
		[FUTEX_CMP_REQUEUE_PI] = "FUTEX_CMP_REQUEUE_PI",
		[13] = "FUTEX_LOCK_PI2",
	};
	size_t length = strcspn(at, "| \t");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(names[i], at, length) != 0 || names[i][length])
			continue;
		*op = i;
		return true;
	}
	return false;
}

/* Reads a value. The kernel's own formats print hexadecimal, with or without 0x; others mark it. */
static bool read_call_value(uint64_t *value, const char *at, int base)
{
	char *end;

	if (!isxdigit((unsigned char)*at) && *at != '-')
		return false;
	*value = strtoull(at, &end, base);
	return end > at;
}

/* Finds `KEY: VALUE` or `KEY=VALUE`, after a blank or the parenthesis of a call. */
static bool read_call_field(uint64_t *value, const char *fields, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = strstr(fields, key); at; at = strstr(at + 1, key)) {
		const char *rest = at + length;

		if (at > fields && !strchr(" \t(", at[-1]))
			continue;
		if (*rest == '=')
			return read_call_value(value, rest + 1, 0) || read_op_name(value, rest + 1);
		if (*rest == ':')
			return read_call_value(value, scan_blanks(rest + 1), 16);
	}
	return false;
}

static int read_call_fields(struct event *event, int number, const char *fields)
{
	uint64_t values[CALL_FIELDS] = {0};

	for (enum call_field field = 0; field < CALL_FIELDS; field++) {
		const char *key = call_event_field(number, field);

		if (key && !read_call_field(&values[field], fields, key) &&
		    call_event_needs(number, field))
			return -1;
	}
	return call_event_make(event, number, values);
}

int call_text_parse(struct event *event, const char *name, size_t length, const char *fields)
{
	int number = call_event_find(NULL, name, length);

	if (number < 0)
		return 0;
	/* A probe of this name without our fields is of another program. */
	if (number >= CALL_EVENT_SYSTEM && (*fields != '(' || !strstr(fields, " object=")))
		return 0;
	return read_call_fields(event, number, fields);
}

int call_text_parse_kernel(struct event *event, const char *text)
{
	const char *name = scan_word(text, "sys_");
	size_t length = name ? strcspn(name, "( ") : 0;
	char full[40] = "sys_enter_";
	int number;

	if (!name || length >= sizeof(full) - strlen("sys_enter_"))
		return 0;
	if (name[length] == ' ' && scan_word(name + length, " -> "))
		strcpy(full, "sys_exit_");
	else if (name[length] != '(')
		return 0;
	strncat(full, name, length);
	number = call_event_find("syscalls", full, strlen(full));
	return number < 0 ? 0 : read_call_fields(event, number, name + length);
}

/* --- Blocks and tasks ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum event_kind kind;
	bool probe;
} block_kinds[] = {
	{"enter", EVENT_ENTER, false},	    {"leave", EVENT_LEAVE, false},
	{"task", EVENT_STEP, false},	    {"pscal_enter", EVENT_ENTER, true},
	{"pscal_leave", EVENT_LEAVE, true},
};

/* Reads the value of a register, as signed as in block_format. Returns the rest, or NULL. */
static const char *read_argument(double *value, const char *at)
{
	char *end;

	if (!isdigit((unsigned char)*at) && (*at != '-' || !isdigit((unsigned char)at[1])))
		return NULL;
	*value = (double)(int64_t)strtoull(at, &end, 0);
	return end;
}

static int set_block(struct event *event, struct blocks *blocks, const char *name, size_t length)
{
	int32_t block = blocks ? blocks_number(blocks, name, length) : 0;

	event->block = (uint32_t)block;
	return block == BLOCK_NONE ? 0 : 1;
}

static int32_t most_of(const struct event *event)
{
	return event->kind == EVENT_LEAVE ? 1 : BLOCK_ARGUMENTS;
}

/* Reads arguments up to the end of the line. Returns false if there is something else. */
static bool read_arguments(struct event *event, const char *at)
{
	bool braces = *at == '{';

	at += braces;
	for (event->count = 0; *at && !scan_is_blank(*at) && *at != '}';) {
		double value;

		at = read_argument(&value, at);
		if (!at)
			return false;
		if (event->count < most_of(event))
			event->arguments[event->count++] = value;
		at += *at == ',' || *at == ' ';
	}
	return braces ? *at == '}' : !*scan_blanks(at);
}

/* Returns the last place of `word`: a name before it may hold the same. */
static const char *find_last(const char *text, const char *word)
{
	const char *found = NULL;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		found = at;
	return found;
}

/* Reads `block=NAME args=...`. */
static int read_block(struct event *event, struct blocks *blocks, const char *fields)
{
	const char *name = scan_word(fields, "block=");
	const char *end = name ? find_last(name, " args=") : NULL;

	if (!name)
		return 0; /* an event of another program */
	if (!end || end == name || !read_arguments(event, end + strlen(" args=")))
		return -1;
	return set_block(event, blocks, name, (size_t)(end - name));
}

/* Returns the text behind the name of a step, or NULL if there is no such step. */
static const char *read_step_name(uint64_t *step, const char *at)
{
	size_t length = strcspn(at, " ");

	for (unsigned i = TASK_BEGIN; i < TASK_STEPS; i++)
		if (strncmp(at, task_step_name(i), length) == 0 && !task_step_name(i)[length]) {
			*step = i;
			return at + length;
		}
	return NULL;
}

static const char *read_step_number(uint64_t *number, const char *at, const char *key)
{
	at = at ? scan_word(at, key) : NULL;
	return at ? scan_unsigned(at, number) : NULL;
}

/* Reads "page-faults=17", or -1 if not known. Returns the rest, or NULL if it is no counter. */
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

/*
 * Reads "step=begin task=3 value=1 index=0", counters as "page-faults=17", and the end of the line,
 * or more blanks and an address. `blocks` NULL: counters are ignored. Returns 0, or -1.
 */
static int read_step_fields(struct event *event, struct blocks *blocks, const char *text)
{
	const char *at = scan_word(text, "step=");
	struct task_step_fields told;

	at = at ? read_step_name(&told.step, at) : NULL;
	at = read_step_number(&told.task, at, " task=");
	at = read_step_number(&told.value, at, " value=");
	at = read_step_number(&told.index, at, " index=");
	if (!at || event_set_step(event, &told))
		return -1;
	while (at && *at == ' ' && at[1] && !scan_is_blank(at[1]))
		at = read_counter(event, at + 1, blocks);
	return at && (!*at || scan_is_blank(*at)) ? 0 : -1;
}

/* Reads `site=NAME step=...`. */
static int read_step(struct event *event, struct blocks *blocks, const char *fields)
{
	const char *name = scan_word(fields, "site=");
	const char *end = name ? find_last(name, " step=") : NULL;

	if (!name)
		return 0; /* an event of another program */
	if (!end || end == name || read_step_fields(event, blocks, end + 1))
		return -1;
	return set_block(event, blocks, name, (size_t)(end - name));
}

/* Reads `SYSTEM:NAME:`, and behind it `(ADDRESS) KEY=VALUE ...`. */
static int read_block_probe(struct event *event, struct blocks *blocks, const char *name,
			    const char *fields)
{
	size_t length = *name == ':' ? strcspn(name + 1, ": \t") : 0;

	if (!length || *fields != '(')
		return -1;
	for (event->count = 0; event->count < most_of(event); event->count++) {
		char key[24] = " ret=";
		const char *at;

		if (event->kind == EVENT_ENTER)
			snprintf(key, sizeof(key), " arg%d=", event->count + 1);
		at = strstr(fields, key);
		if (!at || !read_argument(&event->arguments[event->count], at + strlen(key)))
			break;
	}
	return set_block(event, blocks, name + 1, length);
}

int block_text_parse(struct event *event, struct blocks *blocks, const char *name, size_t length,
		     const char *fields)
{
	struct event found = *event;
	int rc = 0;

	for (size_t i = 0; i < sizeof(block_kinds) / sizeof(block_kinds[0]); i++) {
		if (strncmp(name, block_kinds[i].name, length) != 0 || block_kinds[i].name[length])
			continue;
		found.kind = block_kinds[i].kind;
		if (block_kinds[i].kind == EVENT_STEP)
			rc = read_step(&found, blocks, fields);
		else
			rc = block_kinds[i].probe
				     ? read_block_probe(&found, blocks, name + length, fields)
				     : read_block(&found, blocks, fields);
	}
	if (rc > 0)
		*event = found;
	return rc;
}
