/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/untold.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "check/bytes_check.h"
#include "damage/damage.h"
#include "damage/mutate.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Kinds --------------------------------------------------------------------------------- */

enum kind {
	WAKE_LESS,
	BIRTH_LESS,
	END_CHANGES,
	OTHER_CALL,
	OTHER_NUMBER,
	OTHER_NAME,
	OTHER_TIME,
	OTHER_CPU,
	OTHER_OBJECT,
	BEGIN_LESS,
	TOLD_AGAIN,
	KINDS,
	COULD_BE_TOLD = KINDS,
};

static const struct untold kinds[] = {
	[WAKE_LESS] = {"a wakeup less", "the thread may have been woken when it was seen to run"},
	[BIRTH_LESS] = {"a birth less", "threads are born before a recording, too"},
	[END_CHANGES] = {"an end more or less",
			 "its last switch tells the same, or the thread lives on"},
	[OTHER_CALL] = {"a call more or less", "a thread may call anything, or not"},
	[OTHER_NUMBER] = {"another thread", "any number can be that of a thread"},
	[OTHER_NAME] = {"another name", "a thread may have any name"},
	[OTHER_TIME] = {"another time", "between its neighbours an event may happen at any time"},
	[OTHER_CPU] = {"another CPU", "a wakeup or a call may happen on any"},
	[OTHER_OBJECT] = {"another object", "a call may be about any"},
	[BEGIN_LESS] = {"a beginning or an end less",
			"a recording may begin later, or end earlier"},
	[TOLD_AGAIN] = {"an event with a copy", "it repeats known facts"},
	[KINDS] = {NULL, NULL},
};

const struct untold *untold_get(size_t number)
{
	return kinds[number].name ? &kinds[number] : NULL;
}

/* --- Reading ------------------------------------------------------------------------------- */

enum { EVENTS_MAX = 4096 };

struct content {
	struct bytes bytes;
	struct range pieces[DAMAGE_PIECES]; /* lines or records */
	size_t piece_count;
	struct event *events;
	size_t count;
	bool *paired; /* the other content has an equal event */
	bool *kept;   /* the other content has an equal piece */
};

static void content_read(struct content *content, const struct seed *seed, uint64_t number)
{
	struct event_source *source;
	struct input *input;
	struct err why;
	char path[64];
	int fd;

	*content = (struct content){.bytes = mutant_make(seed, number)};
	content->events = xcalloc(EVENTS_MAX, sizeof(*content->events));
	content->paired = xcalloc(EVENTS_MAX, 1);
	content->kept = xcalloc(DAMAGE_PIECES, 1);
	fd = bytes_check_file(content->bytes.at, content->bytes.count, path);
	input = input_open(path, INPUT_OF_ANYONE, &why);
	source = input ? trace_input_read(input, &why) : NULL;
	while (source && content->count < EVENTS_MAX &&
	       event_source_next(source, &content->events[content->count], &why) > 0)
		content->count++;
	event_source_free(source);
	close(fd);
	if (!seed->wrap)
		content->piece_count = (seed->kind == SEED_TEXT ? damage_lines : damage_records)(
			content->pieces, &content->bytes);
}

static void content_release(struct content *content)
{
	free(content->bytes.at);
	free(content->events);
	free(content->paired);
	free(content->kept);
}

/* --- Equal events -------------------------------------------------------------------------- */

typedef bool same_fn(const struct content *a, size_t i, const struct content *b, size_t j);

static bool is_call(const struct event *event)
{
	return event->kind >= EVENT_CALL && event->kind <= EVENT_SOCKET;
}

enum field { TIME = 1, NUMBER = 2, NAME = 4, CPU = 8, OBJECT = 16, ELSE = 32 };

