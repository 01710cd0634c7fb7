/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_plan.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- N ---------------------------------------------------------------------------------------- */

struct range {
	uint64_t from, to;
	uint64_t step, factor; /* the next N is factor * N + step */
};

/* Parses "4", "1-8", "1-16:3" or "1-64x2", and changes the text. Returns 0 or -1. */
static int parse_range(struct range *range, char *text)
{
	char *rest = text + strcspn(text, ":x");
	char by = *rest;
	char *dash;

	*range = (struct range){.step = 1, .factor = 1};
	if (by)
		*rest++ = '\0';
	dash = strchr(text, '-');
	if (dash)
		*dash = '\0';
	if (parse_u64(&range->from, text, SWEEP_N_MAX) || range->from == 0)
		return -1;
	range->to = range->from;
	if (dash && (parse_u64(&range->to, dash + 1, SWEEP_N_MAX) || range->to < range->from))
		return -1;
	if (!by)
		return 0;
	if (!dash)
		return -1;
	if (by == ':')
		return parse_u64(&range->step, rest, SWEEP_N_MAX) || range->step == 0 ? -1 : 0;
	range->step = 0;
	return parse_u64(&range->factor, rest, SWEEP_N_MAX) || range->factor < 2 ? -1 : 0;
}

static int add_range(struct sweep_levels *levels, size_t *capacity, const struct range *range)
{
	for (uint64_t n = range->from; n <= range->to; n = n * range->factor + range->step) {
		if (levels->count == SWEEP_LEVELS_MAX)
			return -1;
		array_reserve(&levels->n, capacity, levels->count + 1);
		levels->n[levels->count++] = n;
	}
	return 0;
}

static int compare_levels(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void keep_each_once(struct sweep_levels *levels)
{
	size_t kept = 0;

	qsort(levels->n, levels->count, sizeof(*levels->n), compare_levels);
	for (size_t i = 0; i < levels->count; i++)
		if (!kept || levels->n[i] != levels->n[kept - 1])
			levels->n[kept++] = levels->n[i];
	levels->count = kept;
}

int sweep_levels_parse(struct sweep_levels *levels, const char *text, struct err *err)
{
	char *copy = xstrdup(text);
	char *rest = copy;
	size_t capacity = 0;
	struct range range;
	int rc = 0;

	*levels = (struct sweep_levels){0};
	for (char *part; !rc && (part = strsep(&rest, ","));) {
		if (parse_range(&range, part))
			rc = err_set(err,
				     "'%s' is not a list of N like 1,2,4-8, 1-16:3 (every third) "
				     "or 1-64x2 (doubled), of numbers from 1 to %d",
				     text, SWEEP_N_MAX);
		else if (add_range(levels, &capacity, &range))
			rc = err_set(err, "'%s' has more than %d numbers", text, SWEEP_LEVELS_MAX);
	}
	free(copy);
	if (!rc)
		keep_each_once(levels);
	return rc;
}

void sweep_levels_release(struct sweep_levels *levels)
{
	free(levels->n);
	*levels = (struct sweep_levels){0};
}

/* --- Order ------------------------------------------------------------------------------------ */

void sweep_plan_init(struct sweep_plan *plan, const struct sweep_levels *levels, size_t rounds,
		     unsigned long seed)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct sweep_turn *turn;

	gsl_rng_set(random, seed);
	plan->count = levels->count * rounds;
	plan->turns = turn = xcalloc(plan->count, sizeof(*plan->turns));
	for (size_t round = 1; round <= rounds; round++, turn += levels->count) {
		for (size_t i = 0; i < levels->count; i++)
			turn[i] = (struct sweep_turn){levels->n[i], round};
		gsl_ran_shuffle(random, turn, levels->count, sizeof(*turn));
	}
	gsl_rng_free(random);
}

void sweep_plan_release(struct sweep_plan *plan)
{
	free(plan->turns);
	*plan = (struct sweep_plan){0};
}

/* --- Words ------------------------------------------------------------------------------------ */

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

static char *replace_n(const char *word, uint64_t n)
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
		all[i] = replace_n(before[i], n);
	for (size_t i = 0; i < second; i++)
		all[first + i] = replace_n(words[i], n);
	return all;
}

void sweep_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* --- Time ------------------------------------------------------------------------------------- */

void sweep_eta_init(struct sweep_eta *eta, const struct sweep_levels *levels)
{
	*eta = (struct sweep_eta){levels, xcalloc(levels->count, sizeof(*eta->at))};
}

void sweep_eta_release(struct sweep_eta *eta)
{
	free(eta->at);
}

static struct sweep_eta_level *level_of(const struct sweep_eta *eta, uint64_t n)
{
	size_t i = 0;

	while (i + 1 < eta->levels->count && eta->levels->n[i] != n)
		i++;
	return &eta->at[i];
}

void sweep_eta_expect(struct sweep_eta *eta, uint64_t n)
{
	level_of(eta, n)->left++;
}

void sweep_eta_took(struct sweep_eta *eta, uint64_t n, uint64_t wall_ns)
{
	struct sweep_eta_level *level = level_of(eta, n);

	level->left--;
	level->done++;
	level->took_ns += wall_ns;
}

static uint64_t mean_ns(const struct sweep_eta_level *level, uint64_t otherwise_ns)
{
	return level->done ? level->took_ns / level->done : otherwise_ns;
}

uint64_t sweep_eta_total(const struct sweep_eta *eta, uint64_t *done_ns, uint64_t n,
			 uint64_t elapsed_ns)
{
	uint64_t took_ns = 0, means_ns = 0, total_ns, expected_ns;
	size_t known = 0;

	for (size_t i = 0; i < eta->levels->count; i++) {
		took_ns += eta->at[i].took_ns;
		known += eta->at[i].done > 0;
		means_ns += mean_ns(&eta->at[i], 0);
	}
	if (!known)
		return 0;
	means_ns /= known;
	total_ns = took_ns;
	for (size_t i = 0; i < eta->levels->count; i++)
		total_ns += eta->at[i].left * mean_ns(&eta->at[i], means_ns);
	/* A run that takes longer than expected is assumed to be nearly complete. */
	expected_ns = mean_ns(level_of(eta, n), means_ns);
	*done_ns = took_ns + (elapsed_ns < expected_ns ? elapsed_ns : expected_ns);
	return total_ns;
}
