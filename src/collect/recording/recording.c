/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/recording.h"

#include "base/alloc.h"
#include "base/monotonic.h"
#include "collect/recording/collector.h"
#include "collect/recording/compressor.h"
#include "collect/recording/features.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"
#include "perfdata/perfdata.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The bytes that are kept in memory within a pass, and between passes: a round of a few records
 * would be smaller than its table of sections, and would not compress.
 */
enum { KEPT_BYTES = 4 << 20, ROUND_BYTES = 256 << 10 };

int recording_open(struct recording *recording, const struct recording_options *options,
		   struct err *err)
{
	*recording = (struct recording){.max_bytes = options->max_bytes};
	if (options->compression_level) {
		recording->compressor =
			compressor_new(options->compression_level, options->repeats, err);
		if (!recording->compressor)
			return -1;
	}
	if (recording->compressor && options->repeats)
		recording->repeats = repeat_packer_new();
	return recording_file_open(&recording->file, options->path, err);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* The body of PERF_RECORD_FORK in linux/perf_event.h; that of PERF_RECORD_LOST is {id, lost}. */
struct fork_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns; /* 0: the thread existed before */
};

static bool is_named(const struct recording_counts *counts, const char *comm)
{
	return counts->spec && counts->spec->comm && strcmp(counts->spec->comm, comm) == 0;
}

static void count_named(struct recording_counts *counts, pid_t tid)
{
	counts->named_threads += pid_set_add(&counts->named, tid);
}

static void count_target(struct recording_counts *counts, const struct target *target,
			 const struct lineage *lineage)
{
	counts->spec = target->spec;
	counts->lineage = lineage;
	for (size_t i = 0; i < target->thread_count; i++) {
		if (is_named(counts, target->threads[i].comm))
			count_named(counts, target->threads[i].tid);
		if (target->threads[i].time_ns > counts->scanned_ns)
			counts->scanned_ns = target->threads[i].time_ns;
	}
}

/* Counts a birth. A new thread has the name of its parent. */
static void count_fork(struct recording_counts *counts, const struct perf_event_header *record)
{
	struct fork_body fork;

	memcpy(&fork, record + 1, sizeof(fork));
	if (!fork.time_ns || !pid_set_has(&counts->named, (pid_t)fork.ptid))
		return;
	if (fork.time_ns > counts->scanned_ns) /* its number may be reused */
		pid_set_remove(&counts->named, (pid_t)fork.tid);
	count_named(counts, (pid_t)fork.tid);
}

/* Counts a name. The body of PERF_RECORD_COMM is {u32 pid, tid; char comm[]}. */
static void count_comm(struct recording_counts *counts, const struct perf_event_header *record)
{
	const char *body = (const char *)(record + 1);
	int32_t tid;

	memcpy(&tid, body + 4, sizeof(tid));
	if (is_named(counts, body + 8))
		count_named(counts, tid);
}

static void note_exec(struct recording_counts *counts, const struct perf_event_header *record)
{
	const char *body = (const char *)(record + 1);
	struct recording_exec *exec;
	int32_t pid;

	if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC) ||
	    counts->exec_count == RECORDING_EXECS_MAX)
		return;
	memcpy(&pid, body, sizeof(pid));
	array_reserve(&counts->execs, &counts->exec_capacity, counts->exec_count + 1);
	exec = &counts->execs[counts->exec_count++];
	*exec = (struct recording_exec){.pid = pid};
	memcpy(exec->name, body + 8, strnlen(body + 8, sizeof(exec->name) - 1));
}

/* Returns word `index` behind the header. */
static uint64_t word_of(const struct perf_event_header *record, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)(record + 1) + 8 * index, sizeof(value));
	return value;
}

static void count_record(struct recording_counts *counts, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		counts->samples++;
		break;
	case PERF_RECORD_LOST:
		counts->lost += word_of(record, 1);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		counts->lost += word_of(record, 0);
		break;
	case PERF_RECORD_FORK:
		count_fork(counts, record);
		break;
	case PERF_RECORD_COMM:
		count_comm(counts, record);
		note_exec(counts, record);
		break;
	default:
		break;
	}
}

static void release_counts(struct recording_counts *counts)
{
	pid_set_release(&counts->named);
	free(counts->execs);
	*counts = (struct recording_counts){0};
}

/* --- Writing ------------------------------------------------------------------------------- */

/* Ends writing: cuts the unreadable part off the file. The rest remains valid. */
static int fail_for_good(struct recording *recording, struct err *err)
{
	struct recording_file *file = &recording->file;
	const struct err why = *err;

	recording->failed = true;
	if (recording->sound_bytes && !file->output.is_draft && !file->stream)
		err_set(err, "%.900s; the part recorded until then is readable", why.text);
	recording->error = *err;
	recording_file_cut(file, recording->sound_bytes);
	return -1;
}

