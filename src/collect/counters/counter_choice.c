/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_choice.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/counters/counter_advice.h"
#include "collect/counters/counter_groups.h"
#include "collect/counters/counter_names.h"
#include "collect/counters/counter_probe.h"

#include <stdlib.h>
#include <string.h>

static const char usual[] = "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
			    "instructions,cache-misses";

static void leave_out(struct counter_choice *choice, const char *name)
{
	char *before = choice->left_out;

	choice->left_out = before ? xasprintf("%s, %s", before, name) : xstrdup(name);
	free(before);
}

static void add(struct counter_choice *choice, const struct counter_item *item,
		const struct perf_event_attr *attr, enum counter_access access, bool in_group)
{
	struct chosen_counter *chosen;
	bool has_modes = strchr(item->name, ':') != NULL;

	array_reserve(&choice->counters, &choice->capacity, choice->count + 1);
	chosen = &choice->counters[choice->count++];
	chosen->attr = *attr;
	chosen->in_group = in_group;
	if (access == COUNTER_USER)
		chosen->attr.exclude_kernel = chosen->attr.exclude_hv = 1;
	chosen->name = access == COUNTER_USER && !has_modes ? xasprintf("%s:u", item->name)
							    : xstrdup(item->name);
}

/* Sets *group to that of the last counter that was taken. */
static int choose(struct counter_choice *choice, const struct counter_item *item, unsigned *group,
		  bool optional, const char *tracefs, struct err *err)
{
	struct perf_event_attr attr = {0};
	int rc = counter_names_encode(&attr, item->name, tracefs, err);
	enum counter_access access;

	if (rc < 0)
		return -1;
	access = rc ? COUNTER_NO : counter_probe(&attr);
	if (access == COUNTER_YES || access == COUNTER_USER) {
		add(choice, item, &attr, access, item->group && item->group == *group);
		*group = item->group;
		return 0;
	}
	leave_out(choice, item->name);
	if (!rc)
		counter_advice_access(item->name, &attr, access, err);
	return optional ? 0 : -1;
}

/* The members of a group from number `first` on, up to `end`. */
static int check_group(const struct counter_choice *choice, size_t first, size_t end,
		       struct err *err)
{
	struct perf_event_attr *attrs = xcalloc(end - first, sizeof(*attrs));
	char *names = NULL;
	enum counter_fit fit;
	int rc = 0;

	for (size_t i = first; i < end; i++) {
		char *before = names;

		attrs[i - first] = choice->counters[i].attr;
		names = xasprintf("%s%s%s", before ? before : "", before ? "," : "",
				  choice->counters[i].name);
		free(before);
	}
	fit = counter_probe_group(attrs, end - first);
	if (fit != COUNTER_FITS)
		rc = counter_advice_group(names, fit, err);
	free(names);
	free(attrs);
	return rc;
}

static int check_groups(const struct counter_choice *choice, struct err *err)
{
	size_t end;

	for (size_t first = 0; first < choice->count; first = end) {
		end = first + 1;
		while (end < choice->count && choice->counters[end].in_group)
			end++;
		if (end - first > 1 && check_group(choice, first, end, err))
			return -1;
	}
	return 0;
}

int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err)
{
	struct counter_groups groups;
	unsigned group = 0;
	int rc;

	*choice = (struct counter_choice){0};
	if (counter_names_open(err))
		return -1;
	rc = counter_groups_parse(&groups, names ? names : usual, err);
	for (size_t i = 0; !rc && i < groups.count; i++)
		rc = choose(choice, &groups.items[i], &group, optional || !names, tracefs, err);
	counter_groups_release(&groups);
	if (!rc && !choice->count)
		return -1; /* the sentence is that of the last that was left out */
	return rc ? rc : check_groups(choice, err);
}

void counter_choice_release(struct counter_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		free(choice->counters[i].name);
	free(choice->counters);
	free(choice->left_out);
	*choice = (struct counter_choice){0};
}
