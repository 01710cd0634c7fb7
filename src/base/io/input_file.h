/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the files of base/io/input, after a look at their owners. */
#ifndef PSCAL_BASE_IO_INPUT_FILE_H
#define PSCAL_BASE_IO_INPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

struct err;

/*
 * With any owner, or only with those that base/io/file_owner.h has, or a file that the process has
 * open already. A FIFO is not waited for before its owner is known. Returns a descriptor that is
 * closed on exec, or -1 with a sentence.
 */
int input_file_open(const char *path, bool of_anyone, struct stat *status, struct err *err);

/* Is it open, and no directory? Returns 0, or -1 with a sentence. */
int input_file_look(const char *path, int fd, struct stat *status, struct err *err);

#endif
