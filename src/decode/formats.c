/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/formats.h"

#include "base/alloc.h"
#include "base/err.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

/* Where a field lies in the payload. */
struct field {
	unsigned offset, size; /* size 0: the event has no such field */
	bool dynamic;	       /* __data_loc: the place holds offset and length of the text */
};

/*
 * The tracepoints that tell something, and the names of their fields. A new one is a line here.
 * An event needs its `tid`, and its `other` where one is named; the rest is taken where it exists.
 */
static const struct spec {
	const char *name;
	enum event_kind kind;
	const char *tid, *comm, *state, *other, *other_comm, *success, *ran;
} specs[] = {
	{"sched_switch", EVENT_SWITCH, "prev_pid", "prev_comm", "prev_state", "next_pid",
	 "next_comm", NULL, NULL},
	{"sched_waking", EVENT_WAKE, "common_pid", NULL, NULL, "pid", "comm", "success", NULL},
	{"sched_wakeup", EVENT_WAKE, "common_pid", NULL, NULL, "pid", "comm", "success", NULL},
	{"sched_wakeup_new", EVENT_FORK, "common_pid", NULL, NULL, "pid", "comm", "success", NULL},
	{"sched_process_fork", EVENT_FORK, "parent_pid", "parent_comm", NULL, "child_pid",
	 "child_comm", NULL, NULL},
	{"sched_process_exit", EVENT_EXIT, "pid", "comm", NULL, NULL, NULL, NULL, NULL},
	{"sched_stat_runtime", EVENT_RAN, "pid", "comm", NULL, NULL, NULL, NULL, "runtime"},
};
enum { SPEC_COUNT = sizeof(specs) / sizeof(specs[0]) };

struct tracepoint {
	int type; /* common_type of its payloads, or -1 */
	struct field tid, comm, state, other, other_comm, success, ran;
};

struct formats {
	struct tep_handle *tep;
	regex_t shape;			     /* of a format text */
	struct tracepoint known[SPEC_COUNT]; /* as in specs */
};

#define WORD   "[A-Za-z_][A-Za-z0-9_]*"
#define NUMBER "[0-9]+"

/* `char comm[16]`, `__data_loc char[] comm`: field:DECLARATION; offset:N; size:N; signed:N; */
#define FIELD                                                                             \
	"\tfield:(" WORD " )+" WORD "(\\[[A-Za-z0-9_]*\\]( " WORD ")?)?;\toffset:" NUMBER \
	";\tsize:" NUMBER ";(\tsigned:[01];)?\n"

static const char shape[] = "^name: " WORD "\nID: " NUMBER "\nformat:\n(" FIELD ")+\n(" FIELD ")+"
			    "\nprint fmt: \"\"\n$";

struct formats *formats_new(void)
{
	struct formats *formats = xcalloc(1, sizeof(*formats));

	tep_set_loglevel(TEP_LOG_NONE); /* sentences are written in cmd, nowhere else */
	formats->tep = tep_alloc();
	if (regcomp(&formats->shape, shape, REG_EXTENDED | REG_NOSUB))
		abort();
	for (size_t i = 0; i < SPEC_COUNT; i++)
		formats->known[i].type = -1;
	return formats;
}

void formats_free(struct formats *formats)
{
	if (!formats)
		return;
	tep_free(formats->tep);
	regfree(&formats->shape);
	free(formats);
}

static struct field find_field(struct tep_event *event, const char *name)
{
	struct tep_format_field *found = name ? tep_find_any_field(event, name) : NULL;
	bool dynamic = found && found->flags & TEP_FIELD_IS_DYNAMIC;

	if (!found || found->offset < 0 || found->size <= 0 || (dynamic && found->size != 4))
		return (struct field){0};
	return (struct field){(unsigned)found->offset, (unsigned)found->size, dynamic};
}

