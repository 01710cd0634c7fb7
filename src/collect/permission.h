/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why the kernel does not let us trace, in one sentence with the command that changes it. The
 * functions read errno, which must be that of the call that failed, and return -1.
 */
#ifndef PSCAL_COLLECT_PERMISSION_H
#define PSCAL_COLLECT_PERMISSION_H

struct err;

/* tracefs, expected on `place`, can be neither read nor mounted. */
int permission_tracefs(struct err *err, const char *place);

/* perf_event_open() refused the tracepoint `event`. */
int permission_perf_event(struct err *err, const char *event);

/* bpf() refused to load a program, or to put it on a tracepoint. */
int permission_bpf(struct err *err);

#endif
