/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/thread_filter.h"

#include "base/parse.h"

#include <limits.h>
#include <stdint.h>
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
	bool more; /* terms are there already */
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

/* Number `word` (from 0) of the first line of a file; 0 when there is none. */
static pid_t read_id(const char *proc, const char *name, int word)
{
	char path[256], text[32] = "";
	FILE *file;
	uint64_t id = 0;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	for (int i = 0; i <= word; i++)
		if (fscanf(file, "%31s", text) != 1)
			text[0] = '\0';
	fclose(file);
	return parse_u64(&id, text, INT_MAX) ? 0 : (pid_t)id;
}

/* The fifth word of /proc/loadavg, proc(5). */
static pid_t newest_id(const char *proc)
{
	return read_id(proc, "loadavg", 4);
}

bool thread_filter_follow(struct thread_filter *filter, pid_t first, const char *proc)
{
	pid_t max = read_id(proc, "sys/kernel/pid_max", 0), newest = newest_id(proc);

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
