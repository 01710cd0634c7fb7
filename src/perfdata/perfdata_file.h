/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the parts of a perf.data file before its records: events and their ids, and the feature
 * sections that matter here, in the byte order of this machine. In pipe mode the events come as
 * records. None of the input is trusted.
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
	bool swapped;		      /* the file is in the other byte order */
	bool stream;		      /* pipe mode: all the rest are records */
	bool directory;		      /* most records are in other files beside this one */
	struct perfdata_section data; /* size: up to the end of the file if it was not written */
	bool truncated;		      /* the file ends before its data or features do */
	bool interrupted;	      /* the recorder died: there are no features */
	uint64_t feature_bits[4];     /* features that the file has or was to have */
	struct perf_event_attr *attrs;
	size_t attr_count, attr_capacity;
	struct perfdata_id *ids; /* hash table of ids, its size a power of two */
	size_t id_count, id_mask;
	struct perfdata_section features[PERFDATA_FEATURE_COUNT]; /* size 0: not there */
	uint32_t aux_type; /* the kind of its AUX traces, enum perfdata_aux; 0: none */
};

/*
 * Reads header, attrs and the table of features. Returns 0, or -1 with an error. Errors of these
 * functions lack the name of the input.
 */
int perfdata_file_init(struct perfdata_file *file, struct input *input, struct err *err);
void perfdata_file_release(struct perfdata_file *file);

/*
 * Adds an event, the body of a PERFDATA_RECORD_ATTR, in the byte order of this machine. Returns 0,
 * or -1 if it is damaged.
 */
int perfdata_file_add(struct perfdata_file *file, const void *body, size_t length);

/*
 * Reads the body of a note PERFDATA_NOTE_TABLE among the records of a recording of pscal: of a file
 * that was cut off, it has the places of the sections before the records.
 */
void perfdata_file_read_table(struct perfdata_file *file, const void *body, size_t length);

/* Returns the event with this id; NULL: none. Valid until an event is added. */
const struct perf_event_attr *perfdata_file_attr(const struct perfdata_file *file, uint64_t id);

/*
 * Returns a whole feature section and a NUL behind it; the caller frees it. NULL with an error: it
 * is missing, larger than FEATURE_MAX or cannot be read.
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
	/* Filled in by the caller: receives one format text. Returns -1 if it is damaged. */
	int (*add)(void *context, const char *system, const char *format, size_t length);
	void *context;

	bool swapped; /* numbers have the byte order that this machine has not; known before add */
};

/* Reads a whole section. Returns 0, or -1 with an error if it is cut short or damaged. */
int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err);

#endif
