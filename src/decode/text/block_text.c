/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/block_text.h"

#include "decode/event/scan.h"
#include "decode/kernel/step_event.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	enum event_kind kind;
	bool probe;
} kinds[] = {
	{"enter", EVENT_ENTER, false},	    {"leave", EVENT_LEAVE, false},
	{"task", EVENT_STEP, false},	    {"pscal_enter", EVENT_ENTER, true},
	{"pscal_leave", EVENT_LEAVE, true},
};

/* Registers, taken as signed as in block_format. Returns what follows, or NULL. */
static const char *read_value(double *value, const char *at)
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

/* Up to the end of the line. False: there is something else. */
static bool read_array(struct event *event, const char *at)
{
	bool braces = *at == '{';

	at += braces;
	for (event->count = 0; *at && !scan_is_blank(*at) && *at != '}';) {
		double value;

		at = read_value(&value, at);
		if (!at)
			return false;
		if (event->count < most_of(event))
			event->arguments[event->count++] = value;
		at += *at == ',' || *at == ' ';
	}
	return braces ? *at == '}' : !*scan_blanks(at);
}

/* The last one that a name may be followed by. */
static const char *find_last(const char *text, const char *word)
{
	const char *found = NULL;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		found = at;
	return found;
}

/* `block=NAME args=...` */
static int read_recorded(struct event *event, struct blocks *blocks, const char *fields)
{
	const char *name = scan_word(fields, "block=");
	const char *end = name ? find_last(name, " args=") : NULL;

	if (!name)
		return 0; /* another's */
	if (!end || end == name || !read_array(event, end + strlen(" args=")))
		return -1;
	return set_block(event, blocks, name, (size_t)(end - name));
}

/* `site=NAME step=...` */
static int read_step(struct event *event, struct blocks *blocks, const char *fields)
{
	const char *name = scan_word(fields, "site=");
	const char *end = name ? find_last(name, " step=") : NULL;

	if (!name)
		return 0; /* another's */
	if (!end || end == name || step_event_parse(event, end + 1, blocks) < 0)
		return -1;
	return set_block(event, blocks, name, (size_t)(end - name));
}

/* `SYSTEM:NAME:`, and behind it `(ADDRESS) KEY=VALUE ...` */
static int read_probe(struct event *event, struct blocks *blocks, const char *name,
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
		if (!at || !read_value(&event->arguments[event->count], at + strlen(key)))
			break;
	}
	return set_block(event, blocks, name + 1, length);
}

int block_text_parse(struct event *event, struct blocks *blocks, const char *name, size_t length,
		     const char *fields)
{
	struct event found = *event;
	int rc = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncmp(name, kinds[i].name, length) != 0 || kinds[i].name[length])
			continue;
		found.kind = kinds[i].kind;
		if (kinds[i].kind == EVENT_STEP)
			rc = read_step(&found, blocks, fields);
		else
			rc = kinds[i].probe ? read_probe(&found, blocks, name + length, fields)
					    : read_recorded(&found, blocks, fields);
	}
	if (rc > 0)
		*event = found;
	return rc;
}
