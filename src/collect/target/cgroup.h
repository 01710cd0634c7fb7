/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a control group. Source: the kernel's admin-guide/cgroup-v2. */
#ifndef PSCAL_COLLECT_TARGET_CGROUP_H
#define PSCAL_COLLECT_TARGET_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

struct err;

/* Where the groups are. */
#define CGROUP_ROOT "/sys/fs/cgroup"

/*
 * All processes in group `path` below `root`, and in the groups in it, as they are now. Returns 0,
 * or -1 with a sentence, also when there is none. The caller frees *pids.
 */
int cgroup_pids(pid_t **pids, size_t *count, const char *root, const char *path, struct err *err);

#endif
