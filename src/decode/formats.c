/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/formats.h"

#include "base/alloc.h"
#include "decode/call_format.h"
#include "decode/prev_state.h"
#include "decode/tracing_section.h"

#include <byteswap.h>
#include <endian.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

/* Where a field lies in the payload. */
struct field {
	unsigned offset, size; /* size 0: the event has no such field */
	bool is_signed;
	bool dynamic;  /* __data_loc: the place holds offset and length of the text */
	bool relative; /* __rel_loc: the same, and the offset counts from behind the field */
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
	enum event_kind kind;
	bool is_tried; /* there has been a text */
	bool is_plain; /* laid out as on most machines, see decode_plain */
	size_t needed; /* bytes of a payload that has all of these: */
	struct field tid, comm, state, other, other_comm, success, ran, flags;
	const struct call_format *call; /* it tells of a call, and only this counts; or NULL */
};

/* Those of specs, and then those of call_event. */
enum { KNOWN_COUNT = SPEC_COUNT + CALL_EVENTS };

/*
 * TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ of linux/trace_events.h in common_flags: common_pid was
 * interrupted. A soft interrupt may also be its own, where it sends to the same machine by TCP.
 */
enum { IN_INTERRUPT = 0x08 | 0x10 };

struct formats {
	struct tep_handle *tep;
	regex_t shape; /* of a format text */
	struct tracepoint known[KNOWN_COUNT];
	struct call_format calls[CALL_EVENTS];
	uint8_t *by_type; /* its number in `known`, from 1 on; 0: none */
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

struct formats *formats_new(void)
{
	struct formats *formats = xcalloc(1, sizeof(*formats));

	tep_set_loglevel(TEP_LOG_NONE); /* sentences are written in cmd, nowhere else */
	formats->tep = tep_alloc();
	if (regcomp(&formats->shape, shape, REG_EXTENDED | REG_NOSUB))
		abort();
	for (size_t i = 0; i < KNOWN_COUNT; i++)
		formats->known[i].type = -1;
	prev_state_init(&formats->prev_state);
	return formats;
}

void formats_free(struct formats *formats)
{
	if (!formats)
		return;
	tep_free(formats->tep);
	regfree(&formats->shape);
	free(formats->by_type);
	free(formats);
}

/* Finds the field, and how long a payload is that has it. */
static struct field find_field(struct tep_event *event, const char *name, size_t *needed)
{
	struct tep_format_field *found = name ? tep_find_any_field(event, name) : NULL;
	struct field field = {0};