static unsigned differences(const struct event *a, const struct event *b)
{
	unsigned fields = 0;

	fields |= a->time_ns != b->time_ns ? TIME : 0;
	fields |= a->cpu != b->cpu ? CPU : 0;
	fields |= a->tid != b->tid || a->other != b->other || a->pid != b->pid ||
				  a->other_pid != b->other_pid
			  ? NUMBER
			  : 0;
	fields |= strcmp(a->comm, b->comm) != 0 || strcmp(a->other_comm, b->other_comm) != 0 ? NAME
											     : 0;
	fields |= a->kind != b->kind || a->state != b->state || a->interrupt != b->interrupt ? ELSE
											     : 0;
	fields |=
		is_call(a) && (a->call != b->call || a->count != b->count || a->object != b->object)
			? OBJECT
			: 0;
	return fields;
}

static bool same_event(const struct content *a, size_t i, const struct content *b, size_t j)
{
	return !differences(&a->events[i], &b->events[j]);
}

static bool same_piece(const struct content *a, size_t i, const struct content *b, size_t j)
{
	struct range one = a->pieces[i], other = b->pieces[j];
	size_t length = one.end - one.begin;

	return other.end - other.begin == length &&
	       memcmp(a->bytes.at + one.begin, b->bytes.at + other.begin, length) == 0;
}

/* Marks the members of the longest common sequence of both. */
static void mark_common(const struct content *a, bool *in_a, size_t a_count,
			const struct content *b, bool *in_b, size_t b_count, same_fn *same)
{
	uint16_t *length = xcalloc((a_count + 1) * (b_count + 1), sizeof(*length));
	const size_t row = b_count + 1;

	for (size_t i = a_count; i-- > 0;)
		for (size_t j = b_count; j-- > 0;) {
			uint16_t down = length[(i + 1) * row + j], right = length[i * row + j + 1];

			length[i * row + j] =
				same(a, i, b, j) ? (uint16_t)(length[(i + 1) * row + j + 1] + 1)
				: down > right	 ? down
						 : right;
		}
	for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
		if (same(a, i, b, j)) {
			in_a[i++] = in_b[j++] = true;
		} else if (length[(i + 1) * row + j] >= length[i * row + j + 1]) {
			i++;
		} else {
			j++;
		}
	}
	free(length);
}

/* --- Differences --------------------------------------------------------------------------- */

static unsigned bits_in(unsigned bits)
{
	return (unsigned)__builtin_popcount(bits);
}

/* True if the seed has such an event. If that one is paired already, this is a copy. */
static bool is_in(const struct content *whole, const struct event *event)
{
	for (size_t i = 0; i < whole->count; i++)
		if (!differences(&whole->events[i], event))
			return true;
	return false;
}

/* The largest number of differences between an event and its changed version. */
enum { DIFFERENCES_MAX = 2, DIFFERENCES_OF_CALL = 3 };

/* The changed version of `event` in the mutant, with so many differences; NULL: none. */
static const struct event *find_changed(const struct content *whole, struct content *mutant,
					const struct event *event, unsigned count)
{
	if (!is_call(event) && count > DIFFERENCES_MAX)
		return NULL;
	for (size_t j = 0; j < mutant->count; j++) {
		const struct event *other = &mutant->events[j];
		bool is_like = other->kind == event->kind || (is_call(event) && is_call(other));

		if (mutant->paired[j] || !is_like || bits_in(differences(event, other)) != count ||
		    (count && is_in(whole, other)))
			continue;
		mutant->paired[j] = true;
		return other;
	}
	return NULL;
}

static uint32_t kinds_of_change(const struct event *was, const struct event *is)
{
	static const enum kind of_field[] = {OTHER_TIME, OTHER_NUMBER, OTHER_NAME,
					     OTHER_CPU,	 OTHER_OBJECT, COULD_BE_TOLD};
	unsigned fields = differences(was, is);
	uint32_t bits = 0;

	for (size_t i = 0; i < sizeof(of_field) / sizeof(of_field[0]); i++)
		if (fields >> i & 1)
			bits |= 1U << of_field[i];
	if (!fields)
		bits |= 1U << OTHER_TIME; /* it has moved, and has no time of its own */
	if (fields & CPU && was->kind != EVENT_WAKE && was->kind != EVENT_GAP && !is_call(was))
		bits |= 1U << COULD_BE_TOLD;
	if (fields & ELSE && is_call(was))
		bits = 1U << OTHER_CALL;
	return bits;
}

