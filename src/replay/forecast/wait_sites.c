/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sites at which threads may wait, see why.h. */
#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/parse.h"
#include "replay/forecast/why.h"
#include "replay/program/program.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 };

uint64_t *wait_sites_visits(const struct program *program)
{
	uint64_t *visits = xcalloc(program->site_count + 1, sizeof(*visits));

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->count; j++) {
			uint32_t site = step_site(&thread->steps[j]);

			if (site < program->site_count && step_op_waits(step_op(&thread->steps[j])))
				visits[site]++;
		}
	}
	return visits;
}

static const char *name_of(const struct program *program, size_t site)
{
	return program->sites[site].name ? program->sites[site].name : "";
}

/* --- Sites whose name comes near ------------------------------------------------------------ */

struct near {
	size_t sites[SHOWN], distances[SHOWN];
	size_t count;
};

/* Returns the distance of a name; 0 if the name contains the text. */
static size_t near_distance(const char *name, const char *text)
{
	return *text && strstr(name, text) ? 0
					   : edit_distance(text, strlen(text), name, strlen(name));
}

/* Adds a site, in order, if it is among the nearest. */
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
			near_add(near, i, near_distance(name_of(program, i), text));
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
	err_set(err, "there is no wait site '%s' (near: %s); --what-if list lists them", text,
		list);
	free(list);
	return -1;
}

void wait_sites_try(struct nearest *nearest, const struct program *program)
{
	uint64_t *visits = wait_sites_visits(program);

	for (size_t i = 0; i < program->site_count; i++) {
		const char *name = name_of(program, i);
		char *object = xasprintf("%.*s", (int)strcspn(name, " "), name);

		if (visits[i])
			nearest_try(nearest, object);
		free(object);
	}
	free(visits);
}

/* --- The site by its name ------------------------------------------------------------------- */

enum near_match { MATCH_WHOLE, MATCH_BEGIN, MATCH_PART, MATCH_KINDS };

/* Returns whether the name matches. A match at the begin is preferred to one further on. */
static bool near_matches(const char *name, const char *text, enum near_match match)
{
	size_t length = strlen(text);

	if (match == MATCH_WHOLE)
		return strcmp(name, text) == 0;
	if (match == MATCH_BEGIN)
		return strncmp(name, text, length) == 0 && name[length] == ' ';
	return strstr(name, text);
}

/* Lists matching sites. No thread waits at a site that is a part of another one. */
static size_t find_named(size_t sites[SHOWN], const struct program *program, const char *text,
			 enum near_match match)
{
	size_t count = 0;

	for (size_t i = 0; i < program->site_count; i++) {
		if (program->sites[i].chain || !near_matches(name_of(program, i), text, match))
			continue;
		if (count < SHOWN)
			sites[count] = i;
		count++;
	}
	return count;
}

static int refuse_several(const struct program *program, const char *text, const size_t *sites,
			  size_t count, struct err *err)
{
	char *list = list_text(program, sites, count < SHOWN ? count : SHOWN);

	err_set(err, "%zu wait sites are named '%s': give the number of one: %s", count, text,
		list);
	free(list);
	return -1;
}

int wait_sites_find(uint32_t *site, const struct program *program, const char *text,
		    struct err *err)
{
	size_t sites[SHOWN], count = 0;
	bool numeric = text[strspn(text, "0123456789")] == '\0';
	enum near_match kinds = numeric ? MATCH_BEGIN : MATCH_KINDS;
	uint64_t number;

	for (enum near_match match = 0; *text && !count && match < kinds; match++)
		count = find_named(sites, program, text, match);
	if (count > 1)
		return refuse_several(program, text, sites, count, err);
	if (!count && program->site_count && !parse_u64(&number, text, program->site_count - 1))
		sites[0] = number;
	else if (!count)
		return refuse_unknown(program, text, err);
	*site = (uint32_t)sites[0];
	return 0;
}

bool wait_sites_have(const struct program *program, const char *name)
{
	size_t sites[SHOWN];

	return find_named(sites, program, name, MATCH_WHOLE);
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
