/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run of a program that tells of its tasks: CPU seconds in their blocks, which are known one by
 * one, and the loss by loss.h.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_TASKS_H
#define PSCAL_STATS_STRETCH_STRETCH_TASKS_H

#include "stats/stretch/stretch_run.h"

struct err;
struct event_source;

/* See stretch_run.h, whose functions call these for runs of tasks. */
int stretch_tasks_read(struct stretch_run *run, struct event_source *source,
		       const struct stretch_options *options, struct err *err);
void stretch_tasks_release(struct stretch_run *run);
void stretch_tasks_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
			const double *serial);

#endif