static int write_repeats(struct recording *recording, struct err *err)
{
	size_t size, unpacked;
	const void *bytes = repeat_packer_take(recording->repeats, &size, &unpacked);

	compressor_count(recording->compressor, unpacked, size);
	return recording_file_append(&recording->file, bytes, size, err);
}

static int write_packed(struct recording *recording, struct err *err)
{
	if (recording->repeats && write_repeats(recording, err))
		return -1;
	for (size_t at = 0; at < recording->size; at += COMPRESSOR_CHUNK_BYTES) {
		size_t left = recording->size - at;
		size_t size = left < COMPRESSOR_CHUNK_BYTES ? left : COMPRESSOR_CHUNK_BYTES;
		const struct perf_event_header *record =
			compressor_pack(recording->compressor, recording->bytes + at, size, err);

		if (!record || recording_file_append(&recording->file, record, record->size, err))
			return -1;
	}
	return 0;
}

static void drop_repeats(struct recording *recording)
{
	size_t size, unpacked;

	if (recording->repeats)
		repeat_packer_take(recording->repeats, &size, &unpacked);
}

/* Writes the added records to the file. */
static int flush_kept(struct recording *recording, struct err *err)
{
	int rc = 0;

	if (recording->failed)
		rc = -1, drop_repeats(recording);
	else if (recording->compressor)
		rc = write_packed(recording, err);
	else
		rc = recording_file_append(&recording->file, recording->bytes, recording->size,
					   err);
	recording->size = 0;
	if (!rc)
		return 0;
	if (!recording->failed)
		fail_for_good(recording, err);
	*err = recording->error;
	return -1;
}

/* Makes the file a complete recording, however the recorder ends from now on. */
static int mark_sound(struct recording *recording, struct err *err)
{
	if (!recording->file.stream && perfdata_write_mark(&recording->writer, err))
		return fail_for_good(recording, err);
	recording->sound_bytes = recording->file.size;
	return 0;
}

/* --- From the beginning to the end --------------------------------------------------------- */

/* Makes the sections that are known by `time`; the caller releases them in both cases. */
static int make_features(struct features *features, const struct recording *recording,
			 const struct recording_facts *facts, enum features_time time,
			 struct err *err)
{
	struct recording_facts whole = *facts;

	if (recording->compressor) {
		whole.compression_level = compressor_level(recording->compressor);
		whole.compression_ratio = compressor_ratio(recording->compressor);
	}
	return features_make(features, &whole, time, err);
}

static int write_text(struct recording *recording, const struct recording_facts *facts,
		      struct err *err)
{
	struct features features;
	const struct perfdata_content *text;
	int rc = make_features(&features, recording, facts, FEATURES_TARGET, err);

	text = &features.contents[0];
	if (!rc)
		rc = perfdata_write_notes(&recording->file, text->bytes, text->size, err);
	features_release(&features);
	return rc;
}

int recording_begin(struct recording *recording, const struct recording_facts *facts,
		    struct err *err)
{
	struct recording_file *file = &recording->file;
	struct features features;
	int rc = make_features(&features, recording, facts, FEATURES_BEGIN, err);

	count_target(&recording->counts, facts->target, facts->lineage);
	if (!rc && file->stream)
		rc = perfdata_write_stream(file, facts->collectors->events,
					   facts->collectors->event_count, features.contents,
					   features.count, err);
	else if (!rc)
		rc = perfdata_write_begin(&recording->writer, file, facts->collectors->events,
					  facts->collectors->event_count, features.contents,
					  features.count, err);
	features_release(&features);
	return rc || write_text(recording, facts, err) || mark_sound(recording, err) ? -1 : 0;
}

int recording_publish(struct recording *recording, struct err *err)
{
	return recording_file_publish(&recording->file, err);
}

void *recording_add(struct recording *recording, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header *record;
	struct err kept;

	if (recording->size >= KEPT_BYTES)
		flush_kept(recording, &kept);
	array_reserve(&recording->bytes, &recording->capacity, recording->size + size);
	record = (void *)(recording->bytes + recording->size);
	recording->size += size;
	memset(record, 0, size);
	*record = (struct perf_event_header){type, misc, (uint16_t)size};
	return record;
}

void recording_count(struct recording *recording, const void *record)
{
	count_record(&recording->counts, record);
}

