/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/task_record.h"

#include "collect/recording/record.h"
#include "collect/recording/recording.h"

#include <stddef.h>
#include <string.h>

/* The bodies of the records that have one of a known length. */
static const struct {
	uint32_t type;
	size_t body_size;
} shapes[] = {
	{PERF_RECORD_SWITCH, 0},
	{PERF_RECORD_FORK, sizeof(struct task_record_body)},
	{PERF_RECORD_EXIT, sizeof(struct task_record_body)},
	{PERF_RECORD_COMM, 2 * sizeof(uint32_t) + 8},
	{PERF_RECORD_LOST, 2 * sizeof(uint64_t)},
};

/* The kernel never writes what does not hold its fields, but who reads them makes sure. */
bool task_record_is_whole(const struct perf_event_header *record)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].type == record->type)
			return record->size >= sizeof(*record) + shapes[i].body_size +
						       sizeof(struct task_record_trailer);
	return false;
}

struct task_record_trailer task_record_trailer(const struct perf_event_header *record)
{
	struct task_record_trailer trailer;

	memcpy(&trailer, (const uint8_t *)record + record->size - sizeof(trailer), sizeof(trailer));
	return trailer;
}

struct task_record_body task_record_body(const struct perf_event_header *record)
{
	struct task_record_body body;

	memcpy(&body, record + 1, sizeof(body));
	return body;
}

/* One thread may name another. */
static void complete_comm(struct recording *recording, const struct perf_event_header *record,
			  const struct record_place *raised)
{
	struct record_place place = *raised;
	uint32_t named[2];

	memcpy(named, record + 1, sizeof(named));
	place.pid = (pid_t)named[0];
	place.tid = (pid_t)named[1];
	record_comm(recording, &place, (const char *)(record + 1) + sizeof(named),
		    record->misc & PERF_RECORD_MISC_COMM_EXEC);
}

static void complete_task(struct recording *recording, const struct perf_event_header *record,
			  const struct record_place *place)
{
	struct task_record_body body = task_record_body(record);
	const struct record_task ids = {(pid_t)body.pid, (pid_t)body.parent_pid, (pid_t)body.tid,
					(pid_t)body.parent_tid};

	if (record->type == PERF_RECORD_FORK)
		record_fork(recording, place, &ids);
	else
		record_exit(recording, place, &ids);
}

void task_record_complete(struct recording *recording, const struct perf_event_header *record,
			  uint64_t id, uint32_t cpu)
{
	struct task_record_trailer trailer = task_record_trailer(record);
	const struct record_place place = {id, trailer.time_ns, (pid_t)trailer.pid,
					   (pid_t)trailer.tid, cpu};
	uint64_t lost[2];

	if (record->type == PERF_RECORD_SWITCH) {
		record_switch(recording, &place, record->misc & PERF_RECORD_MISC_SWITCH_OUT,
			      record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	} else if (record->type == PERF_RECORD_COMM) {
		complete_comm(recording, record, &place);
	} else if (record->type == PERF_RECORD_LOST) {
		memcpy(lost, record + 1, sizeof(lost));
		record_lost(recording, &place, lost[1]);
	} else {
		complete_task(recording, record, &place);
	}
}
