/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/formats.h"

#include "base/alloc.h"
#include "decode/event/event.h"
#include "decode/kernel/block_format.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"

#include <ctype.h>
#include <endian.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

/* --- Bits of prev_state -------------------------------------------------------------------- */

/*
 * The meaning of the bits of prev_state in sched_switch. Kernels differ, for example 0x40 is a dead
 * thread before Linux 4.14 and a parked one since. The print format of the event has the table:
 *
 *	... __print_flags(REC->prev_state & (...), "|", { 1, "S"} , { 2, "D" }, ... ) ...
 */

enum { PREV_STATE_SMALL = 256, PREV_STATE_BITS = 20 }; /* TASK_STATE_MAX is smaller */

struct prev_state {
	/* The bits that mean each state. */
	uint64_t dead, idle, disk, stopped, sleeping;
	uint64_t moot; /* bits with a name, but without meaning if they are alone */
	uint8_t small[PREV_STATE_SMALL]; /* the states of the usual numbers */
};

enum { FLAG_COUNT_MAX = 32 };

static enum thread_state prev_state_work_out(const struct prev_state *prev_state, uint64_t bits)
{
	if (!prev_state->sleeping)
		return thread_state_of_bits(bits);
	if (bits & prev_state->dead) /* a dying thread is dead whatever its other bits */
		return STATE_NONE;
	if (bits & prev_state->idle)
		return STATE_SLEEPING;
	if (bits & prev_state->disk)
		return STATE_DISK;
	if (bits & prev_state->stopped)
		return STATE_STOPPED;
	if (bits & prev_state->sleeping)
		return STATE_SLEEPING;
	/* 0 is R; bits that the table does not name mark a preempted thread (R+). */
	return bits & prev_state->moot ? STATE_UNKNOWN : STATE_RUNNABLE;
}

/* Returns the state of a thread that leaves its CPU, or STATE_COUNT for damaged bits. */
static inline enum thread_state prev_state_of(const struct prev_state *prev_state, uint64_t bits)
{
	if (bits < PREV_STATE_SMALL)
		return (enum thread_state)prev_state->small[bits];
	return bits >> PREV_STATE_BITS ? STATE_COUNT : prev_state_work_out(prev_state, bits);
}

static void prev_state_fill_small(struct prev_state *prev_state)
{
	for (uint64_t bits = 0; bits < PREV_STATE_SMALL; bits++)
		prev_state->small[bits] = (uint8_t)prev_state_work_out(prev_state, bits);
}