bool recording_repeat(struct recording *recording, uint64_t key, uint64_t time_ns)
{
	struct err kept;

	if (!recording->repeats || !repeat_packer_repeat(recording->repeats, key, time_ns))
		return false;
	recording->counts.samples++;
	if (repeat_packer_size(recording->repeats) >= ROUND_BYTES)
		flush_kept(recording, &kept);
	return true;
}

void recording_will_repeat(struct recording *recording, uint64_t key)
{
	if (!recording->repeats)
		return;
	assert(recording->size >= REPEAT_RECORD_BYTES);
	recording->size -= REPEAT_RECORD_BYTES;
	repeat_packer_put(recording->repeats, key, recording->bytes + recording->size);
}

struct time_note {
	struct perf_event_header header;
	char time[PERFDATA_TIME_BYTES];
};

static struct time_note make_note(enum perfdata_note kind, uint64_t time_ns)
{
	struct time_note note = {{PERFDATA_RECORD_NOTE, (uint16_t)kind, sizeof(note)}, ""};

	snprintf(note.time, sizeof(note.time), "%" PRIu64, time_ns);
	return note;
}

void recording_reach(struct recording *recording, uint64_t time_ns)
{
	const struct time_note note = make_note(PERFDATA_NOTE_REACHED, time_ns);

	memcpy(recording_add(recording, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_REACHED, sizeof(note)),
	       &note, sizeof(note));
}

void recording_note(struct recording *recording, const char *line)
{
	const size_t header = sizeof(struct perf_event_header);
	size_t length = strnlen(line, PERFDATA_RECORD_MAX - header);
	uint8_t *record = recording_add(recording, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TEXT_END,
					header + ((length + 7) & ~(size_t)7));

	memcpy(record + header, line, length);
}

/* Ends a round. Readers may sort the records before the previous round. */
static int end_round(struct recording *recording, struct err *err)
{
	static const struct perf_event_header round = {PERFDATA_RECORD_FINISHED_ROUND, 0,
						       sizeof(round)};
	const struct time_note note = make_note(PERFDATA_NOTE_ROUND, recording->behind_ns);

	if (recording->behind_ns)
		return recording_file_append(&recording->file, &note, sizeof(note), err);
	return recording_file_append(&recording->file, &round, sizeof(round), err);
}

static int write_round(struct recording *recording, struct err *err)
{
	if (flush_kept(recording, err))
		return -1;
	recording->round_ns = monotonic_ns();
	if (recording->file.size == recording->sound_bytes)
		return 0;
	if (end_round(recording, err))
		return fail_for_good(recording, err);
	return mark_sound(recording, err);
}

int recording_round(struct recording *recording, struct err *err)
{
	const uint64_t lag_ns = RECORDING_LAG_MS * UINT64_C(1000000);
	size_t size =
		recording->size + (recording->repeats ? repeat_packer_size(recording->repeats) : 0);
	bool is_small = recording->file.size == recording->sound_bytes && size < ROUND_BYTES;

	if (is_small && !recording->failed && monotonic_ns() < recording->round_ns + lag_ns)
		return 0;
	return write_round(recording, err);
}

int recording_tell(struct recording *recording, const char *lines, struct err *err)
{
	if (write_round(recording, err))
		return -1;
	if (perfdata_write_notes(&recording->file, lines, strlen(lines), err))
		return fail_for_good(recording, err);
	return mark_sound(recording, err);
}

bool recording_is_full(const struct recording *recording)
{
	return recording->max_bytes && recording->file.size >= recording->max_bytes;
}

static int write_sections(struct recording *recording, const struct recording_facts *facts,
			  struct err *err)
{
	struct features features;
	int rc = make_features(&features, recording, facts, FEATURES_END, err);

	if (!rc)
		rc = perfdata_write_end(&recording->writer, features.contents, features.count, err);
	features_release(&features);
	return rc;
}

int recording_end(struct recording *recording, const struct recording_facts *facts, struct err *err)
{
	int rc = write_round(recording, err);

	if (!rc && recording->file.stream)
		rc = write_text(recording, facts, err);
	else if (!rc)
		rc = write_sections(recording, facts, err);
	if (rc && !recording->failed)
		fail_for_good(recording, err);
	return rc;
}

int recording_close(struct recording *recording, struct err *err)
{
	recording_drop(recording);
	return recording_file_close(&recording->file, err);
}

void recording_drop(struct recording *recording)
{
	compressor_free(recording->compressor);
	repeat_packer_free(recording->repeats);
	release_counts(&recording->counts);
	pid_set_release(&recording->met);
	free(recording->bytes);
	recording->compressor = NULL;
	recording->repeats = NULL;
	recording->bytes = NULL;
}
