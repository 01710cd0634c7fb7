/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/pid_set.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { WORD_BITS = 64 };

static size_t word_of(pid_t pid)
{
	return (size_t)pid / WORD_BITS;
}

static uint64_t bit_of(pid_t pid)
{
	return UINT64_C(1) << ((unsigned)pid % WORD_BITS);
}

bool pid_set_has(const struct pid_set *set, pid_t pid)
{
	return pid > 0 && word_of(pid) < set->capacity && (set->words[word_of(pid)] & bit_of(pid));
}

bool pid_set_add(struct pid_set *set, pid_t pid)
{
	if (pid <= 0 || pid_set_has(set, pid))
		return false;
	array_reserve(&set->words, &set->capacity, word_of(pid) + 1);
	set->words[word_of(pid)] |= bit_of(pid);
	return true;
}

void pid_set_remove(struct pid_set *set, pid_t pid)
{
	if (pid_set_has(set, pid))
		set->words[word_of(pid)] &= ~bit_of(pid);
}

pid_t pid_set_next(const struct pid_set *set, pid_t after)
{
	size_t first = (size_t)after + 1;

	for (size_t i = first / WORD_BITS; i < set->capacity; i++) {
		uint64_t word = set->words[i];

		if (i == first / WORD_BITS)
			word &= ~UINT64_C(0) << (first % WORD_BITS);
		if (word)
			return (pid_t)(i * WORD_BITS + (size_t)__builtin_ctzll(word));
	}
	return 0;
}

void pid_set_release(struct pid_set *set)
{
	free(set->words);
	*set = (struct pid_set){0};
}