/* Begins with the bits of Linux 4.14 and later. */
static void prev_state_init(struct prev_state *prev_state)
{
	*prev_state = (struct prev_state){0};
	prev_state_fill_small(prev_state);
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Parses `{ 0x01, "S" }`, with any blanks. Returns the rest of the text, or NULL. */
static const char *parse_state_flag(const char *at, uint64_t *bit, char *letter)
{
	char *end;

	at = skip_blanks(at);
	if (*at++ != '{')
		return NULL;
	at = skip_blanks(at);
	if (!isdigit((unsigned char)*at))
		return NULL;
	*bit = strtoull(at, &end, 0);
	at = skip_blanks(end);
	if (*at++ != ',')
		return NULL;
	at = skip_blanks(at);
	if (*at++ != '"' || !isalpha((unsigned char)*at))
		return NULL;
	*letter = *at++;
	if (*at++ != '"')
		return NULL;
	at = skip_blanks(at);
	return *at == '}' ? at + 1 : NULL;
}

/* N is TASK_NOLOAD: D and N together are an idle kernel thread, which later kernels call I. */
static void prev_state_add_flag(struct prev_state *prev_state, uint64_t bit, char letter)
{
	const char letters[] = {letter, '\0'};

	if (letter == 'N') {
		prev_state->idle |= bit;
		return;
	}
	switch (thread_state_of_letters(letters)) {
	case STATE_NONE:
		prev_state->dead |= bit;
		break;
	case STATE_DISK:
		prev_state->disk |= bit;
		break;
	case STATE_STOPPED:
		prev_state->stopped |= bit;
		break;
	case STATE_SLEEPING:
		prev_state->sleeping |= bit;
		break;
	default: /* K: killable, W: being woken, n: new */
		prev_state->moot |= bit;
	}
}

/* Returns true if the table has 1 for S and 2 for D, as every kernel, and a bit for the dead. */
static bool prev_state_is_sound(const struct prev_state *prev_state)
{
	return prev_state->sleeping & 1 && prev_state->disk & 2 && prev_state->dead;
}

/* Reads the table from a print format, if that has a sound one; else changes nothing. */
static void prev_state_learn(struct prev_state *prev_state, const char *print, size_t length)
{
	static const char call[] = "__print_flags(REC->prev_state", delimiter[] = "\"|\"";
	const char *begin = memmem(print, length, call, sizeof(call) - 1);
	struct prev_state learnt = {0};
	char *text;
	const char *at;

	if (!begin)
		return;
	text = xcalloc(length - (size_t)(begin - print) + 1, 1);
	memcpy(text, begin, length - (size_t)(begin - print));
	at = strstr(text, delimiter);
	if (at)
		at = skip_blanks(at + sizeof(delimiter) - 1);
	for (int i = 0; at && *at == ',' && i < FLAG_COUNT_MAX; i++) {
		uint64_t bit;
		char letter;

		at = parse_state_flag(at + 1, &bit, &letter);
		if (!at || !bit || bit & (bit - 1))
			break;
		prev_state_add_flag(&learnt, bit, letter);
		at = skip_blanks(at);
	}
	if (prev_state_is_sound(&learnt)) {
		*prev_state = learnt;
		prev_state_fill_small(prev_state);
	}
	free(text);
}

/* --- Calls --------------------------------------------------------------------------------- */

struct call_format {
	int number; /* the number of call_event_find() */
	size_t needed;
	struct payload_field tid, fields[CALL_FIELDS];
};

/* Finds a number of 4 or 8 bytes. Returns false if the event has none of this name. */
static bool find_number(struct payload_field *field, struct tep_event *event, const char *name,
			size_t *needed)
{
	size_t end = *needed;

	*field = payload_field_find(event, name, &end);
	field->is_signed = false; /* addresses are unsigned, and counts are cut to 32 bits */
	if (field->dynamic || field->is_array || (field->size != 4 && field->size != 8))
		field->size = 0;
	else
		*needed = end;
	return field->size;
}

/* Returns false if the event lacks a field that it needs. */
static bool call_format_learn(struct call_format *format, struct tep_event *event, int number)
{
	format->number = number;
	format->needed = 0;
	if (!find_number(&format->tid, event, "common_pid", &format->needed))
		return false;
	for (enum call_field field = 0; field < CALL_FIELDS; field++)
		if (!find_number(&format->fields[field], event, call_event_field(number, field),
				 &format->needed) &&
		    call_event_needs(number, field))
			return false;
	return true;
}

/* Sets the thread and the call of `event`. Returns 1, or 0 if the call is unknown. */
static int call_format_decode(const struct call_format *format, struct event *event,
			      const char *payload, bool swapped)
{
	uint64_t values[CALL_FIELDS];

	for (enum call_field field = 0; field < CALL_FIELDS; field++)
		values[field] = payload_field_number(&format->fields[field], payload, swapped);
	event->tid = (int32_t)payload_field_number(&format->tid, payload, swapped);
	return call_event_make(event, format->number, values);
}

/* --- Texts of formats ---------------------------------------------------------------------- */

/*
 * The tracepoints that are used, and the names of their fields. A new one is a line here. An event
 * needs its `tid`, and its `other` if one is named; other fields are optional. The thread of `comm`
 * must be the one that raises the event, except for EVENT_RAN.
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
	enum event_kind kind;
	bool is_tried;	/* a format text was read */
	bool is_plain;	/* has the layout of most machines, see decode_plain */
	uint64_t found; /* payloads read so far */
	size_t needed;	/* bytes of a payload that has all of these fields */
	struct payload_field tid, raiser, comm, state, other, other_comm, success, ran, flags;
	const struct call_format *call;	  /* the format of a call, and only this counts; or NULL */
	const struct block_format *block; /* the format of a block, likewise; or NULL */
};

/* The tracepoints of specs, and then those of call_event. */
enum { KNOWN_COUNT = SPEC_COUNT + CALL_EVENTS };

/*
 * TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ of linux/trace_events.h in common_flags: an interrupt
 * of common_pid. A soft interrupt may be the thread's own, if it sends to this machine by TCP.
 */
