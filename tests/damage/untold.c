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

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Kinds --------------------------------------------------------------------------------- */

enum kind {
	WAKE_LESS,
	BIRTH_LESS,
	END_LESS,
	OTHER_CALL,
	OTHER_NUMBER,
	OTHER_NAME,
	OTHER_TIME,
	OTHER_CPU,
	OTHER_OBJECT,
	BEGIN_LESS,
	KINDS,
	COULD_BE_TOLD = KINDS,
};

static const struct untold kinds[] = {
	[WAKE_LESS] = {"a wakeup less", "the thread may have been woken when it was seen to run"},
	[BIRTH_LESS] = {"a birth less", "threads are born before a recording, too"},
	[END_LESS] = {"an end less", "its last switch tells the same, or it lives on"},
	[OTHER_CALL] = {"a call more or less", "a thread may call anything, or not"},
	[OTHER_NUMBER] = {"another thread", "any number can be that of a thread"},
	[OTHER_NAME] = {"another name", "a thread may have any name"},
	[OTHER_TIME] = {"another time", "between its neighbours an event may happen at any time"},
	[OTHER_CPU] = {"another CPU", "a wakeup or a call may happen on any"},
	[OTHER_OBJECT] = {"another object", "a call may be about any"},
	[BEGIN_LESS] = {"a beginning or an end less",
			"a recording may begin later, or end earlier"},
	[KINDS] = {NULL, NULL},
};

const struct untold *untold_get(size_t number)
{
	return kinds[number].name ? &kinds[number] : NULL;
}

/* --- What is read -------------------------------------------------------------------------- */

enum { EVENTS_MAX = 4096 };

struct content {
	struct bytes bytes;
	struct range pieces[DAMAGE_PIECES]; /* lines or records */
	size_t piece_count;
	struct event *events;
	size_t count;
	bool *paired; /* the event stands in the other one, too */
	bool *kept;   /* ... and so does the piece */
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

/* --- What is the same ---------------------------------------------------------------------- */

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

/* The longest common sequence of both: its members are marked. */
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

/* --- What is not --------------------------------------------------------------------------- */

static unsigned bits_in(unsigned bits)
{
	return (unsigned)__builtin_popcount(bits);
}

/* The event of the mutant that `event` has become; NULL: none has. */
static struct event *find_changed(struct content *mutant, const struct event *event)
{
	size_t best = SIZE_MAX;

	for (size_t j = 0; j < mutant->count; j++)
		if (!mutant->paired[j] &&
		    (mutant->events[j].kind == event->kind ||
		     (is_call(event) && is_call(&mutant->events[j]))) &&
		    (best == SIZE_MAX ||
		     bits_in(differences(event, &mutant->events[j])) <
			     bits_in(differences(event, &mutant->events[best]))))
			best = j;
	if (best == SIZE_MAX ||
	    bits_in(differences(event, &mutant->events[best])) > (is_call(event) ? 3 : 2))
		return NULL;
	mutant->paired[best] = true;
	return &mutant->events[best];
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
		bits |= 1U << OTHER_TIME; /* it stands elsewhere, and has none of its own */
	if (fields & CPU && was->kind != EVENT_WAKE && was->kind != EVENT_GAP && !is_call(was))
		bits |= 1U << COULD_BE_TOLD;
	if (fields & ELSE && is_call(was))
		bits = 1U << OTHER_CALL;
	return bits;
}

/*
 * Is the line or record of an event still there, if damaged? Where far fewer have come than gone
 * they are erased.
 */
static bool is_left(const struct content *whole, const struct content *mutant, uint64_t place,
		    bool is_text)
{
	size_t i = 0, j = 0, begin = 0, gone = 0, come = 0;

	while (i < whole->piece_count &&
	       (is_text ? i + 1 != place
			: place < whole->pieces[i].begin || place >= whole->pieces[i].end)) {
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
	while (j + come < mutant->piece_count && !mutant->kept[j + come])
		come++;
	return come && 4 * come >= gone;
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
		return END_LESS;
	default:
		return is_call(event) ? OTHER_CALL : COULD_BE_TOLD;
	}
}

/* What of it the recording may lack at its beginning or end: but for two events there. */
static bool is_beside(const struct content *whole, size_t begin, size_t end)
{
	enum { BESIDE = 2 };
	bool is_all = begin <= BESIDE || whole->count - end <= BESIDE;

	for (size_t i = begin; i < end; i++)
		is_all &= !whole->paired[i];
	return is_all;
}

/* Those from `begin` up to `end` have no like. */
static uint32_t kinds_of_loss(const struct content *whole, const struct content *mutant,
			      size_t begin, size_t end, bool is_text)
{
	bool beside = is_beside(whole, begin, end);
	uint32_t bits = 0;

	for (size_t i = begin; i < end; i++)
		bits |= 1U << (is_left(whole, mutant, whole->events[i].place, is_text)
				       ? COULD_BE_TOLD
			       : beside ? BEGIN_LESS
					: kind_of_loss(&whole->events[i]));
	return beside && end - begin > 8 ? 1U << BEGIN_LESS : bits;
}

static uint32_t compare(struct content *whole, struct content *mutant, bool is_text)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < whole->count; i++) {
		const struct event *changed =
			whole->paired[i] ? NULL : find_changed(mutant, &whole->events[i]);

		if (changed)
			bits |= kinds_of_change(&whole->events[i], changed);
		whole->paired[i] |= changed != NULL;
	}
	for (size_t i = 0, end; i < whole->count; i = end + 1) {
		for (end = i; end < whole->count && !whole->paired[end];)
			end++;
		bits |= kinds_of_loss(whole, mutant, i, end, is_text);
	}
	for (size_t j = 0; j < mutant->count; j++)
		if (!mutant->paired[j])
			bits |= 1U << (is_call(&mutant->events[j]) ? OTHER_CALL : COULD_BE_TOLD);
	return bits;
}

uint32_t untold_kinds(const struct seed *seed, uint64_t number)
{
	struct content whole, mutant;
	uint32_t bits;

	content_read(&whole, seed, 0);
	content_read(&mutant, seed, number);
	mark_common(&whole, whole.paired, whole.count, &mutant, mutant.paired, mutant.count,
		    same_event);
	mark_common(&whole, whole.kept, whole.piece_count, &mutant, mutant.kept, mutant.piece_count,
		    same_piece);
	bits = compare(&whole, &mutant, seed->kind == SEED_TEXT);
	content_release(&whole);
	content_release(&mutant);
	return bits & 1U << COULD_BE_TOLD ? 0 : bits;
}
