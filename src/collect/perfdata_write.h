/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a perf.data file, laid out as collect/perfdata.h says. Until perfdata_write_end() its
 * data size is 0, which tells readers that the recorder did not come to its end.
 */
#ifndef PSCAL_COLLECT_PERFDATA_WRITE_H
#define PSCAL_COLLECT_PERFDATA_WRITE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct recording_file;

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

/* Header, attributes and ids: what stands before the data. Returns 0, or -1 with a sentence. */
int perfdata_write_begin(struct recording_file *file, const struct perfdata_event *events,
			 size_t count, struct err *err);

/* Feature sections, ascending by feature, and the final header. */
int perfdata_write_end(struct recording_file *file, const struct perfdata_event *events,
		       size_t count, const struct perfdata_content *contents, size_t content_count,
		       struct err *err);

#endif