enum { IN_INTERRUPT = 0x08 | 0x10 };

/* A recording may have any number of these: each probe is one. */
struct block_tracepoint {
	struct tracepoint tracepoint;
	struct block_format format;
};

struct formats {
	struct tep_handle *tep;
	regex_t shape; /* the shape of a format text, compiled on demand */
	bool has_shape;
	struct tracepoint known[KNOWN_COUNT];
	struct call_format calls[CALL_EVENTS];
	struct block_tracepoint **blocks; /* `known_blocks`, in the order of their texts */
	size_t block_count, block_capacity;
	struct blocks *known_blocks; /* borrowed; NULL: events of blocks are ignored */
	struct tracepoint **by_type; /* [type], NULL: no known tracepoint */
	size_t type_count;
	struct prev_state prev_state;
	bool swapped; /* payloads are in the other byte order */
};

#define WORD   "[A-Za-z_][A-Za-z0-9_]*"
#define NUMBER "[0-9]+"

/*
 * `char comm[16]`, `__data_loc char[] comm`, `u32 * uaddr`:
 * field:DECLARATION; offset:N; size:N; signed:N;
 */
#define FIELD                                                                                    \
	"\tfield:(" WORD " (\\* )?)+" WORD "(\\[[A-Za-z0-9_]*\\]( " WORD ")?)?;\toffset:" NUMBER \
	";\tsize:" NUMBER ";(\tsigned:[01];)?\n"

static const char shape[] = "^name: " WORD "\nID: " NUMBER "\nformat:\n(" FIELD ")+\n(" FIELD ")+"
			    "\nprint fmt: \"\"\n$";

struct formats *formats_new(struct blocks *blocks)
{
	struct formats *formats = xcalloc(1, sizeof(*formats));

	tep_set_loglevel(TEP_LOG_NONE); /* libtraceevent prints nothing: only cmd prints errors */
	formats->tep = tep_alloc();
	for (size_t i = 0; i < KNOWN_COUNT; i++)
		formats->known[i].type = -1;
	prev_state_init(&formats->prev_state);
	formats->known_blocks = blocks;
	return formats;
}

void formats_free(struct formats *formats)
{
	if (!formats)
		return;
	tep_free(formats->tep);
	if (formats->has_shape)
		regfree(&formats->shape);
	for (size_t i = 0; i < formats->block_count; i++) {
		block_format_release(&formats->blocks[i]->format);
		free(formats->blocks[i]);
	}
	free(formats->blocks);
	free(formats->by_type);
	free(formats);
}

/* Makes payloads of this type those of `known`, unless another tracepoint has the number. */
static void note_type(struct formats *formats, struct tracepoint *known)
{
	size_t type = (size_t)known->type;

	if (known->type < 0 || known->type > UINT16_MAX)
		return; /* no payload has such a type */
	array_reserve(&formats->by_type, &formats->type_count, type + 1);
	if (!formats->by_type[type])
		formats->by_type[type] = known;
}

/* Returns true if a field is missing or has the size that decode_plain assumes. */
static bool is_plain_number(const struct payload_field *field, unsigned size)
{
	return !field->size || field->size == size;
}

static bool is_plain(const struct tracepoint *known)
{
	return known->tid.size == sizeof(int32_t) &&
	       is_plain_number(&known->raiser, sizeof(int32_t)) &&
	       is_plain_number(&known->other, sizeof(int32_t)) &&
	       is_plain_number(&known->state, sizeof(uint64_t)) &&
	       is_plain_number(&known->ran, sizeof(uint64_t)) &&
	       is_plain_number(&known->flags, sizeof(uint8_t)) && !known->success.size;
}

