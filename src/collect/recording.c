/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording.h"

#include "collect/features.h"
#include "collect/target.h"

int recording_open(struct recording *recording, const char *path, const struct tracepoints *points,
		   struct err *err)
{
	*recording = (struct recording){.points = points};
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++)
		recording->events[kind] = (struct perfdata_event){
			.name = tracepoint_names[kind],
			.attr = &points->events[kind].attr,
			.ids = points->events[kind].ids,
			.id_count = points->cpu_count,
		};
	return recording_file_open(&recording->file, path, err);
}

int recording_begin(struct recording *recording, const struct target *target, struct err *err)
{
	uint64_t task_id = recording->events[TRACEPOINT_TASK].ids[0];

	if (perfdata_write_begin(&recording->file, recording->events, TRACEPOINT_COUNT, err))
		return -1;
	for (size_t i = 0; i < target->thread_count; i++) {
		const struct target_thread *thread = &target->threads[i];
		const struct perfdata_thread written = {thread->pid, thread->tid, thread->parent,
							thread->comm};

		tally_thread(&recording->tally, thread->pid, thread->tid);
		if (perfdata_write_thread(&recording->file, &written, task_id, err))
			return -1;
	}
	return 0;
}

int recording_publish(struct recording *recording, struct err *err)
{
	return recording_file_publish(&recording->file, err);
}

static int drain_ring(struct recording *recording, struct ring *ring, struct err *err)
{
	struct ring_span spans[2];
	union ring_record record;

	if (!ring_read(ring, spans))
		return 0;
	for (size_t offset = 0; ring_next(ring, &offset, &record);)
		tally_record(&recording->tally, &record);
	for (int i = 0; i < 2; i++)
		if (recording_file_append(&recording->file, spans[i].bytes, spans[i].size, err))
			return -1;
	ring_consume(ring);
	return 0;
}

int recording_drain(struct recording *recording, struct err *err)
{
	uint64_t before = recording->file.size;

	for (size_t i = 0; i < recording->points->cpu_count; i++)
		if (drain_ring(recording, &recording->points->rings[i], err))
			return -1;
	tally_round(&recording->tally);
	return recording->file.size > before ? perfdata_write_round(&recording->file, err) : 0;
}

int recording_end(struct recording *recording, const struct features_input *input, struct err *err)
{
	struct features_input whole = *input;
	uint64_t hits[TRACEPOINT_COUNT];
	struct features features;
	int rc;

	if (recording_drain(recording, err))
		return -1;
	for (int kind = 0; kind < TRACEPOINT_COUNT; kind++)
		hits[kind] = tracepoints_hits(recording->points, (enum tracepoint_kind)kind);
	whole.events = recording->events;
	whole.event_count = TRACEPOINT_COUNT;
	whole.hits = hits;
	rc = features_make(&features, &whole, err);
	if (!rc)
		rc = perfdata_write_end(&recording->file, recording->events, TRACEPOINT_COUNT,
					features.contents, features.count, err);
	features_release(&features);
	return rc;
}

int recording_close(struct recording *recording, struct err *err)
{
	tally_release(&recording->tally);
	return recording_file_close(&recording->file, err);
}
