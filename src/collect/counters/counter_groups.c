/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_groups.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void add(struct counter_groups *groups, const char *name, size_t length, unsigned group)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, name, length);
	array_reserve(&groups->items, &groups->capacity, groups->count + 1);
	groups->items[groups->count++] = (struct counter_item){copy, group};
}

/* Takes a name from *text, to its end. Returns its length; 0 is wrong. */
static size_t take_name(struct counter_groups *groups, const char **text, unsigned group)
{
	size_t length = strcspn(*text, ",{}");

	if (length)
		add(groups, *text, length, group);
	*text += length;
	return length;
}

static bool take(const char **text, char sign)
{
	if (**text != sign)
		return false;
	++*text;
	return true;
}

/* A name, or names in braces. Returns whether it is well formed. */
static bool take_entry(struct counter_groups *groups, const char **text, unsigned *last_group)
{
	if (!take(text, '{'))
		return take_name(groups, text, 0);
	++*last_group;
	do
		if (!take_name(groups, text, *last_group))
			return false;
	while (take(text, ','));
	return take(text, '}');
}

int counter_groups_parse(struct counter_groups *groups, const char *text, struct err *err)
{
	const char *at = text;
	unsigned last_group = 0;

	*groups = (struct counter_groups){0};
	do
		if (!take_entry(groups, &at, &last_group))
			return err_set(err,
				       "'%s': is not a list of events like cycles,{branches,"
				       "branch-misses}: see at '%s'",
				       text, at);
	while (take(&at, ','));
	if (*at)
		return err_set(err, "'%s': a comma should stand before '%s'", text, at);
	return 0;
}

void counter_groups_release(struct counter_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->items[i].name);
	free(groups->items);
	*groups = (struct counter_groups){0};
}