static void learn_sched(struct formats *formats, size_t i)
{
	const struct spec *spec = &specs[i];
	struct tracepoint *known = &formats->known[i];
	struct tep_event *event = tep_find_event_by_name(formats->tep, "sched", spec->name);
	size_t needed = 0;

	if (!event || known->type >= 0)
		return;
	known->kind = spec->kind;
	known->tid = payload_field_find(event, spec->tid, &needed);
	if (spec->comm && spec->kind != EVENT_RAN)
		known->raiser = payload_field_find(event, "common_pid", &needed);
	known->comm = payload_field_find(event, spec->comm, &needed);
	known->state = payload_field_find(event, spec->state, &needed);
	known->other = payload_field_find(event, spec->other, &needed);
	known->other_comm = payload_field_find(event, spec->other_comm, &needed);
	known->success = payload_field_find(event, spec->success, &needed);
	known->ran = payload_field_find(event, spec->ran, &needed);
	if (spec->kind == EVENT_WAKE)
		known->flags = payload_field_find(event, "common_flags", &needed);
	known->needed = needed;
	known->is_plain = is_plain(known);
	if (!known->tid.size || (spec->other && !known->other.size) ||
	    (spec->ran && !known->ran.size))
		return;
	known->type = event->id;
	note_type(formats, known);
}

/* Finds the fields of call event `i`. */
static void learn_call(struct formats *formats, size_t i, const char *system, const char *name)
{
	struct tracepoint *known = &formats->known[SPEC_COUNT + i];
	struct tep_event *event = tep_find_event_by_name(formats->tep, system, name);

	if (!event || !call_format_learn(&formats->calls[i], event, (int)i))
		return;
	known->call = &formats->calls[i];
	known->needed = known->call->needed;
	known->type = event->id;
	note_type(formats, known);
}

/* Returns true if the format text begins with "name: NAME". */
static bool is_named(const char *format, size_t length, const char *name)
{
	char line[64];
	int size = snprintf(line, sizeof(line), "name: %s\n", name);

	return length >= (size_t)size && memcmp(format, line, (size_t)size) == 0;
}

/* Returns the tracepoint of this name, or NULL if it has no use here. */
static struct tracepoint *find_named(struct formats *formats, const char *system,
				     const char *format, size_t length)
{
	const char *end = memchr(format, '\n', length);
	int call;

	for (size_t i = 0; strcmp(system, "sched") == 0 && i < SPEC_COUNT; i++)
		if (is_named(format, length, specs[i].name))
			return &formats->known[i];
	if (!end || length < 6 || memcmp(format, "name: ", 6) != 0)
		return NULL;
	call = call_event_find(system, format + 6, (size_t)(end - format - 6));
	return call < 0 ? NULL : &formats->known[SPEC_COUNT + call];
}

/* Finds the places of the tracepoint's fields in its text. */
static void learn_any(struct formats *formats, const struct tracepoint *known, const char *system,
		      const char *format)
{
	size_t number = (size_t)(known - formats->known);
	char name[64];

	if (number < SPEC_COUNT) {
		learn_sched(formats, number);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(format + 6, "\n"), format + 6);
	learn_call(formats, number - SPEC_COUNT, system, name);
}

/* Compiles the pattern on demand: that takes longer than the rest of opening a recording. */
static bool is_well_formed(struct formats *formats, const char *text)
{
	if (!formats->has_shape && regcomp(&formats->shape, shape, REG_EXTENDED | REG_NOSUB))
		abort();
	formats->has_shape = true;
	return regexec(&formats->shape, text, 0, NULL, 0) == 0;
}

/* Far longer than any format text of a kernel. */
enum { FORMAT_MAX = 1 << 20 };

/*
 * Parses a format text; returns NULL if it is damaged. libtraceevent 1.7 crashes or leaks on some
 * damaged texts: it gets only the fields, up to `print`, and only if they have the right shape. The
 * print format, a small program, is not needed here.
 */
static struct tep_event *parse_format(struct formats *formats, const char *system,
				      const char *format, const char *print)
{
	struct tep_event *event = NULL;
	char *text;

	if (!print || print - format > FORMAT_MAX)
		return NULL;
	text = xasprintf("%.*s\nprint fmt: \"\"\n", (int)(print - format), format);
	if (is_well_formed(formats, text) &&
	    tep_parse_format(formats->tep, &event, text, strlen(text), system))
		event = NULL;
	free(text);
	return event;
}

static bool tells_of_block(const struct formats *formats, const char *system, const char *format,
			   size_t length)
{
	const char *end = memchr(format, '\n', length);

	return formats->known_blocks && end && length >= 6 && memcmp(format, "name: ", 6) == 0 &&
	       block_format_kind(system, format + 6, (size_t)(end - format - 6)) != EVENT_NOTE;
}

