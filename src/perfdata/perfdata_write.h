/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a perf.data file, in the layout of perfdata/perfdata.h, so that the file is complete
 * however the recorder ends.
 *
 * The contents of the sections come before the data, and their table behind the data. More data is
 * appended behind that table, then a new table; then one word of the header, the size of the data,
 * moves readers from the old table to the new one. The old table is then a record that all readers
 * ignore: its first section, PERFDATA_RESERVED, which no reader examines, is the header of a note.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_WRITE_H
#define PSCAL_PERFDATA_PERFDATA_WRITE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/output_file.h"
#include "perfdata/perfdata.h"

struct err;

/* --- The file ------------------------------------------------------------------------------ */

/*
 * The file of a recording. It has a temporary name until it holds a recording: a recording that
 * cannot begin neither leaves nor replaces a file.
 */
struct recording_file {
	struct output_file output;
	bool stream;   /* standard output: written bytes cannot be changed */
	uint64_t size; /* bytes appended so far */
};

/* Begins a file that only its owner can read; "-": standard output. 0, or -1 with an error. */
int recording_file_open(struct recording_file *file, const char *path, struct err *err);

/* Gives the file its name. An older file becomes PATH.old. Returns 0, or -1 with an error. */
int recording_file_publish(struct recording_file *file, struct err *err);

/*
 * Appends bytes, which survive the recorder. Returns 0, or -1 with an error. SIGPIPE and SIGXFSZ
 * must not end the program.
 */
int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err);

/* Overwrites the bytes at `offset`. Returns 0, or -1 with an error. */
int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err);

/* Drops the bytes that were appended beyond `size`, if possible. */
void recording_file_cut(struct recording_file *file, uint64_t size);

/* Closes the file; one that was not published is removed. Returns 0, or -1 with an error. */
int recording_file_close(struct recording_file *file, struct err *err);

/* --- The layout ----------------------------------------------------------------------------- */

struct perfdata_event {
	const char *name;
	const struct perf_event_attr *attr;
	const uint64_t *ids;
	size_t id_count;
};

/* The contents of one feature section. */
struct perfdata_content {
	int feature; /* enum perfdata_feature */
	char *bytes; /* from open_memstream() */
	size_t size;
};

enum { PERFDATA_SECTIONS_MAX = 24 };

struct perfdata_writer {
	struct recording_file *file; /* borrowed */
	struct perfdata_header header;
	struct perfdata_section sections[PERFDATA_SECTIONS_MAX]; /* by rising feature */
	int features[PERFDATA_SECTIONS_MAX];
	size_t section_count;
};

/*
 * Writes what comes before the data: header, attributes, ids and sections. A file that ends here
 * has no size of data, so that readers know that its recorder was interrupted. Returns 0, or -1
 * with an error.
 */
int perfdata_write_begin(struct perfdata_writer *writer, struct recording_file *file,
			 const struct perfdata_event *events, size_t count,
			 const struct perfdata_content *contents, size_t content_count,
			 struct err *err);

/* Makes the bytes appended so far part of the file. Returns 0, or -1 with an error. */
int perfdata_write_mark(struct perfdata_writer *writer, struct err *err);

/*
 * Ends the file: writes the sections that are known now, which replace earlier ones, and the final
 * header. Returns 0, or -1 with an error: the file then ends at the last mark.
 */
int perfdata_write_end(struct perfdata_writer *writer, const struct perfdata_content *contents,
		       size_t content_count, struct err *err);

/* Appends a text of PERFDATA_PSCAL as notes among the data. Returns 0, or -1 with an error. */
int perfdata_write_notes(struct recording_file *file, const char *text, size_t length,
			 struct err *err);

/*
 * Writes what comes before the data in pipe mode, in place of all the above; nothing follows the
 * data. Sections that are too large for a record are left out. Returns 0, or -1 with an error.
 */
int perfdata_write_stream(struct recording_file *file, const struct perfdata_event *events,
			  size_t count, const struct perfdata_content *contents,
			  size_t content_count, struct err *err);

#endif
