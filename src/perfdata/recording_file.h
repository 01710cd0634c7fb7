/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file a recording goes into. It has another name until there is something in it worth keeping:
 * a recording that cannot begin neither leaves a file nor replaces one.
 */
#ifndef PSCAL_PERFDATA_RECORDING_FILE_H
#define PSCAL_PERFDATA_RECORDING_FILE_H

#include "base/io/output_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct recording_file {
	struct output_file output;
	bool stream;   /* standard output: nothing that was written can be changed */
	uint64_t size; /* bytes appended so far */
};

/*
 * Begins a file that only its owner can read; "-" is standard output. Returns 0, or -1 with a
 * sentence.
 */
int recording_file_open(struct recording_file *file, const char *path, struct err *err);

/*
 * Gives the file its name. What had it before becomes PATH.old. Returns 0, or -1 with a sentence.
 */
int recording_file_publish(struct recording_file *file, struct err *err);

/*
 * What has been appended survives the recorder. Returns 0, or -1 with a sentence. SIGPIPE and
 * SIGXFSZ must not end the program for that.
 */
int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err);

/* Writes over what is at `offset`. */
int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err);

/* Drops what was appended beyond `size`, as far as that can be done. */
void recording_file_cut(struct recording_file *file, uint64_t size);

/* Closes it; one that was not published is gone. Returns 0, or -1 with a sentence. */
int recording_file_close(struct recording_file *file, struct err *err);

#endif
