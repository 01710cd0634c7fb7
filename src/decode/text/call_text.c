/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/call_text.h"

#include "decode/event/event.h"
#include "decode/event/scan.h"

#include <linux/futex.h>
#include <stdlib.h>

/* --- Fields -------------------------------------------------------------------------------- */

/* What libtraceevent's plugin prints for the number of an operation (plugins/plugin_futex.c). */
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

/* The kernel's own formats print hexadecimal, with 0x in front or not; others say what it is. */
static bool read_value(uint64_t *value, const char *at, int base)
{
	char *end;

	if (!isxdigit((unsigned char)*at) && *at != '-')
		return false;
	*value = strtoull(at, &end, base);
	return end > at;
}

/* `KEY: VALUE` or `KEY=VALUE`, after a blank or the parenthesis of a call. */
static bool read_field(uint64_t *value, const char *fields, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = strstr(fields, key); at; at = strstr(at + 1, key)) {
		const char *rest = at + length;

		if (at > fields && !strchr(" \t(", at[-1]))
			continue;
		if (*rest == '=')
			return read_value(value, rest + 1, 0) || read_op_name(value, rest + 1);
		if (*rest == ':')
			return read_value(value, scan_blanks(rest + 1), 16);
	}
	return false;
}

/* Returns 1, 0 or -1 as all of these do. */
static int read_fields(struct event *event, int number, const char *fields)
{
	uint64_t values[CALL_FIELDS] = {0};

	for (enum call_field field = 0; field < CALL_FIELDS; field++) {
		const char *key = call_event_field(number, field);

		if (key && !read_field(&values[field], fields, key) &&
		    call_event_needs(number, field))
			return -1;
	}
	return call_event_make(event, number, values);
}

/* --- Lines --------------------------------------------------------------------------------- */

int call_text_parse(struct event *event, const char *name, size_t length, const char *fields)
{
	int number = call_event_find(NULL, name, length);

	if (number < 0)
		return 0;
	/* A probe that only has the name of one of ours is another's. */
	if (number >= CALL_EVENT_SYSTEM && (*fields != '(' || !strstr(fields, " object=")))
		return 0;
	return read_fields(event, number, fields);
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
	return number < 0 ? 0 : read_fields(event, number, name + length);
}