static int add_block(struct formats *formats, const char *system, const char *format,
		     const char *print, size_t print_length)
{
	struct tep_event *event = parse_format(formats, system, format, print);
	struct block_tracepoint *added;

	if (!event)
		return -1;
	added = xcalloc(1, sizeof(*added));
	array_reserve(&formats->blocks, &formats->block_capacity, formats->block_count + 1);
	formats->blocks[formats->block_count++] = added;
	added->tracepoint.type = -1;
	if (!block_format_learn(&added->format, event, print, print_length, formats->known_blocks))
		return 0;
	added->tracepoint.type = event->id;
	added->tracepoint.needed = added->format.needed;
	added->tracepoint.block = &added->format;
	note_type(formats, &added->tracepoint);
	return 0;
}

/* The first text of a name counts, however many follow. */
int formats_add(struct formats *formats, const char *system, const char *format, size_t length)
{
	const char *print = memmem(format, length, "\nprint fmt:", 11);
	size_t print_length = print ? length - (size_t)(print - format) : 0;
	struct tracepoint *known;
	int rc;

	if (tells_of_block(formats, system, format, length))
		return add_block(formats, system, format, print, print_length);
	known = find_named(formats, system, format, length);
	if (!known || known->is_tried)
		return 0;
	known->is_tried = true;
	if (!print || length > FORMAT_MAX)
		return -1;
	rc = parse_format(formats, system, format, print) ? 0 : -1;
	learn_any(formats, known, system, format);
	if (known == formats->known) /* sched_switch */
		prev_state_learn(&formats->prev_state, print, print_length);
	return rc;
}

bool formats_have_blocks(const struct formats *formats)
{
	for (size_t i = 0; i < formats->block_count; i++)
		if (formats->blocks[i]->tracepoint.type >= 0)
			return true;
	return false;
}

static int block_type(const struct formats *formats, const char *system, const char *name)
{
	const struct tep_event *event = tep_find_event_by_name(formats->tep, system, name);
	size_t type = event ? (size_t)event->id : formats->type_count;

	return type < formats->type_count && formats->by_type[type] ? event->id : -1;
}

int formats_type(const struct formats *formats, const char *name)
{
	const char *colon = strchr(name, ':');
	char system[16];
	int call;

	for (size_t i = 0; i < SPEC_COUNT; i++)
		if (strncmp(name, "sched:", 6) == 0 && strcmp(name + 6, specs[i].name) == 0)
			return formats->known[i].type;
	if (!colon)
		return -1;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	if (block_format_kind(system, colon + 1, strlen(colon + 1)) != EVENT_NOTE)
		return block_type(formats, system, colon + 1);
	call = call_event_find(system, colon + 1, strlen(colon + 1));
	return call < 0 ? -1 : formats->known[SPEC_COUNT + call].type;
}

static int add_text(void *context, const char *system, const char *format, size_t length)
{
	return formats_add(context, system, format, length);
}

int formats_read(struct formats *formats, const void *bytes, size_t length, struct err *err)
{
	struct tracing_section section = {.add = add_text, .context = formats};
	int rc = tracing_section_read(&section, bytes, length, err);

	formats->swapped = section.swapped;
	return rc;
}

/* --- Payloads ------------------------------------------------------------------------------ */

/* Copies a name of any length, and adds a NUL. */
static inline void payload_copy_name(char comm[COMM_SIZE], const char *name, size_t size)
{
	enum { HALF = COMM_SIZE / 2 };
	uint64_t end = 0;

	if (size >= COMM_SIZE) {
		memcpy(comm, name, COMM_SIZE);
		comm[COMM_SIZE - 1] = '\0';
	} else if (size > HALF) { /* two loads instead of a loop */
		memcpy(&end, name + size - HALF, HALF);
		end = htole64(le64toh(end) >> 8 * (COMM_SIZE - size));
		memcpy(comm, name, HALF);
		memcpy(comm + HALF, &end, HALF);
	} else {
		memset(comm, 0, COMM_SIZE);
		memcpy(comm, name, size);
	}
}

/* Reads the name of a thread from a field; `comm` stays as it is if the event has no such field. */
static inline void payload_field_name(const struct payload_field *field, char comm[COMM_SIZE],
				      const char *payload, size_t length, bool swapped)
{
	size_t offset = field->offset, size = field->size;

	if (field->dynamic && !payload_field_place(field, payload, length, swapped, &offset, &size))
		return;
	if (size || field->dynamic)
		payload_copy_name(comm, payload + offset, size);
}

