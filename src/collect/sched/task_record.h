/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records that the kernel writes of threads, as few bytes each as can be asked for, and how
 * they are completed to the layout that all records in the file have.
 */
#ifndef PSCAL_COLLECT_SCHED_TASK_RECORD_H
#define PSCAL_COLLECT_SCHED_TASK_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct recording;

/* What is asked of the kernel with sample_id_all, and what each record ends in then. */
enum { TASK_RECORD_SAMPLE_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID };

struct task_record_trailer {
	uint32_t pid, tid; /* who raised it */
	uint64_t time_ns;
	uint64_t id; /* of the event */
};

/* The body of PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct task_record_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

/* Is it a record of a kind that is used here, and does it hold all its fields? */
bool task_record_is_whole(const struct perf_event_header *record);

/* Of whole records. */
struct task_record_trailer task_record_trailer(const struct perf_event_header *record);
struct task_record_body task_record_body(const struct perf_event_header *record);

/* Puts a whole record, from the ring of `cpu`, into the recording, as one of its event `id`. */
void task_record_complete(struct recording *recording, const struct perf_event_header *record,
			  uint64_t id, uint32_t cpu);

#endif
