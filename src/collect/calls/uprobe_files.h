/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files the BINARY of --uprobe BINARY:FUNCTION means. */
#ifndef PSCAL_COLLECT_CALLS_UPROBE_FILES_H
#define PSCAL_COLLECT_CALLS_UPROBE_FILES_H

#include "code/file_set.h"
#include "collect/calls/uprobe_functions.h"

struct err;

/* Returns 0, or -1 with a sentence when there is none. */
int uprobe_files_find(struct file_set *files, const char *binary,
		      const struct uprobe_target *target, const char *proc, struct err *err);

#endif
