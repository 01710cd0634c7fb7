/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/wait_sites.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3, NAME_MAX_LENGTH = 80 };

static bool may_wait(const struct step *step)
{
	enum step_op op = step_op(step);

	return step_op_is_pause(op) || op == STEP_BLOCK || op == STEP_JOIN || op == STEP_LOCK ||
	       op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER;
}

uint64_t *wait_sites_visits(const struct program *program)
{
	uint64_t *visits = xcalloc(program->site_count + 1, sizeof(*visits));

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			uint32_t site = step_site(&thread->steps[j]);

			if (site < program->site_count && may_wait(&thread->steps[j]))
				visits[site]++;
		}
	}
	return visits;
}

static const char *name_of(const struct program *program, size_t site)
{
	return program->sites[site].name ? program->sites[site].name : "";
}

/* --- What comes near ----------------------------------------------------------------------- */

struct near {
	size_t sites[SHOWN], distances[SHOWN];
	size_t count;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters are put in, left out or changed [Levenshtein 1966]; of the first ones. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LENGTH + 1];
	size_t a_length = strnlen(a, NAME_MAX_LENGTH), b_length = strnlen(b, NAME_MAX_LENGTH);

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t changed = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = least(changed, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[b_length];
}

/* A name that holds what was typed is nearer than any other. */
static size_t distance(const char *name, const char *text)
{
	return *text && strstr(name, text) ? 0 : edit_distance(name, text);
}

/* Among the nearest, in order, if it is one of them. */
static void near_add(struct near *near, size_t site, size_t how_far)
{
	size_t at = near->count;

	if (at == SHOWN && near->distances[SHOWN - 1] <= how_far)
		return;
	if (at == SHOWN)
		at--;
	else
		near->count++;
	for (; at && near->distances[at - 1] > how_far; at--) {
		near->sites[at] = near->sites[at - 1];
		near->distances[at] = near->distances[at - 1];
	}
	near->sites[at] = site;
	near->distances[at] = how_far;
}

static void find_near(struct near *near, const struct program *program, const char *text)
{
	uint64_t *visits = wait_sites_visits(program);

	*near = (struct near){0};
	for (size_t i = 0; i < program->site_count; i++)
		if (visits[i])
			near_add(near, i, distance(name_of(program, i), text));
	free(visits);
}

static char *list_text(const struct program *program, const size_t *sites, size_t count)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer = xasprintf("%s%s%zu (%s)", text, i ? ", " : "", sites[i],
					 name_of(program, sites[i]));

		free(text);
		text = longer;
	}
	return text;
}

static int refuse_unknown(const struct program *program, const char *text, struct err *err)
{
	struct near near;
	char *list;

	find_near(&near, program, text);
	if (!near.count)
		return err_set(err, "there is no wait site '%s': no thread waits anywhere", text);
	list = list_text(program, near.sites, near.count);
	err_set(err, "there is no wait site '%s'; near are %s; --why lists them", text, list);
	free(list);
	return -1;
}

/* --- Finding one --------------------------------------------------------------------------- */

static size_t find_named(size_t sites[SHOWN], const struct program *program, const char *text)
{
	size_t count = 0;

	for (size_t i = 0; i < program->site_count; i++) {
		if (program->sites[i].chain || strcmp(name_of(program, i), text) != 0)
			continue; /* nobody waits at those of the former, see wait_names.h */
		if (count < SHOWN)
			sites[count] = i;
		count++;
	}
	return count;
}

int wait_sites_find(uint32_t *site, const struct program *program, const char *text,
		    struct err *err)
{
	size_t sites[SHOWN];
	size_t count = *text ? find_named(sites, program, text) : 0;
	uint64_t number;

	if (count > 1) {
		char *list = list_text(program, sites, least(count, SHOWN));

		err_set(err, "%zu wait sites are named '%s': give the number, as of %s", count,
			text, list);
		free(list);
		return -1;
	}
	if (count == 1) {
		*site = (uint32_t)sites[0];
		return 0;
	}
	if (!program->site_count || parse_u64(&number, text, program->site_count - 1))
		return refuse_unknown(program, text, err);
	*site = (uint32_t)number;
	return 0;
}

int wait_sites_check(const struct program *program, const struct wait_cost *cost, struct err *err)
{
	if (!(cost->share >= 0 && cost->share <= 1))
		return err_set(err, "%g is no share from 0 to 1", cost->share);
	if (program->sites[cost->site].kind == SITE_BARRIER && cost->share > 0 && cost->share < 1)
		return err_set(err,
			       "a barrier holds all of its threads or none of them, so that only "
			       "0 and 1 make sense for '%s'",
			       name_of(program, cost->site));
	return 0;
}

double *wait_sites_costs(const struct program *program, const struct wait_cost *costs, size_t count)
{
	double *shares = xcalloc(program->site_count + 1, sizeof(*shares));

	for (size_t i = 0; i < program->site_count; i++)
		shares[i] = 1;
	for (size_t i = 0; i < count; i++)
		if (costs[i].site < program->site_count)
			shares[costs[i].site] = costs[i].share;
	return shares;
}