	if (!found || found->offset < 0 || found->size <= 0)
		return field;
	field.dynamic = found->flags & TEP_FIELD_IS_DYNAMIC;
	if (field.dynamic && found->size != 4)
		return field;
	field.offset = (unsigned)found->offset;
	field.size = (unsigned)found->size;
	field.is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	field.relative = found->flags & TEP_FIELD_IS_RELATIVE;
	if (*needed < (size_t)field.offset + field.size)
		*needed = (size_t)field.offset + field.size;
	return field;
}

/* Payloads of this type are those of `known`, unless another has the number already. */
static void note_type(struct formats *formats, const struct tracepoint *known)
{
	size_t type = (size_t)known->type;

	if (known->type < 0 || known->type > UINT16_MAX)
		return; /* never in a payload */
	array_reserve(&formats->by_type, &formats->type_count, type + 1);
	if (!formats->by_type[type])
		formats->by_type[type] = (uint8_t)(known - formats->known + 1);
}

/* Does what decode_plain takes for granted hold for a field? */
static bool is_plain_number(const struct field *field, unsigned size)
{
	return !field->size || field->size == size;
}

static bool is_plain(const struct tracepoint *known)
{
	return known->tid.size == sizeof(int32_t) &&
	       is_plain_number(&known->other, sizeof(int32_t)) &&
	       is_plain_number(&known->state, sizeof(uint64_t)) &&
	       is_plain_number(&known->ran, sizeof(uint64_t)) &&
	       is_plain_number(&known->flags, sizeof(uint8_t)) && !known->success.size;
}

static void learn(struct formats *formats, size_t i)
{
	const struct spec *spec = &specs[i];
	struct tracepoint *known = &formats->known[i];
	struct tep_event *event = tep_find_event_by_name(formats->tep, "sched", spec->name);
	size_t needed = 0;

	if (!event || known->type >= 0)
		return;
	known->kind = spec->kind;
	known->tid = find_field(event, spec->tid, &needed);
	known->comm = find_field(event, spec->comm, &needed);
	known->state = find_field(event, spec->state, &needed);
	known->other = find_field(event, spec->other, &needed);
	known->other_comm = find_field(event, spec->other_comm, &needed);
	known->success = find_field(event, spec->success, &needed);
	known->ran = find_field(event, spec->ran, &needed);
	if (spec->kind == EVENT_WAKE)
		known->flags = find_field(event, "common_flags", &needed);
	known->needed = needed;
	known->is_plain = is_plain(known);
	if (!known->tid.size || (spec->other && !known->other.size) ||
	    (spec->ran && !known->ran.size))
		return;
	known->type = event->id;
	note_type(formats, known);
}

/* The same of number `i` of those that tell of calls. */
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

/* A format text begins with "name: NAME". */
static bool is_named(const char *format, size_t length, const char *name)
{
	char line[64];
	int size = snprintf(line, sizeof(line), "name: %s\n", name);

	return length >= (size_t)size && memcmp(format, line, (size_t)size) == 0;
}

/* The tracepoint of this name; NULL when it tells nothing. */
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

/* What its text says of where its fields are. */
static void learn_any(struct formats *formats, const struct tracepoint *known, const char *system,
		      const char *format)
{
	size_t number = (size_t)(known - formats->known);
	char name[64];

	if (number < SPEC_COUNT) {
		learn(formats, number);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(format + 6, "\n"), format + 6);
	learn_call(formats, number - SPEC_COUNT, system, name);
}

/* Far above what a kernel prints of one event. */
enum { FORMAT_MAX = 1 << 20 };

/*
 * libtraceevent 1.7 crashes or leaks on some damaged texts. So it only gets the fields, if they
 * look as they should; the print format, which is a small program, does not matter here. The first
 * text of a name counts, as it would if there were a thousand.
 */
int formats_add(struct formats *formats, const char *system, const char *format, size_t length)
{
	const char *print = memmem(format, length, "\nprint fmt:", 11);
	struct tracepoint *known = find_named(formats, system, format, length);
	char *text;
	int rc = -1;

	if (!known || known->is_tried)
		return 0;
	known->is_tried = true;
	if (length > FORMAT_MAX)
		return -1;
	if (!print)
		return -1;
	text = xasprintf("%.*s\nprint fmt: \"\"\n", (int)(print - format), format);
	if (regexec(&formats->shape, text, 0, NULL, 0) == 0)
		rc = tep_parse_event(formats->tep, text, strlen(text), system) ? -1 : 0;
	free(text);
	learn_any(formats, known, system, format);
	if (known == formats->known) /* sched_switch */
		prev_state_learn(&formats->prev_state, print, length - (size_t)(print - format));
	return rc;
}

bool formats_have_switch(const struct formats *formats)
{
	return formats->known[0].type >= 0;
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

/* A number of this size at this place, in the byte order of the recording. */
static uint64_t load(const char *at, unsigned size, bool swapped)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return (unsigned char)*at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return swapped ? bswap_16(two) : two;
	case 4:
		memcpy(&four, at, sizeof(four));
		return swapped ? bswap_32(four) : four;
	case 8:
		memcpy(&eight, at, sizeof(eight));
		return swapped ? bswap_64(eight) : eight;
	default:
		return 0;
	}
}

static uint64_t read_number(const struct formats *formats, const struct field *field,
			    const char *payload)
{
	uint64_t value = load(payload + field->offset, field->size, formats->swapped);
	unsigned spare = 64 - 8 * field->size;

	if (!field->is_signed || field->size >= 8 || !field->size)
		return value;
	return (uint64_t)((int64_t)(value << spare) >> spare);
}

static int32_t read_tid(const struct formats *formats, const struct field *field,
			const char *payload)
{
	return (int32_t)read_number(formats, field, payload);
}

/* Ones in all bytes before the first zero of eight that lie in memory as `word`. */
static inline uint64_t name_mask(uint64_t word)
{
	const uint64_t low = 0x0101010101010101, high = 0x8080808080808080;
	uint64_t zeros = (word - low) & ~word & high; /* right up to the first one */
	uint64_t first = zeros & -zeros;

	return first ? (first >> 7) - 1 : UINT64_MAX;
}

