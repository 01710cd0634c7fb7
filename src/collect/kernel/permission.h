/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reason why the kernel refuses to trace, in one sentence with the command that changes it.
 * Functions with a `struct err` read errno, which must be that of the failed call, and return -1.
 */
#ifndef PSCAL_COLLECT_KERNEL_PERMISSION_H
#define PSCAL_COLLECT_KERNEL_PERMISSION_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

/* Explains why perf_event_open() refused the tracepoint `event`. */
int permission_perf_event(struct err *err, const char *event);

/* Explains why bpf() refused to load a program; `reason` is the kernel's, or NULL. */
int permission_bpf(struct err *err, const char *reason);

/* Explains why perf_event_open() refused `event` on thread `tid`; 0: the recorder's own. */
int permission_task_event(struct err *err, const char *event, const struct perf_event_attr *attr,
			  pid_t tid);

/* Opens an event and closes it again. Returns 0, or the errno of the refusal. */
int permission_try_event(const struct perf_event_attr *attr, pid_t tid, int cpu);

/*
 * Returns a sentence on the data that a recording lacks without the right to use tracepoints on all
 * CPUs, as for an ordinary user, and on the way to get the right. `tracefs` is its directory; NULL:
 * it cannot be read. The caller frees the sentence.
 */
char *permission_reduced_view(const char *tracefs);

/* Returns the way to that right: "Record as root, or ..."; NULL: present. The caller frees it. */
char *permission_remedy(const char *tracefs);

/*
 * Returns the settings and capabilities that decide on all of the above. The caller frees the text.
 */
char *permission_describe(void);

#endif
