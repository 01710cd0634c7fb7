/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/overview/overview_private.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int strip_kind(enum thread_state state)
{
	static const signed char kinds[STATE_COUNT] = {
		[STATE_NONE] = -1,
		[STATE_UNKNOWN] = STRIP_UNKNOWN,
		[STATE_ACTIVE] = STRIP_UNKNOWN,
		[STATE_RUNNING] = STRIP_RUNNING,
		[STATE_RUNNABLE] = STRIP_RUNNABLE,
		[STATE_INACTIVE] = STRIP_BLOCKED,
		[STATE_SLEEPING] = STRIP_BLOCKED,
		[STATE_DISK] = STRIP_DISK,
		[STATE_STOPPED] = STRIP_STOPPED,
	};

	return kinds[state];
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* Returns the kind that fills the bins of the span; -1: several do, or they are not full. */
static int span_filling(const struct strip_span *span, uint64_t bin_ns)
{
	for (int kind = 0; kind < STRIP_KINDS; kind++)
		if (span->ns[kind] >= (float)bin_ns)
			return kind;
	return -1;
}

static void strip_push(struct strip *strip, const struct strip_span *span, uint64_t bin_ns)
{
	struct strip_span *last = strip->count ? &strip->spans[strip->count - 1] : NULL;
	int kind = span_filling(span, bin_ns);

	if (last && kind >= 0 && last->first + last->count == span->first &&
	    span_filling(last, bin_ns) == kind) {
		last->count += span->count;
		return;
	}
	array_reserve(&strip->spans, &strip->capacity, strip->count + 1);
	strip->spans[strip->count++] = *span;
}

static void strip_close(struct strip *strip, uint64_t bin_ns)
{
	if (strip->open.count)
		strip_push(strip, &strip->open, bin_ns);
	strip->open = (struct strip_span){.count = 0};
}

/* Opens a bin, unless it is open already. */
static struct strip_span *strip_open(struct strip *strip, uint64_t bin_ns, uint64_t bin)
{
	if (strip->open.count && strip->open.first == bin)
		return &strip->open;
	strip_close(strip, bin_ns);
	strip->open = (struct strip_span){.first = (uint32_t)bin, .count = 1};
	return &strip->open;
}

void strip_add(struct strip *strip, uint64_t bin_ns, int kind, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first = from_ns / bin_ns, last = to_ns / bin_ns;

	if (kind < 0 || to_ns <= from_ns)
		return;
	if (first == last) {
		strip_open(strip, bin_ns, first)->ns[kind] += (float)(to_ns - from_ns);
		return;
	}
	if (from_ns % bin_ns) {
		strip_open(strip, bin_ns, first)->ns[kind] +=
			(float)((first + 1) * bin_ns - from_ns);
		first++;
	}
	if (first < last) {
		struct strip_span whole = {.first = (uint32_t)first,
					   .count = (uint32_t)(last - first)};

		whole.ns[kind] = (float)bin_ns;
		strip_close(strip, bin_ns);
		strip_push(strip, &whole, bin_ns);
	}
	if (to_ns > last * bin_ns)
		strip_open(strip, bin_ns, last)->ns[kind] += (float)(to_ns - last * bin_ns);
}

static void strip_join_span(struct strip *to, const struct strip_span *span, uint64_t bin_ns,
			    uint32_t factor)
{
	int kind = span_filling(span, bin_ns);
	struct strip_span *open;

	if (kind >= 0) {
		strip_add(to, bin_ns * factor, kind, span->first * bin_ns,
			  ((uint64_t)span->first + span->count) * bin_ns);
		return;
	}
	open = strip_open(to, bin_ns * factor, span->first / factor);
	for (int i = 0; i < STRIP_KINDS; i++)
		open->ns[i] += span->ns[i];
}

void strip_join(struct strip *to, const struct strip *from, uint64_t bin_ns, uint32_t factor)
{
	for (size_t i = 0; i < from->count; i++)
		strip_join_span(to, &from->spans[i], bin_ns, factor);
	if (from->open.count)
		strip_join_span(to, &from->open, bin_ns, factor);
}

void strip_release(struct strip *strip)
{
	free(strip->spans);
	*strip = (struct strip){.count = 0};
}

/* --- Text ------------------------------------------------------------------------------------ */

/* Runs of letters under construction. */
struct runs {
	char *text;
	size_t size, capacity;
	char letter;
	uint64_t length;
};

static void runs_put(struct runs *runs)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	enum { BASE = sizeof(digits) - 1, NUMBER_SIZE = 16 };
	char number[NUMBER_SIZE];
	size_t count = 0;

	if (!runs->length)
		return;
	for (uint64_t rest = runs->length; rest; rest /= BASE)
		number[count++] = digits[rest % BASE];
	array_reserve(&runs->text, &runs->capacity, runs->size + count + 3);
	runs->text[runs->size++] = runs->letter;
	while (count)
		runs->text[runs->size++] = number[--count];
	runs->text[runs->size++] = '.';
	runs->length = 0;
}

static void runs_add(struct runs *runs, char letter, uint64_t length)
{
	if (!length)
		return;
	if (letter != runs->letter)
		runs_put(runs);
	runs->letter = letter;
	runs->length += length;
}

/*
 * Returns the letter of a span. A thread of a server runs for a small part of each bin: its most
 * frequent state alone would hide that.
 */
static char span_letter(const struct strip_span *span)
{
	double all_ns = 0;
	bool ran;

	for (int i = 0; i < STRIP_KINDS; i++)
		all_ns += (double)span->ns[i];
	ran = (double)span->ns[STRIP_RUNNING] > all_ns / 100;
	for (int i = 0; i < STRIP_KINDS; i++)
		if ((double)span->ns[i] > all_ns / 2)
			return ran && i == STRIP_BLOCKED ? 'b' : OVERVIEW_LETTERS[i];
	return 'm';
}

static uint64_t runs_add_span(struct runs *runs, const struct strip_span *span, uint64_t at)
{
	runs_add(runs, '-', span->first - at);
	runs_add(runs, span_letter(span), span->count);
	return (uint64_t)span->first + span->count;
}

char *strip_text(const struct strip *strip, size_t bins)
{
	struct runs runs = {.letter = '-'};
	uint64_t at = 0;

	for (size_t i = 0; i < strip->count; i++)
		at = runs_add_span(&runs, &strip->spans[i], at);
	if (strip->open.count)
		at = runs_add_span(&runs, &strip->open, at);
	runs_add(&runs, '-', bins > at ? bins - at : 0);
	runs_put(&runs);
	array_reserve(&runs.text, &runs.capacity, runs.size + 1);
	return runs.text;
}
