/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs a thread that a task of its is recorded; see cost_trial.h. */
#ifndef PSCAL_COLLECT_BLOCKS_TASK_COST_H
#define PSCAL_COLLECT_BLOCKS_TASK_COST_H

struct plan_header;

/*
 * CPU time in ns of PSCAL_TASK_BEGIN and PSCAL_TASK_END, with what the plan has counted in them; 0
 * where that cannot be measured.
 */
double task_cost_measure(const char *library, const struct plan_header *plan);

#endif
