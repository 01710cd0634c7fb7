/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/affinity_watch.h"

#include "collect/kernel/proc_stat.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t first_step_ns = 5000000, last_step_ns = 1000000000;

void affinity_watch_begin(struct affinity_watch *watch, pid_t pid, uint64_t now_ns)
{
	*watch = (struct affinity_watch){
		.pid = pid, .next_ns = now_ns + first_step_ns, .step_ns = first_step_ns};
}

void affinity_watch_look(struct affinity_watch *watch, uint64_t now_ns, const char *proc)
{
	char path[64];
	pid_t *tids;
	size_t count;

	if (now_ns < watch->next_ns)
		return;
	watch->step_ns *= 2;
	if (watch->step_ns > last_step_ns)
		watch->step_ns = last_step_ns;
	watch->next_ns = now_ns + watch->step_ns;
	snprintf(path, sizeof(path), "%s/%d/task", proc, (int)watch->pid);
	if (proc_ids(&tids, &count, path))
		return;
	if (count > 1) {
		watch->several = true;
		watch->mask = (struct cpu_mask){{false}};
		for (size_t i = 0; i < count; i++)
			cpu_mask_add_affinity(&watch->mask, tids[i]);
	}
	free(tids);
}

void affinity_watch_end(struct affinity_watch *watch)
{
	/* The kernel tells that of a process up to when it is waited for. */
	if (!watch->several)
		cpu_mask_add_affinity(&watch->mask, watch->pid);
}
