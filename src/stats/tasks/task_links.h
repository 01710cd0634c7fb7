/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which child belongs to which spawn, and to which sync, once all steps are known: the rules of
 * task_tree.h.
 */
#ifndef PSCAL_STATS_TASKS_TASK_LINKS_H
#define PSCAL_STATS_TASKS_TASK_LINKS_H

struct task_drafts;

/*
 * Completes the tree of which the steps are, whose intervals are sorted: ready_ns, spawn and
 * synced_ns of its tasks, its syncs, and who was never waited for.
 */
void task_links_make(struct task_drafts *steps);

#endif
