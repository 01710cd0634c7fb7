/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/recording.h"

#include "base/alloc.h"
#include "base/monotonic.h"
#include "collect/recording/collector_set.h"
#include "collect/recording/compressor.h"
#include "collect/recording/features.h"
#include "collect/recording/repeat_packer.h"
#include "perfdata/perfdata.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * So much is kept in memory within a pass, and between passes: a round of a few records would be
 * smaller than its table of sections, and would not compress.
 */
enum { KEPT_BYTES = 4 << 20, ROUND_BYTES = 256 << 10 };

int recording_open(struct recording *recording, const struct recording_options *options,
		   struct err *err)
{
	*recording = (struct recording){.max_bytes = options->max_bytes};
	if (options->compression_level) {
		recording->compressor = compressor_new(options->compression_level, err);
		if (!recording->compressor)
			return -1;
	}
	if (recording->compressor && options->repeats) {
		recording->repeats = repeat_packer_new();
		compressor_part(recording->compressor);
	}
	return recording_file_open(&recording->file, options->path, err);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* What is in the file and cannot be read goes away. The rest is as good as it was. */
static int fail(struct recording *recording, struct err *err)
{
	struct recording_file *file = &recording->file;
	const struct err why = *err;

	recording->failed = true;
	if (recording->sound_bytes && !file->output.is_draft && !file->stream)
		err_set(err, "%.900s; what was recorded up to now can be read", why.text);
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

/* What has been added goes into the file. */
static int flush(struct recording *recording, struct err *err)
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
		fail(recording, err);
	*err = recording->error;
	return -1;
}

/* Whatever ends the recorder from now on, what has been written is a whole recording. */
static int mark(struct recording *recording, struct err *err)
{
	if (!recording->file.stream && perfdata_write_mark(&recording->writer, err))
		return fail(recording, err);
	recording->sound_bytes = recording->file.size;
	return 0;
}

/* --- From the beginning to the end --------------------------------------------------------- */

/* Sections that are known by `time`; release them in both cases. */
static int make_features(struct features *features, const struct recording *recording,
			 const struct features_input *input, enum features_time time,
			 struct err *err)
{
	struct features_input whole = *input;

	if (recording->compressor) {
		whole.compression_level = compressor_level(recording->compressor);
		whole.compression_ratio = compressor_ratio(recording->compressor);
	}
	return features_make(features, &whole, time, err);
}

static int write_text(struct recording *recording, const struct features_input *input,
		      struct err *err)
{
	struct features features;
	const struct perfdata_content *text;
	int rc = make_features(&features, recording, input, FEATURES_TARGET, err);

	text = &features.contents[0];
	if (!rc)
		rc = perfdata_write_notes(&recording->file, text->bytes, text->size, err);
	features_release(&features);
	return rc;
}

int recording_begin(struct recording *recording, const struct features_input *input,
		    struct err *err)
{
	struct recording_file *file = &recording->file;
	struct features features;
	int rc = make_features(&features, recording, input, FEATURES_BEGIN, err);

	if (!rc && file->stream)
		rc = perfdata_write_stream(file, input->collectors->events,
					   input->collectors->event_count, features.contents,
					   features.count, err);
	else if (!rc)
		rc = perfdata_write_begin(&recording->writer, file, input->collectors->events,
					  input->collectors->event_count, features.contents,
					  features.count, err);
	features_release(&features);
	return rc || write_text(recording, input, err) || mark(recording, err) ? -1 : 0;
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
		flush(recording, &kept);
	array_reserve(&recording->bytes, &recording->capacity, recording->size + size);
	record = (void *)(recording->bytes + recording->size);
	recording->size += size;
	memset(record, 0, size);
	*record = (struct perf_event_header){type, misc, (uint16_t)size};
	return record;
}

void recording_count(struct recording *recording, const void *record)
{
	tally_record(&recording->tally, record);
}

bool recording_repeat(struct recording *recording, uint64_t key, uint64_t time_ns)
{
	struct err kept;

	if (!recording->repeats || !repeat_packer_repeat(recording->repeats, key, time_ns))
		return false;
	recording->tally.samples++;
	if (repeat_packer_size(recording->repeats) >= ROUND_BYTES)
		flush(recording, &kept);
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

void recording_put(struct recording *recording, const void *record, size_t size)
{
	struct perf_event_header header;
	void *copy;

	memcpy(&header, record, sizeof(header));
	copy = recording_add(recording, header.type, header.misc, size);
	memcpy(copy, record, size);
	recording_count(recording, copy);
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

/* Readers may sort what came before the round before this one. */
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
	if (flush(recording, err))
		return -1;
	recording->round_ns = monotonic_ns();
	if (recording->file.size == recording->sound_bytes)
		return 0;
	if (end_round(recording, err))
		return fail(recording, err);
	return mark(recording, err);
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
		return fail(recording, err);
	return mark(recording, err);
}

bool recording_is_full(const struct recording *recording)
{
	return recording->max_bytes && recording->file.size >= recording->max_bytes;
}

static int write_sections(struct recording *recording, const struct features_input *input,
			  struct err *err)
{
	struct features features;
	int rc = make_features(&features, recording, input, FEATURES_END, err);

	if (!rc)
		rc = perfdata_write_end(&recording->writer, features.contents, features.count, err);
	features_release(&features);
	return rc;
}

int recording_end(struct recording *recording, const struct features_input *input, struct err *err)
{
	int rc = write_round(recording, err);

	if (!rc && recording->file.stream)
		rc = write_text(recording, input, err);
	else if (!rc)
		rc = write_sections(recording, input, err);
	if (rc && !recording->failed)
		fail(recording, err);
	return rc;
}

int recording_close(struct recording *recording, struct err *err)
{
	compressor_free(recording->compressor);
	repeat_packer_free(recording->repeats);
	tally_release(&recording->tally);
	free(recording->bytes);
	recording->compressor = NULL;
	recording->repeats = NULL;
	recording->bytes = NULL;
	return recording_file_close(&recording->file, err);
}
