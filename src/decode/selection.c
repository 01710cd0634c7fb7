/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/selection.h"

#include <string.h>

bool selection_is_empty(const struct selection *selection)
{
	return !selection->pid_count && !selection->tid_count && !selection->comm;
}

static bool is_in(const int32_t *ids, size_t count, int32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

bool selection_holds(const struct selection *selection, const struct candidate *candidate)
{
	/* A process has the number of its first thread, so that one is known without its pid. */
	int32_t pid = candidate->pid >= 0 ? candidate->pid : candidate->tid;

	if (candidate->tid <= 0)
		return false; /* idle, or not known */
	if (selection_is_empty(selection))
		return strcmp(candidate->comm, "perf") != 0 &&
		       strcmp(candidate->comm, "perf-exec") != 0; /* before its exec */
	if (selection->pid_count &&
	    (candidate->in_tree || is_in(selection->pids, selection->pid_count, pid)))
		return true;
	if (is_in(selection->tids, selection->tid_count, candidate->tid))
		return true;
	return selection->comm && strcmp(selection->comm, candidate->comm) == 0;
}
