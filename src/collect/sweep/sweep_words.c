/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_words.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_words(const char *const *words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

bool sweep_words_vary(const char *const *words)
{
	for (; words && *words; words++)
		if (strstr(*words, SWEEP_WORDS_N))
			return true;
	return false;
}

static char *replace(const char *word, uint64_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *next;

	if (!out)
		return xstrdup(word);
	for (; (next = strstr(word, SWEEP_WORDS_N)); word = next + strlen(SWEEP_WORDS_N))
		fprintf(out, "%.*s%" PRIu64, (int)(next - word), word, n);
	fputs(word, out);
	fclose(out);
	return text;
}

char **sweep_words_at(const char *const *before, const char *const *words, uint64_t n)
{
	size_t first = count_words(before), second = count_words(words);
	char **all = xcalloc(first + second + 1, sizeof(*all));

	for (size_t i = 0; i < first; i++)
		all[i] = replace(before[i], n);
	for (size_t i = 0; i < second; i++)
		all[first + i] = replace(words[i], n);
	return all;
}

void sweep_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}
