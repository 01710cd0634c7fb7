/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/counters/counters.h"
#include "collect/kernel/permission.h"
#include "collect/recording/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usual[] = "task-clock,context-switches,cpu-migrations,page-faults,cycles,"
			    "instructions,cache-misses";

/* --- The text of a user --------------------------------------------------------------------- */

struct counter_item {
	char *name;
	unsigned group; /* 0: none; 1, 2, ... */
};

struct item_groups {
	struct counter_item *items;
	size_t count, capacity;
};

static void add_item(struct item_groups *groups, const char *name, size_t length, unsigned group)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, name, length);
	array_reserve(&groups->items, &groups->capacity, groups->count + 1);
	groups->items[groups->count++] = (struct counter_item){copy, group};
}

/* Reads a name from *text up to its end. Returns its length; 0: wrong. */
static size_t take_name(struct item_groups *groups, const char **text, unsigned group)
{
	size_t length = strcspn(*text, ",{}");

	if (length)
		add_item(groups, *text, length, group);
	*text += length;
	return length;
}

static bool take_sign(const char **text, char sign)
{
	if (**text != sign)
		return false;
	++*text;
	return true;
}

/* Reads a name, or names in braces. Returns whether it is well formed. */
static bool take_entry(struct item_groups *groups, const char **text, unsigned *last_group)
{
	if (!take_sign(text, '{'))
		return take_name(groups, text, 0);
	++*last_group;
	do
		if (!take_name(groups, text, *last_group))
			return false;
	while (take_sign(text, ','));
	return take_sign(text, '}');
}

/*
 * Parses a list of events. Returns 0, or -1 with an error; the caller releases them in both cases.
 */
static int parse_groups(struct item_groups *groups, const char *text, struct err *err)
{
	const char *at = text;
	unsigned last_group = 0;

	*groups = (struct item_groups){0};
	do
		if (!take_entry(groups, &at, &last_group))
			return err_set(err,
				       "'%s': is not a list of events like "
				       "cycles,{branches,branch-misses}: look at '%s'",
				       text, at);
	while (take_sign(&at, ','));
	if (*at)
		return err_set(err, "'%s': a comma should stand before '%s'", text, at);
	return 0;
}

static void release_groups(struct item_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->items[i].name);
	free(groups->items);
}

/* --- The choice ----------------------------------------------------------------------------- */

/* Writes the error of an event whose trial ended in `access`, which is not COUNTER_YES. */
static int set_no_access(const char *name, const struct perf_event_attr *attr,
			 enum counter_access access, struct err *err)
{
	bool software = attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;

	if (access == COUNTER_NO && software)
		return err_set(err, "%s: this kernel does not count it: see 'pscal list'", name);
	if (access == COUNTER_NO && !counter_probe_hardware())
		return err_set(err,
			       "%s: this machine has no hardware counters (a virtual machine?); "
			       "software events such as task-clock and page-faults work: see "
			       "'pscal list'",
			       name);
	if (access == COUNTER_NO)
		return err_set(err,
			       "%s: is known, but the PMU of this machine does not count it: see "
			       "'pscal list'",
			       name);
	errno = EACCES;
	return permission_task_event(err, name, attr, 0);
}

/* Writes the error for `names`, separated by commas, which count each, but not all together. */
static int set_no_group(const char *names, enum counter_fit fit, struct err *err)
{
	if (fit == COUNTER_REFUSED)
		return err_set(err,
			       "{%s}: the PMU cannot count so many at once: make smaller groups, "
			       "or leave the braces away and let them take turns",
			       names);
	return err_set(err,
		       "{%s}: never got on the PMU together: a counter is taken, as by the NMI "
		       "watchdog ('sudo sysctl kernel.nmi_watchdog=0'); make smaller groups, or "
		       "leave the braces away and let them take turns",
		       names);
}

static void add_counter(struct counter_choice *choice, const struct counter_item *item,
			const struct perf_event_attr *attr, enum counter_access access,
			bool in_group)
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

/* Adds an event. Sets *group to that of the last counter that was added. */
static int choose_item(struct counter_choice *choice, const struct counter_item *item,
		       unsigned *group, bool optional, const char *tracefs, struct err *err)
{
	struct perf_event_attr attr = {0};
	int rc = counter_names_encode(&attr, item->name, tracefs, err);
	enum counter_access access;

	if (rc < 0)
		return -1;
	access = rc ? COUNTER_NO : counter_probe(&attr);
	if (access == COUNTER_YES || access == COUNTER_USER) {
		add_counter(choice, item, &attr, access, item->group && item->group == *group);
		*group = item->group;
		return 0;
	}
	xappend(&choice->left_out, ", ", "%s", item->name);
	if (!rc)
		set_no_access(item->name, &attr, access, err);
	return optional ? 0 : -1;
}

