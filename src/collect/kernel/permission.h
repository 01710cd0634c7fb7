/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reason why the kernel refuses to trace, in one sentence with the command that changes it. The
 * functions with a `struct err` read errno, which must be that of the call that failed, and return
 * -1.
 */
#ifndef PSCAL_COLLECT_KERNEL_PERMISSION_H
#define PSCAL_COLLECT_KERNEL_PERMISSION_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

/* perf_event_open() refused the tracepoint `event`. */
int permission_perf_event(struct err *err, const char *event);

/* bpf() refused to load a program, for this reason if it gave one, or NULL. */
int permission_bpf(struct err *err, const char *reason);

/* perf_event_open() refused `event`, which has this attr, on thread `tid`; 0: the recorder's own.
 */
int permission_task_event(struct err *err, const char *event, const struct perf_event_attr *attr,
			  pid_t tid);

/* Opens an event and closes it again. Returns 0, or the errno of the refusal. */
int permission_try_event(const struct perf_event_attr *attr, pid_t tid, int cpu);

/*
 * The data that a recording lacks without the right to use tracepoints on all CPUs, as for an
 * ordinary user, and the way to get the right: a sentence for the user, to be freed. `tracefs` is
 * its directory, NULL where it cannot be read.
 */
char *permission_reduced_view(const char *tracefs);

/* The way to that right alone: "Record as root, or ...". To be freed; NULL where it is there. */
char *permission_remedy(const char *tracefs);

/* The settings and capabilities that decide on all of the above: a text to be freed. */
char *permission_describe(void);

#endif
