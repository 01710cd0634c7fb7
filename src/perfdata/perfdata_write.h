/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a perf.data file, laid out as perfdata/perfdata.h says, so that the file is complete
 * however the recorder ends.
 *
 * What the sections hold stands before the data, and behind the data stands their table. More data
 * are appended behind that table, then a new table, and then one word of the header, the size of
 * the data, moves readers from the old table to the new one. The old one is a record by then that
 * all readers pass over: the section of its first bit, PERFDATA_RESERVED, which no reader looks at,
 * is the header of a note.
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
 * The file that a recording goes into. It has a temporary name until it holds a recording: a
 * recording that cannot begin neither leaves nor replaces a file.
 */
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

/* Gives the file its name. A file that had it becomes PATH.old. Returns 0, or -1 with a sentence. */
int recording_file_publish(struct recording_file *file, struct err *err);

/*
 * Appended bytes survive the recorder. Returns 0, or -1 with a sentence. SIGPIPE and SIGXFSZ must
 * not end the program for that.
 */
int recording_file_append(struct recording_file *file, const void *bytes, size_t size,
			  struct err *err);

/* Writes over the bytes at `offset`. */
int recording_file_patch(const struct recording_file *file, const void *bytes, size_t size,
			 uint64_t offset, struct err *err);

/* Drops the bytes that were appended beyond `size`, as far as that can be done. */
void recording_file_cut(struct recording_file *file, uint64_t size);

/* Closes it; one that was not published is gone. Returns 0, or -1 with a sentence. */
int recording_file_close(struct recording_file *file, struct err *err);

/* --- Its layout ---------------------------------------------------------------------------- */

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
 * Header, attributes, ids and sections: what stands before the data. A file that ends here has no
 * size of data, which tells readers that its recorder was interrupted. 0, or -1 with a sentence.
 */
int perfdata_write_begin(struct perfdata_writer *writer, struct recording_file *file,
			 const struct perfdata_event *events, size_t count,
			 const struct perfdata_content *contents, size_t content_count,
			 struct err *err);

/* From now on what has been appended is part of the file. 0, or -1 with a sentence. */
int perfdata_write_mark(struct perfdata_writer *writer, struct err *err);

/*
 * The end of the file: the sections that are known by now, which replace what they were, and the
 * final header. 0, or -1 with a sentence: then the file is as it was after the last mark.
 */
int perfdata_write_end(struct perfdata_writer *writer, const struct perfdata_content *contents,
		       size_t content_count, struct err *err);

/* Text of PERFDATA_PSCAL as notes among the data. */
int perfdata_write_notes(struct recording_file *file, const char *text, size_t length,
			 struct err *err);

/*
 * Instead of all that, what stands before the data in pipe mode; nothing stands behind them.
 * Sections that are too large for a record are left out.
 */
int perfdata_write_stream(struct recording_file *file, const struct perfdata_event *events,
			  size_t count, const struct perfdata_content *contents,
			  size_t content_count, struct err *err);

#endif
