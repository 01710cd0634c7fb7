/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/selection.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"

#include <stdlib.h>
#include <string.h>

bool selection_is_empty(const struct selection *selection)
{
	return !selection->pid_count && !selection->tid_count && !selection->comm;
}

static void append_ids(char **words, const char *option, const int32_t *ids, size_t count)
{
	const size_t most = 4;

	for (size_t i = 0; i < count && i < most; i++)
		xappend(words, i ? "," : " and ", "%s%d", i ? "" : option, (int)ids[i]);
	if (count > most)
		xappend(words, "", ",...");
}

char *selection_words(const struct selection *selection)
{
	char *words = NULL;

	append_ids(&words, "--pid ", selection->pids, selection->pid_count);
	append_ids(&words, "--tid ", selection->tids, selection->tid_count);
	if (selection->comm)
		xappend(&words, " and ", "--comm %s", selection->comm);
	return words;
}

bool selection_as_recorded(struct selection *selection, const struct target_info *target)
{
	*selection = (struct selection){
		.pids = target->roots,
		.pid_count = target->root_count,
		.tids = target->tids,
		.tid_count = target->tid_count,
		.comm = *target->comm ? target->comm : NULL,
		.pids_alone = target->alone,
		.tids_followed = !target->alone,
		.sorted = true,
		.except = target->self,
	};
	return target->root_count || target->tid_count;
}

bool selection_follows(const struct selection *selection)
{
	return (selection->pid_count && !selection->pids_alone) ||
	       (selection->tid_count && selection->tids_followed);
}

static bool is_in(const struct selection *selection, const int32_t *ids, size_t count, int32_t id)
{
	if (selection->sorted && count)
		return bsearch(&id, ids, count, sizeof(id), compare_i32);
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

bool selection_holds(const struct selection *selection, const struct candidate *candidate)
{
	/* A process has the number of its first thread, whose pid is therefore known. */
	int32_t pid = candidate->pid >= 0 ? candidate->pid : candidate->tid;

	if (candidate->tid <= 0)
		return false; /* an idle or unknown thread */
	if (selection_is_empty(selection) && selection->except)
		return pid != selection->except;
	if (selection_is_empty(selection))
		return strcmp(candidate->comm, "perf") != 0 &&
		       strcmp(candidate->comm, "perf-exec") != 0; /* perf before its exec */
	if (candidate->in_tree && selection_follows(selection))
		return true;
	if (is_in(selection, selection->pids, selection->pid_count, pid))
		return true;
	if (is_in(selection, selection->tids, selection->tid_count, candidate->tid))
		return true;
	return selection->comm && strcmp(selection->comm, candidate->comm) == 0;
}
