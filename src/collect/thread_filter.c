/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/thread_filter.h"

#include <stdio.h>

void thread_filter_add(struct thread_filter *filter, pid_t tid)
{
	if (filter->count <= THREAD_FILTER_MAX)
		filter->tids[filter->count++] = tid;
}

bool thread_filter_passes_all(const struct thread_filter *filter)
{
	return !filter->first && (!filter->count || filter->count > THREAD_FILTER_MAX);
}

bool thread_filter_passes(const struct thread_filter *filter, pid_t tid)
{
	if (thread_filter_passes_all(filter))
		return true;
	if (filter->first)
		return tid >= filter->first;
	for (size_t i = 0; i < filter->count; i++)
		if (filter->tids[i] == tid)
			return true;
	return false;
}

/* One term; returns where the next one goes. */
static char *put_term(char *to, bool more, const char *field, const char *relation, pid_t tid)
{
	return to + sprintf(to, "%s%s%s%d", more ? "||" : "", field, relation, (int)tid);
}

void thread_filter_text(char text[THREAD_FILTER_TEXT_SIZE], const struct thread_filter *filter,
			const char *field, const char *other)
{
	const char *relation = filter->first ? ">=" : "==";
	const pid_t *tids = filter->first ? &filter->first : filter->tids;
	size_t count = filter->first ? 1 : filter->count;

	for (size_t i = 0; i < count; i++) {
		text = put_term(text, i > 0, field, relation, tids[i]);
		if (other)
			text = put_term(text, true, other, relation, tids[i]);
	}
}
