/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file without a name, for bytes that do not fit into memory: in $TMPDIR, or else in /tmp. It is
 * gone when it is closed, or when the program ends in whatever way.
 */
#ifndef PSCAL_BASE_IO_SCRATCH_FILE_H
#define PSCAL_BASE_IO_SCRATCH_FILE_H

#include <stddef.h>

struct err;

/* Returns a descriptor to read and write, or -1 with a sentence. */
int scratch_file_open(struct err *err);

/* One with a name there, *path, which stays. Returns a descriptor, or -1 with errno and NULL. */
int scratch_file_open_named(char **path);

/* Appends all of the bytes. Returns 0, or -1 with a sentence. */
int scratch_file_write(int fd, const void *bytes, size_t count, struct err *err);

#endif