/* True if an event at this place comes from the piece. */
static bool is_at(const struct content *content, size_t piece, uint64_t place, bool is_text)
{
	const struct range *range = &content->pieces[piece];

	return is_text ? piece + 1 == place : place >= range->begin && place < range->end;
}

static bool has_event(const struct content *content, size_t piece, bool is_text)
{
	for (size_t i = 0; i < content->count; i++)
		if (is_at(content, piece, content->events[i].place, is_text))
			return true;
	return false;
}

/* The name in `TIME: NAME: FIELDS`, with its colon; its length is 0 if there is none. */
static struct range name_in(const struct content *content, size_t piece)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
	const char *bytes = content->bytes.at;
	struct range line = content->pieces[piece], name = {line.end, line.end};

	for (size_t at = line.begin + 1; at + 1 < line.end && name.begin == line.end; at++)
		if (bytes[at] == ':' && bytes[at + 1] == ' ' && bytes[at - 1] >= '0' &&
		    bytes[at - 1] <= '9')
			name.begin = at + 2;
	name.end = name.begin;
	while (name.end < line.end && strchr(letters, bytes[name.end]))
		name.end++;
	if (name.end == line.end || bytes[name.end] != ' ' || bytes[name.end - 1] != ':')
		name.end = name.begin;
	return name;
}

/* True if the line has another event name now. The text has many names, so readers skip it. */
static bool is_renamed(const struct content *whole, size_t i, const struct content *mutant,
		       size_t j)
{
	struct range was = name_in(whole, i), is = name_in(mutant, j);
	size_t length = was.end - was.begin;

	return length && is.end > is.begin &&
	       (is.end - is.begin != length ||
		memcmp(whole->bytes.at + was.begin, mutant->bytes.at + is.begin, length) != 0);
}

/*
 * True if the damaged line or record of an event is still there, without an event. If far fewer
 * pieces appeared than vanished, pieces were removed.
 */
static bool is_left(const struct content *whole, const struct content *mutant, uint64_t place,
		    bool is_text)
{
	size_t i = 0, j = 0, begin = 0, gone = 0, come = 0, good = 0;

	while (i < whole->piece_count && !is_at(whole, i, place, is_text)) {
		if (whole->kept[i++]) {
			begin = i;
			while (j < mutant->piece_count && !mutant->kept[j])
				j++;
			j++;
		}
	}
	if (i >= whole->piece_count || whole->kept[i])
		return false;
	while (begin + gone < whole->piece_count && !whole->kept[begin + gone])
		gone++;
	for (; j + come < mutant->piece_count && !mutant->kept[j + come]; come++)
		good += has_event(mutant, j + come, is_text);
	if (is_text && gone == 1 && come == 1 && is_renamed(whole, begin, mutant, j))
		return false;
	return come > good && 4 * come >= gone;
}

static enum kind kind_of_loss(const struct event *event)
{
	switch (event->kind) {
	case EVENT_WAKE:
		return WAKE_LESS;
	case EVENT_FORK:
	case EVENT_TASK:
		return BIRTH_LESS;
	case EVENT_EXIT:
	case EVENT_LAST:
	case EVENT_END:
		return END_CHANGES;
	default:
		return is_call(event) ? OTHER_CALL : COULD_BE_TOLD;
	}
}

/* A recording may lack events at its begin or end: true if at most two more remain there. */
static bool is_beside(const struct content *whole, size_t begin, size_t end)
{
	enum { BESIDE = 2 };
	bool is_all = begin <= BESIDE || whole->count - end <= BESIDE;

	for (size_t i = begin; i < end; i++)
		is_all &= !whole->paired[i];
	return is_all;
}

