/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a recording that is a directory (see perfdata/perfdata.h). */
#ifndef PSCAL_PERFDATA_PERFDATA_DIRECTORY_H
#define PSCAL_PERFDATA_PERFDATA_DIRECTORY_H

#include <stddef.h>

#include "base/io/input.h"

struct err;

/*
 * Opens `path`, or where it is a directory the file in it that the others belong to. NULL with a
 * sentence, also for a directory that is no recording.
 */
struct input *perfdata_directory_open(const char *path, enum input_owners owners, struct err *err);

/*
 * Opens the files beside `data`: *inputs, to be closed one by one and freed, in the order of their
 * numbers. Returns 0, or -1 with a sentence that lacks the name of `data`.
 */
int perfdata_directory_rest(struct input ***inputs, size_t *count, const struct input *data,
			    struct err *err);

#endif
