/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the records of a perf.data file the fields lie that every record may have: in a sample
 * they come first, other records end in them. Numbers are in the byte order of this machine.
 */
#ifndef PSCAL_DECODE_PERFDATA_LAYOUT_H
#define PSCAL_DECODE_PERFDATA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct perfdata_file;
struct perfdata_record;

/* The event whose record it is, or one that lays out its records alike; NULL when unknown. */
const struct perf_event_attr *perfdata_layout_attr(const struct perfdata_file *file,
						   const struct perfdata_record *record);

/* Of a record of this event: where in the body the field of a sample_type bit that all can have
 * (up to PERF_SAMPLE_PERIOD, and PERF_SAMPLE_IDENTIFIER) lies; -1: it has none. */
int perfdata_layout_offset(const struct perf_event_attr *attr, const struct perfdata_record *record,
			   uint64_t field);

/* Where the trailer of a record that is no sample begins; -1: it has none. */
int perfdata_layout_begin(const struct perf_event_attr *attr, const struct perfdata_record *record);

/* The time of a record of the kernel; 0 when it has none. */
uint64_t perfdata_layout_time(const struct perfdata_file *file,
			      const struct perfdata_record *record);

#endif