static void learn(struct formats *formats, size_t i)
{
	const struct spec *spec = &specs[i];
	struct tracepoint *known = &formats->known[i];
	struct tep_event *event = tep_find_event_by_name(formats->tep, "sched", spec->name);

	if (!event)
		return;
	known->tid = find_field(event, spec->tid);
	known->comm = find_field(event, spec->comm);
	known->state = find_field(event, spec->state);
	known->other = find_field(event, spec->other);
	known->other_comm = find_field(event, spec->other_comm);
	known->success = find_field(event, spec->success);
	known->ran = find_field(event, spec->ran);
	if (known->tid.size && (!spec->other || known->other.size) &&
	    (!spec->ran || known->ran.size))
		known->type = event->id;
}

/* A format text begins with "name: NAME". Does this one tell something? */
static bool is_known(const char *format, size_t length)
{
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		char line[64];
		int size = snprintf(line, sizeof(line), "name: %s\n", specs[i].name);

		if (length >= (size_t)size && memcmp(format, line, (size_t)size) == 0)
			return true;
	}
	return false;
}

/*
 * libtraceevent 1.7 crashes or leaks on some damaged texts. So it only gets the fields, if they
 * look as they should; the print format, which is a small program, does not matter here.
 */
int formats_add(struct formats *formats, const char *system, const char *format, size_t length)
{
	const char *print = memmem(format, length, "\nprint fmt:", 11);
	char *text;
	int rc = -1;

	if (strcmp(system, "sched") != 0 || !is_known(format, length))
		return 0;
	if (!print)
		return -1;
	text = xasprintf("%.*s\nprint fmt: \"\"\n", (int)(print - format), format);
	if (regexec(&formats->shape, text, 0, NULL, 0) == 0)
		rc = tep_parse_event(formats->tep, text, strlen(text), system) ? -1 : 0;
	free(text);
	for (size_t i = 0; i < SPEC_COUNT; i++)
		learn(formats, i);
	return rc;
}

bool formats_have_switch(const struct formats *formats)
{
	return formats->known[0].type >= 0;
}

int formats_type(const struct formats *formats, const char *name)
{
	for (size_t i = 0; i < SPEC_COUNT; i++)
		if (strncmp(name, "sched:", 6) == 0 && strcmp(name + 6, specs[i].name) == 0)
			return formats->known[i].type;
	return -1;
}

/* --- The tracing data section -------------------------------------------------------------- */

/* What is left of a section of untrusted bytes. */
struct cursor {
	const char *at;
	size_t left;
};

/* The next `count` bytes, or NULL when there are not so many. */
static const char *take_bytes(struct cursor *cursor, uint64_t count)
{
	const char *at = cursor->at;

	if (count > cursor->left)
		return NULL;
	cursor->at += count;
	cursor->left -= (size_t)count;
	return at;
}

static const char *take_text(struct cursor *cursor)
{
	const char *end = memchr(cursor->at, '\0', cursor->left);

	return end ? take_bytes(cursor, (uint64_t)(end - cursor->at) + 1) : NULL;
}

static int take_u32(struct cursor *cursor, uint32_t *value)
{
	const char *bytes = take_bytes(cursor, sizeof(*value));

	if (!bytes)
		return -1;
	memcpy(value, bytes, sizeof(*value));
	return 0;
}

/* A size of 8 bytes and so many bytes of text. */
static const char *take_block(struct cursor *cursor, uint64_t *length)
{
	const char *bytes = take_bytes(cursor, sizeof(*length));

	if (!bytes)
		return NULL;
	memcpy(length, bytes, sizeof(*length));
	return take_bytes(cursor, *length);
}

static int read_events(struct formats *formats, struct cursor *cursor, const char *system,
		       uint32_t count)
{
	while (count--) {
		uint64_t length;
		const char *format = take_block(cursor, &length);

		if (!format || formats_add(formats, system, format, (size_t)length))
			return -1;
	}
	return 0;
}

static int read_systems(struct formats *formats, struct cursor *cursor)
{
	uint32_t systems, events;

	if (take_u32(cursor, &events) || read_events(formats, cursor, "ftrace", events) ||
	    take_u32(cursor, &systems))
		return -1;
	while (systems--) {
		const char *system = take_text(cursor);

		if (!system || take_u32(cursor, &events) ||
		    read_events(formats, cursor, system, events))
			return -1;
	}
	return 0;
}