static int32_t read_tid(const struct formats *formats, const struct payload_field *field,
			const char *payload)
{
	return (int32_t)payload_field_number(field, payload, formats->swapped);
}

const struct tracepoint *formats_find(struct formats *formats, const void *payload)
{
	uint16_t number = (uint16_t)payload_load(payload, sizeof(number), formats->swapped);
	struct tracepoint *known = number < formats->type_count ? formats->by_type[number] : NULL;

	if (known)
		known->found++;
	return known;
}

bool formats_know(const struct formats *formats, uint64_t type)
{
	return type < formats->type_count && formats->by_type[type];
}

uint64_t formats_found(const struct formats *formats, const char *name)
{
	int type = formats_type(formats, name);
	bool is_in_payloads = type >= 0 && (size_t)type < formats->type_count;
	const struct tracepoint *known = is_in_payloads ? formats->by_type[type] : NULL;

	return known ? known->found : 0;
}

/* Decodes a payload with thread numbers of 4 bytes, others of 8, in this machine's byte order. */
static int decode_plain(const struct formats *formats, const struct tracepoint *tracepoint,
			struct event *event, const char *payload, size_t length)
{
	uint64_t bits;

	event->kind = tracepoint->kind;
	memcpy(&event->tid, payload + tracepoint->tid.offset, sizeof(event->tid));
	if (tracepoint->raiser.size &&
	    memcmp(&event->tid, payload + tracepoint->raiser.offset, sizeof(event->tid)) != 0)
		return -1;
	payload_field_name(&tracepoint->comm, event->comm, payload, length, formats->swapped);
	if (tracepoint->other.size)
		memcpy(&event->other, payload + tracepoint->other.offset, sizeof(event->other));
	payload_field_name(&tracepoint->other_comm, event->other_comm, payload, length,
			   formats->swapped);
	if (tracepoint->state.size) {
		memcpy(&bits, payload + tracepoint->state.offset, sizeof(bits));
		event->state = prev_state_of(&formats->prev_state, bits);
		if (event->state == STATE_COUNT)
			return -1;
	}
	if (tracepoint->ran.size)
		memcpy(&event->ran_ns, payload + tracepoint->ran.offset, sizeof(event->ran_ns));
	if (tracepoint->flags.size)
		event->interrupt = payload[tracepoint->flags.offset] & IN_INTERRUPT;
	return 1;
}

int formats_decode(const struct formats *formats, const struct tracepoint *tracepoint,
		   struct event *event, const void *payload, size_t length)
{
	if (length < tracepoint->needed)
		return -1;
	if (tracepoint->is_plain && !formats->swapped)
		return decode_plain(formats, tracepoint, event, payload, length);
	if (tracepoint->call)
		return call_format_decode(tracepoint->call, event, payload, formats->swapped);
	if (tracepoint->block)
		return block_format_decode(tracepoint->block, event, payload, length,
					   formats->swapped);
	if (tracepoint->success.size &&
	    !payload_field_number(&tracepoint->success, payload, formats->swapped))
		return 0; /* a wakeup that failed */
	event->kind = tracepoint->kind;
	event->tid = read_tid(formats, &tracepoint->tid, payload);
	if (tracepoint->raiser.size &&
	    event->tid != read_tid(formats, &tracepoint->raiser, payload))
		return -1;
	payload_field_name(&tracepoint->comm, event->comm, payload, length, formats->swapped);
	if (tracepoint->other.size)
		event->other = read_tid(formats, &tracepoint->other, payload);
	payload_field_name(&tracepoint->other_comm, event->other_comm, payload, length,
			   formats->swapped);
	if (tracepoint->state.size)
		event->state = prev_state_of(
			&formats->prev_state,
			payload_field_number(&tracepoint->state, payload, formats->swapped));
	if (event->state == STATE_COUNT)
		return -1;
	if (tracepoint->ran.size)
		event->ran_ns = payload_field_number(&tracepoint->ran, payload, formats->swapped);
	if (tracepoint->flags.size)
		event->interrupt =
			payload_field_number(&tracepoint->flags, payload, formats->swapped) &
			IN_INTERRUPT;
	return 1;
}
