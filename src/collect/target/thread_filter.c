/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/thread_filter.h"

#include "collect/kernel/proc_stat.h"

#include <stdio.h>

void thread_filter_add(struct thread_filter *filter, pid_t tid)
{
	for (size_t i = 0; i < filter->count; i++)
		if (filter->tids[i] == tid)
			return;
	if (filter->count <= THREAD_FILTER_MAX)
		filter->tids[filter->count++] = tid;
}

bool thread_filter_passes_all(const struct thread_filter *filter)
{
	return filter->count > THREAD_FILTER_MAX || (!filter->first && !filter->count);
}

bool thread_filter_passes(const struct thread_filter *filter, pid_t tid)
{
	if (thread_filter_passes_all(filter))
		return true;
	if (filter->first && tid >= filter->first)
		return true;
	for (size_t i = 0; i < filter->count; i++)
		if (filter->tids[i] == tid)
			return true;
	return false;
}

struct words {
	char *at;
	bool more; /* there are terms already */
	const char *field, *other;
};

static void put_term(struct words *words, const char *relation, pid_t tid)
{
	words->at += sprintf(words->at, "%s%s%s%d", words->more ? "||" : "", words->field, relation,
			     (int)tid);
	words->more = true;
	if (words->other)
		words->at += sprintf(words->at, "||%s%s%d", words->other, relation, (int)tid);
}

void thread_filter_text(char text[THREAD_FILTER_TEXT_SIZE], const struct thread_filter *filter,
			const char *field, const char *other)
{
	struct words words = {text, false, field, other};

	for (size_t i = 0; i < filter->count; i++)
		put_term(&words, "==", filter->tids[i]);
	if (filter->first)
		put_term(&words, ">=", filter->first);
}

/* --- The order of ids ---------------------------------------------------------------------- */

/* Returns the newest id, see proc(5); 0: the file does not show it. */
static pid_t newest_id(const char *proc)
{
	char path[256];
	pid_t id;

	snprintf(path, sizeof(path), "%s/loadavg", proc);
	return proc_scan(path, "%*s %*s %*s %*s %d", &id) ? id : 0;
}

static pid_t highest_id(const char *proc)
{
	char path[256];
	pid_t id;

	snprintf(path, sizeof(path), "%s/sys/kernel/pid_max", proc);
	return proc_scan(path, "%d", &id) ? id : 0;
}

bool thread_filter_follow(struct thread_filter *filter, pid_t first, const char *proc)
{
	pid_t max = highest_id(proc), newest = newest_id(proc);

	if (!first)
		first = newest + 1;
	if (newest <= 0 || max - first < max / 2)
		return false;
	filter->first = first;
	filter->newest = newest;
	return true;
}

bool thread_filter_has_wrapped(struct thread_filter *filter, const char *proc)
{
	pid_t before = filter->newest;

	if (!filter->first)
		return false;
	filter->newest = newest_id(proc);
	return filter->newest < before;
}