/* The events from `begin` up to `end` have no partner in the mutant. */
static uint32_t kinds_of_loss(const struct content *whole, const struct content *mutant,
			      size_t begin, size_t end, bool is_text)
{
	bool beside = is_beside(whole, begin, end);
	uint32_t bits = 0;

	for (size_t i = begin; i < end; i++)
		bits |= 1U << (beside ? BEGIN_LESS
			       : is_left(whole, mutant, whole->events[i].place, is_text)
				       ? COULD_BE_TOLD
				       : kind_of_loss(&whole->events[i]));
	return beside && end - begin > 8 ? 1U << BEGIN_LESS : bits;
}

/* Pairs the events with the fewest differences first. */
static uint32_t pair_changed(struct content *whole, struct content *mutant)
{
	uint32_t bits = 0;

	for (unsigned count = 0; count <= DIFFERENCES_OF_CALL; count++)
		for (size_t i = 0; i < whole->count; i++) {
			const struct event *changed =
				whole->paired[i]
					? NULL
					: find_changed(whole, mutant, &whole->events[i], count);

			if (changed)
				bits |= kinds_of_change(&whole->events[i], changed);
			whole->paired[i] |= changed != NULL;
		}
	return bits;
}

/* The kind of an event that only the mutant has. */
static enum kind kind_of_gain(const struct content *whole, const struct event *event)
{
	if (is_call(event))
		return OTHER_CALL;
	if (event->kind == EVENT_END)
		return END_CHANGES;
	if (event->kind != EVENT_WAKE && event->kind != EVENT_LAST && event->kind != EVENT_TASK)
		return COULD_BE_TOLD;
	return is_in(whole, event) ? TOLD_AGAIN : COULD_BE_TOLD;
}

static uint32_t compare(struct content *whole, struct content *mutant, bool is_text)
{
	uint32_t bits = pair_changed(whole, mutant);

	for (size_t i = 0, end; i < whole->count; i = end + 1) {
		for (end = i; end < whole->count && !whole->paired[end];)
			end++;
		bits |= kinds_of_loss(whole, mutant, i, end, is_text);
	}
	for (size_t j = 0; j < mutant->count; j++)
		if (!mutant->paired[j])
			bits |= 1U << kind_of_gain(whole, &mutant->events[j]);
	return bits;
}

static void read_both(struct content *whole, struct content *mutant, const struct seed *seed,
		      uint64_t number)
{
	content_read(whole, seed, 0);
	content_read(mutant, seed, number);
	mark_common(whole, whole->paired, whole->count, mutant, mutant->paired, mutant->count,
		    same_event);
	mark_common(whole, whole->kept, whole->piece_count, mutant, mutant->kept,
		    mutant->piece_count, same_piece);
}

static void print_unpaired(const struct content *content, char sign)
{
	for (size_t i = 0; i < content->count; i++) {
		const struct event *event = &content->events[i];

		if (!content->paired[i])
			printf("%c event %zu of %zu at %" PRIu64 ": time %" PRIu64
			       " kind %d state %d cpu %d tid %d/%d '%s' other %d/%d '%s' call %d "
			       "count %d object %" PRIx64 "\n",
			       sign, i, content->count, event->place, event->time_ns, event->kind,
			       event->state, event->cpu, event->pid, event->tid, event->comm,
			       event->other_pid, event->other, event->other_comm, event->call,
			       event->count, event->object);
	}
	for (size_t i = 0; i < content->piece_count; i++)
		if (!content->kept[i])
			printf("%c piece %zu of %zu: bytes %zu to %zu\n", sign, i,
			       content->piece_count, content->pieces[i].begin,
			       content->pieces[i].end);
}

void untold_print(const struct seed *seed, uint64_t number)
{
	struct content whole, mutant;

	read_both(&whole, &mutant, seed, number);
	print_unpaired(&whole, '-');
	print_unpaired(&mutant, '+');
	content_release(&whole);
	content_release(&mutant);
}

uint32_t untold_kinds(const struct seed *seed, uint64_t number)
{
	struct content whole, mutant;
	uint32_t bits;

	read_both(&whole, &mutant, seed, number);
	bits = compare(&whole, &mutant, seed->kind == SEED_TEXT);
	content_release(&whole);
	content_release(&mutant);
	return bits & 1U << COULD_BE_TOLD ? 0 : bits;
}
