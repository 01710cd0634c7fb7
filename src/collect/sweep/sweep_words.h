/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a command in which {n} stands for the N of a run. Lists end in NULL. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_WORDS_H
#define PSCAL_COLLECT_SWEEP_SWEEP_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWEEP_WORDS_N "{n}"

/* Does {n} stand in any of them? `words` may be NULL. */
bool sweep_words_vary(const char *const *words);

/*
 * The words of `before` and then those of `words`, each {n} replaced by the number, wherever in a
 * word it stands. Both lists may be NULL. The caller frees with sweep_words_free().
 */
char **sweep_words_at(const char *const *before, const char *const *words, uint64_t n);
void sweep_words_free(char **words);

#endif