/* The word that introduces a block ("header_page"), and the block itself, which is passed over. */
static int skip_header(struct cursor *cursor, const char *word)
{
	const char *text = take_text(cursor);
	uint64_t length;

	return text && strcmp(text, word) == 0 && take_block(cursor, &length) ? 0 : -1;
}

int formats_read(struct formats *formats, const void *bytes, size_t length, struct err *err)
{
	struct cursor cursor = {bytes, length};
	const char *magic = take_bytes(&cursor, 10);
	const char *version, *endian, *long_size;
	uint32_t page_size;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10) != 0)
		return err_set(err, "its tracing data do not begin as they should");
	version = take_text(&cursor);
	endian = take_bytes(&cursor, 1);
	long_size = take_bytes(&cursor, 1);
	if (!version || !endian || !long_size || take_u32(&cursor, &page_size))
		return err_set(err, "its tracing data are cut short");
	if (*endian != (tep_is_local_bigendian(formats->tep) ? 1 : 0))
		return err_set(err, "was recorded on a machine of the other byte order");
	tep_set_long_size(formats->tep, *long_size);
	if (skip_header(&cursor, "header_page") || skip_header(&cursor, "header_event") ||
	    read_systems(formats, &cursor))
		return err_set(err, "its tracing data are cut short or damaged");
	return 0;
}

/* --- Payloads ------------------------------------------------------------------------------ */

static int64_t read_number(const struct field *field, const char *payload)
{
	int32_t narrow;
	int64_t wide;

	switch (field->size) {
	case 1:
		return (unsigned char)payload[field->offset];
	case 4:
		memcpy(&narrow, payload + field->offset, sizeof(narrow));
		return narrow;
	case 8:
		memcpy(&wide, payload + field->offset, sizeof(wide));
		return wide;
	default:
		return 0;
	}
}

static void read_comm(char comm[COMM_SIZE], const struct field *field, const char *payload,
		      size_t length)
{
	size_t offset = field->offset, size = field->size;

	if (field->dynamic) {
		uint32_t place;

		memcpy(&place, payload + offset, sizeof(place));
		offset = place & 0xffff;
		size = place >> 16;
	}
	if (offset > length || size > length - offset)
		return;
	event_set_comm(comm, payload + offset, size);
}

static bool holds(const struct field *field, size_t length)
{
	return field->offset <= length && field->size <= length - field->offset;
}

int formats_decode(const struct formats *formats, struct event *event, const void *payload,
		   size_t length)
{
	const struct tracepoint *known = NULL;
	uint16_t type;
	size_t i;

	if (length < sizeof(type))
		return -1;
	memcpy(&type, payload, sizeof(type));
	for (i = 0; i < SPEC_COUNT && !known; i++)
		if (formats->known[i].type == type)
			known = &formats->known[i];
	if (!known)
		return 0;
	if (!holds(&known->tid, length) || !holds(&known->comm, length) ||
	    !holds(&known->state, length) || !holds(&known->other, length) ||
	    !holds(&known->other_comm, length) || !holds(&known->success, length) ||
	    !holds(&known->ran, length))
		return -1;
	if (known->success.size && !read_number(&known->success, payload))
		return 0; /* a wakeup that did not happen */
	event->kind = specs[known - formats->known].kind;
	event->tid = (int32_t)read_number(&known->tid, payload);
	if (known->comm.size)
		read_comm(event->comm, &known->comm, payload, length);
	if (known->state.size)
		event->state = thread_state_of_bits((uint64_t)read_number(&known->state, payload));
	if (known->ran.size)
		event->ran_ns = (uint64_t)read_number(&known->ran, payload);
	if (known->other.size)
		event->other = (int32_t)read_number(&known->other, payload);
	if (known->other_comm.size)
		read_comm(event->other_comm, &known->other_comm, payload, length);
	return 1;
}
