/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"

#include <stdlib.h>

/* WAITS_LEAST: with fewer waits at one word it is not seen whether they take turns. */
enum { WAITS_LEAST = 2, ODD_PART = 8 };

void futex_words_add(struct futex_words *words, uint32_t site, uint32_t other)
{
	array_reserve(&words->items, &words->capacity, (size_t)site + 1);
	words->items[site] = (struct futex_word){.is_mutex = true};
	if (other == PROGRAM_NONE)
		return;
	words->items[site].twin = other + 1;
	words->items[other].twin = site + 1;
}

static void take_wait(struct futex_word *word, int32_t count)
{
	bool is_plain = count >= 0;

	word->waits++;
	word->odd += word->woken;
	word->again |= word->was_woken;
	word->is_plain |= is_plain;
	word->is_mutex &= (is_plain ? count : ~count) == MUTEX_WAITS_FOR;
}

/* Notes a wakeup. A mutex goes to one thread at a time. */
static void take_wake(struct futex_words *words, struct futex_word *word, int32_t count)
{
	word->woken = word->was_woken = true;
	word->is_mutex &= count <= 1;
	if (word->twin)
		words->items[word->twin - 1].woken = false;
}

void futex_words_call(struct futex_words *words, uint32_t site, enum sync_call call, int32_t count)
{
	struct futex_word *word = &words->items[site];

	if (call == SYNC_FUTEX_WAIT) {
		take_wait(word, count);
	} else if (call == SYNC_FUTEX_WAKE) {
		take_wake(words, word, count);
	} else {
		word->is_plain = true;
		word->is_mutex &= call != SYNC_FUTEX_LOCK;
	}
}

static bool is_mutex(const struct futex_word *word)
{
	return word->waits && word->is_mutex && (word->is_plain || word->again);
}

static bool may_be_condition(const struct futex_word *word)
{
	return word->waits && !word->is_plain && !is_mutex(word);
}

/* Returns whether both words have enough waits. */
static bool are_telling(const struct futex_word *word, const struct futex_word *twin)
{
	return word->waits >= WAITS_LEAST && twin->waits >= WAITS_LEAST;
}

static bool take_turns(const struct futex_word *word, const struct futex_word *twin)
{
	return (uint64_t)(word->odd + twin->odd) * ODD_PART <= word->waits + twin->waits;
}

bool futex_words_are_one(const struct futex_words *words, uint32_t site, uint32_t other)
{
	const struct futex_word *word, *twin;

	if (site == other || site >= words->capacity || other >= words->capacity)
		return site == other;
	word = &words->items[site];
	twin = &words->items[other];
	return word->twin == other + 1 && may_be_condition(word) && may_be_condition(twin) &&
	       (!are_telling(word, twin) || take_turns(word, twin));
}

static void judge_word(struct site *site, const struct futex_words *words, uint32_t number)
{
	const struct futex_word *word = &words->items[number];
	const struct futex_word *twin = word->twin ? &words->items[word->twin - 1] : NULL;

	site->waits_as_mutex = is_mutex(word);
	site->hides_calls = site->waits_as_mutex && !word->is_plain;
	site->waits_as_condition = may_be_condition(word);
	if (!twin || !are_telling(word, twin))
		return;
	site->waits_as_condition = futex_words_are_one(words, number, word->twin - 1);
	site->twin = site->waits_as_condition ? word->twin : 0;
}

void futex_words_finish(struct futex_words *words, struct program *program)
{
	for (uint32_t i = 0; i < program->site_count && i < words->capacity; i++)
		judge_word(&program->sites[i], words, i);
	free(words->items);
	*words = (struct futex_words){.items = NULL};
}