/* Two words in the order of memory become a name: what stands behind its NUL may be anything. */
static inline void put_name(char comm[COMM_SIZE], uint64_t first, uint64_t second)
{
	uint64_t mask = name_mask(first), words[2];

	second &= UINT64_MAX >> 8; /* the last one is a NUL in any case */
	words[0] = htole64(first & mask);
	words[1] = htole64(~mask ? 0 : second & name_mask(second));
	memcpy(comm, words, sizeof(words));
}

static inline uint64_t load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

static inline void copy_name(char comm[COMM_SIZE], const char *name)
{
	put_name(comm, load_word(name), load_word(name + sizeof(uint64_t)));
}

/* A name of any length; of the second word only what belongs to it. */
static void copy_short_name(char comm[COMM_SIZE], const char *name, size_t size)
{
	uint64_t word = 0;

	if (size >= COMM_SIZE) {
		copy_name(comm, name);
	} else if (size > sizeof(word)) {
		size_t rest = size - sizeof(word);

		word = load_word(name + rest) >> 8 * (sizeof(word) - rest);
		put_name(comm, load_word(name), word);
	} else {
		for (size_t i = 0; i < size; i++)
			word |= (uint64_t)(unsigned char)name[i] << 8 * i;
		put_name(comm, word, 0);
	}
}

/*
 * A place says where a text lies, and its length: from the payload's beginning, or from behind the
 * place on.
 */
static inline void read_placed(const struct formats *formats, char comm[COMM_SIZE],
			       const struct field *field, const char *payload, size_t length)
{
	uint32_t place;
	size_t offset, size;

	memcpy(&place, payload + field->offset, sizeof(place));
	if (formats->swapped)
		place = bswap_32(place);
	offset = (place & 0xffff) + (field->relative ? field->offset + sizeof(place) : 0);
	size = place >> 16;
	if (offset <= length && size <= length - offset)
		copy_short_name(comm, payload + offset, size);
}

static inline void read_comm(const struct formats *formats, char comm[COMM_SIZE],
			     const struct field *field, const char *payload, size_t length)
{
	if (field->dynamic)
		read_placed(formats, comm, field, payload, length);
	else if (field->size == COMM_SIZE)
		copy_name(comm, payload + field->offset);
	else if (field->size)
		copy_short_name(comm, payload + field->offset, field->size);
}

const struct tracepoint *formats_find(const struct formats *formats, const void *payload, int *type)
{
	uint16_t number = (uint16_t)load(payload, sizeof(number), formats->swapped);

	*type = number;
	if (number >= formats->type_count || !formats->by_type[number])
		return NULL;
	return &formats->known[formats->by_type[number] - 1];
}

/*
 * Threads have numbers of 4 bytes, other numbers are of 8, and all are in the byte order of this
 * machine.
 */
static int decode_plain(const struct formats *formats, const struct tracepoint *tracepoint,
			struct event *event, const char *payload, size_t length)
{
	uint64_t bits;

	event->kind = tracepoint->kind;
	memcpy(&event->tid, payload + tracepoint->tid.offset, sizeof(event->tid));
	read_comm(formats, event->comm, &tracepoint->comm, payload, length);
	if (tracepoint->other.size)
		memcpy(&event->other, payload + tracepoint->other.offset, sizeof(event->other));
	read_comm(formats, event->other_comm, &tracepoint->other_comm, payload, length);
	if (tracepoint->state.size) {
		memcpy(&bits, payload + tracepoint->state.offset, sizeof(bits));
		event->state = prev_state_of(&formats->prev_state, bits);
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
		return call_format_decode(tracepoint->call, event, payload, length,
					  formats->swapped);
	if (tracepoint->success.size && !read_number(formats, &tracepoint->success, payload))
		return 0; /* a wakeup that did not happen */
	event->kind = tracepoint->kind;
	event->tid = read_tid(formats, &tracepoint->tid, payload);
	read_comm(formats, event->comm, &tracepoint->comm, payload, length);
	if (tracepoint->other.size)
		event->other = read_tid(formats, &tracepoint->other, payload);
	read_comm(formats, event->other_comm, &tracepoint->other_comm, payload, length);
	if (tracepoint->state.size)
		event->state = prev_state_of(&formats->prev_state,
					     read_number(formats, &tracepoint->state, payload));
	if (tracepoint->ran.size)
		event->ran_ns = read_number(formats, &tracepoint->ran, payload);
	if (tracepoint->flags.size)
		event->interrupt = read_number(formats, &tracepoint->flags, payload) & IN_INTERRUPT;
	return 1;
}
