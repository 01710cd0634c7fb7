/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/what_if.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "replay/forecast/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t what_ifs_count(const struct forecast_change *changes, size_t count, struct err *err)
{
	size_t most = 1;

	for (size_t i = 0; i < count; i++)
		most = changes[i].share_count > most ? changes[i].share_count : most;
	for (size_t i = 0; i < count; i++)
		if (changes[i].share_count != 1 && changes[i].share_count != most) {
			err_set(err, "--what-if %s: has %zu values, and another one has %zu",
				changes[i].text, changes[i].share_count, most);
			return 0;
		}
	return most;
}

/* Returns whether a wait site, the object of one, or a function has nearly that name. */
static bool ask_back(struct err *err, const char *text, const struct program *program,
		     struct work *work)
{
	const struct work_function *functions;
	struct nearest nearest;
	uint64_t of_samples;
	char *question;
	size_t count;

	nearest_init(&nearest, text);
	wait_sites_try(&nearest, program);
	functions = work_functions(&count, &of_samples, work);
	for (size_t i = 0; i < count; i++)
		nearest_try(&nearest, functions[i].name);
	question = nearest_question(&nearest);
	if (question)
		err_set(err, "there is no wait site or function '%s'; %s", text, question);
	free(question);
	return question != NULL;
}

/* Finds a function or threads of exactly that name. Returns 0, or -1 with an error. */
static int find_work(struct forecast_changed *changed, struct work_part *part, struct work *work,
		     const char *text, struct err *err)
{
	char *threads = work_is_of_threads(text) ? NULL : xasprintf("thread:%s", text);
	struct err ignored;
	int rc = work_find(part, work, text, err);

	if (rc && threads)
		rc = work_find(part, work, threads, &ignored);
	free(threads);
	if (rc)
		return -1;
	changed->name = part->name;
	changed->samples = part->samples;
	changed->cpu_share = part->share;
	changed->hold_ns = part->hold_ns;
	changed->coarse = part->coarse;
	return 0;
}

/* Finds the changed part. Work of that name precedes a site whose name contains it. */
static int find_part(struct forecast_changed *changed, struct work_part *part,
		     const struct program *program, struct work *work, const char *text,
		     struct err *err)
{
	bool is_site = wait_sites_have(program, text);
	struct err of_work, of_waits;

	changed->site = PROGRAM_NONE;
	changed->cpu_share = NAN;
	if (!is_site && !find_work(changed, part, work, text, &of_work))
		return 0;
	if (!wait_sites_find(&changed->site, program, text, &of_waits)) {
		changed->name = program->sites[changed->site].name;
		changed->name = changed->name ? changed->name : text;
		return 0;
	}
	if (is_site || !text[strspn(text, "0123456789")]) {
		*err = of_waits;
		return -1;
	}
	if (work_is_of_threads(text)) {
		*err = of_work;
		return -1;
	}
	if (ask_back(err, text, program, work))
		return -1;
	if (of_waits.hint) /* the hint of the work follows */
		of_waits.text[of_waits.hint - strlen("; ")] = '\0';
	return err_set(err, "%s, and %s", of_waits.text, of_work.text);
}

/* Checks the last of the changes. */
static int check_changed(const struct forecast_what_if *what_if, const char *asked, struct err *err)
{
	const struct forecast_changed *last = &what_if->changes[what_if->change_count - 1];

	if (last->site != PROGRAM_NONE && last->share > 1)
		return err_set(err,
			       "--what-if %s: a replay cannot make the waits at '%s' longer: give "
			       "a share up to 1 or 100%%",
			       asked, last->name);
	for (const struct forecast_changed *other = what_if->changes; other < last; other++)
		if (strcmp(other->name, last->name) == 0 && other->site == last->site)
			return err_set(err,
				       "--what-if %s: '%s' is named twice; several values go into "
				       "one list, as 0,50%%",
				       asked, last->name);
	return 0;
}

static int add_change(struct forecast_what_if *what_if, const struct forecast_change *asked,
		      size_t which, const struct program *program, struct work *work,
		      struct err *err)
{
	struct forecast_changed *changed = &what_if->changes[what_if->change_count++];
	struct work_change *of_work = &what_if->works[what_if->work_count];

	changed->share = asked->shares[asked->share_count > 1 ? which : 0];
	if (find_part(changed, &of_work->part, program, work, asked->site, err))
		return err_wrap(err, "--what-if %s", asked->text);
	of_work->share = changed->share;
	what_if->work_count += changed->site == PROGRAM_NONE;
	xappend(&what_if->text, what_if->change_count > 1 ? ", " : "", "%s=%g%%", changed->name,
		100 * changed->share);
	return check_changed(what_if, asked->text, err);
}

int what_if_find(struct forecast_what_if *what_if, size_t which,
		 const struct forecast_change *changes, size_t count, const struct program *program,
		 struct work *work, struct err *err)
{
	struct wait_cost *costs = xcalloc(count, sizeof(*costs));
	size_t cost_count = 0;
	int rc = 0;

	what_if->changes = xcalloc(count, sizeof(*what_if->changes));
	what_if->works = xcalloc(count + 1, sizeof(*what_if->works));
	what_if->text = xstrdup("");
	for (size_t i = 0; !rc && i < count; i++) {
		rc = add_change(what_if, &changes[i], which, program, work, err);
		if (!rc && what_if->changes[i].site != PROGRAM_NONE)
			costs[cost_count++] = (struct wait_cost){what_if->changes[i].site,
								 what_if->changes[i].share};
	}
	what_if->site_costs = wait_sites_costs(program, costs, cost_count);
	free(costs);
	return rc;
}

void what_if_release(struct forecast_what_if *what_if)
{
	free(what_if->text);
	free(what_if->changes);
	free(what_if->site_costs);
	for (size_t i = 0; what_if->works && i <= what_if->change_count; i++)
		work_part_release(&what_if->works[i].part);
	free(what_if->works);
	program_release(&what_if->program);
	forecast_points_release(&what_if->points);
}