/* The time that a group waits for its turn, as other counters have turns of a few ms. */
enum { TURN_NS = 50000000 };

/* Returns whether the group was on the hardware. Its times are those of its leader. */
static bool gets_a_turn(struct perf_events *group)
{
	uint64_t until_ns = monotonic_ns() + TURN_NS;
	struct err ignored;
	bool running;

	perf_events_set(group, 0, true, &ignored);
	do
		running = perf_events_count(group, 0, 0).running_ns;
	while (!running && monotonic_ns() < until_ns);
	return running;
}

enum counter_fit counter_group_fit(const struct chosen_counter *counters, size_t count)
{
	struct perf_event *table = xcalloc(count, sizeof(*table));
	enum counter_fit fit = COUNTER_FITS;
	struct perf_events group;
	struct err ignored;

	for (size_t i = 0; i < count; i++) {
		table[i] = (struct perf_event){
			.name = counters[i].name, .attr = counters[i].attr, .in_group = i > 0};
		table[i].attr.size = sizeof(table[i].attr);
		table[i].attr.read_format =
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	}
	if (perf_events_open(&group, table, count, PERF_ON_THREADS_UNMAPPED, NULL, &ignored) ||
	    perf_events_add(&group, 0, &ignored) <= 0)
		fit = COUNTER_REFUSED;
	else if (!gets_a_turn(&group))
		fit = COUNTER_STARVED;
	perf_events_release(&group);
	free(table);
	return fit;
}

/* Checks the members of a group, counters [first, end). */
static int check_group(const struct counter_choice *choice, size_t first, size_t end,
		       struct err *err)
{
	char *names = NULL;
	enum counter_fit fit;
	int rc = 0;

	for (size_t i = first; i < end; i++)
		xappend(&names, ",", "%s", choice->counters[i].name);
	fit = counter_group_fit(&choice->counters[first], end - first);
	if (fit != COUNTER_FITS)
		rc = set_no_group(names, fit, err);
	free(names);
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

/* --- The recording --------------------------------------------------------------------------- */

static void describe_counter(struct chosen_counter *counter)
{
	struct perf_event_attr *attr = &counter->described;

	*attr = counter->attr;
	if (attr->type == PERF_TYPE_TRACEPOINT) /* perf would need the layout of samples */
		*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						 .config = PERF_COUNT_SW_DUMMY};
	attr->size = sizeof(*attr);
	/* perf rejects a recording whose events, except dummies, have no addresses. */
	attr->sample_type = RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP;
	attr->read_format = RECORD_READ_FORMAT;
	attr->inherit = attr->inherit_stat = 1; /* perf reads PERF_RECORD_READ then */
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

static void describe_counters(struct counter_choice *choice)
{
	choice->events = xcalloc(choice->count, sizeof(*choice->events));
	for (size_t i = 0; i < choice->count; i++) {
		struct chosen_counter *counter = &choice->counters[i];

		describe_counter(counter);
		counter->id = RECORD_COUNTER_ID + i;
		choice->events[i] = (struct perfdata_event){counter->name, &counter->described,
							    &counter->id, 1};
	}
}

void counter_choice_write(const struct counter_choice *choice, struct recording *recording,
			  const struct record_place *where, const struct perf_count *counts)
{
	for (size_t i = 0; i < choice->count; i++) {
		struct record_place place = *where;

		place.id = choice->counters[i].id;
		record_read(recording, &place, counts[i].value, counts[i].enabled_ns,
			    counts[i].running_ns);
	}
}

/* --- Choosing ------------------------------------------------------------------------------- */

int counter_choice_init(struct counter_choice *choice, const char *names, bool optional,
			const char *tracefs, struct err *err)
{
	struct item_groups groups;
	unsigned group = 0;
	int rc;

	*choice = (struct counter_choice){0};
	if (counter_names_open(err))
		return -1;
	rc = parse_groups(&groups, names ? names : usual, err);
	for (size_t i = 0; !rc && i < groups.count; i++)
		rc = choose_item(choice, &groups.items[i], &group, optional || !names, tracefs,
				 err);
	release_groups(&groups);
	if (!rc && !choice->count)
		return -1; /* with the error of the last event that was left out */
	if (rc || check_groups(choice, err))
		return -1;
	describe_counters(choice);
	return 0;
}

void counter_choice_release(struct counter_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		free(choice->counters[i].name);
	free(choice->counters);
	free(choice->events);
	free(choice->left_out);
	*choice = (struct counter_choice){0};
}
