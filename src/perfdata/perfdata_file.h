/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the parts of a perf.data file before its records: events and their ids, and the
 * feature sections that matter here, in the byte order of this machine. In pipe mode the events
 * come as records. Nothing in it is trusted.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_FILE_H
#define PSCAL_PERFDATA_PERFDATA_FILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/perfdata.h"

struct err;
struct input;

struct perfdata_file {
	bool swapped;		      /* written in the byte order that this machine has not */
	bool stream;		      /* pipe mode: all the rest comes as records */
	bool directory;		      /* most records are in other files beside this one */
	struct perfdata_section data; /* size up to the end of the file when it was not written */
	bool truncated;		      /* the file ends before its data or features do */
	bool interrupted;	      /* the recorder died: there are no features */
	uint64_t feature_bits[4];     /* those that there are, or were to be */
	struct perf_event_attr *attrs;
	size_t attr_count, attr_capacity;
	struct perfdata_id *ids; /* hash of ids, its size a power of two */
	size_t id_count, id_mask;
	struct perfdata_section features[PERFDATA_FEATURE_COUNT]; /* size 0: not there */
	uint32_t aux_type; /* of AUX traces in it, as PERFDATA_RECORD_AUXTRACE_INFO says; 0: none */
};

/*
 * Reads header, attrs and the table of features. Returns 0, or -1 with a sentence that lacks the
 * name of the input, as all here do.
 */
int perfdata_file_init(struct perfdata_file *file, struct input *input, struct err *err);
void perfdata_file_release(struct perfdata_file *file);

/*
 * One more event: the body of a PERFDATA_RECORD_ATTR, in the byte order of this machine. Returns 0,
 * or -1 when it is damaged.
 */
int perfdata_file_add(struct perfdata_file *file, const void *body, size_t length);

/*
 * The body of a note PERFDATA_NOTE_TABLE, which stands among the records of our own recordings: of
 * a file that was cut off, it tells where the sections before the records are.
 */
void perfdata_file_read_table(struct perfdata_file *file, const void *body, size_t length);

/* The event with this id; NULL when there is none. Valid until one is added. */
const struct perf_event_attr *perfdata_file_attr(const struct perfdata_file *file, uint64_t id);

/*
 * A whole feature section and a NUL behind it, to be freed; NULL with a sentence when it is
 * missing, larger than FEATURE_MAX or cannot be read.
 */
char *perfdata_file_feature(const struct perfdata_file *file, const struct input *input,
			    enum perfdata_feature feature, size_t *length, struct err *err);

/*
 * The tracing data of a recording: the texts that describe its tracepoints, with the byte order of
 * the machine that wrote their payloads. It is what trace-cmd puts at the beginning of its files:
 *
 *	17 08 44 "tracing"   VERSION NUL   u8 1 for big endian   u8 sizeof(long)   u32 page size
 *	"header_page" NUL    u64 size, text
 *	"header_event" NUL   u64 size, text
 *	u32 count            (u64 size, text) of each event of ftrace itself
 *	u32 count            of systems, and for each: NAME NUL, u32 count, (u64 size, text) of each
 *
 * and more behind that, by version, which says nothing of events. Numbers are in the byte order
 * that it names.
 */
struct tracing_section {
	/* To be filled in: takes one format text. -1 when it is damaged. */
	int (*add)(void *context, const char *system, const char *format, size_t length);
	void *context;

	bool swapped;  /* numbers have the byte order that this machine has not; known before add */
	int long_size; /* bytes of a long, the same */
};

/* Reads a whole section. Returns 0, or -1 with a sentence when it is cut short or strange. */
int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err);

#endif
