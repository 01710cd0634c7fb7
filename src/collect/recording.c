/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording.h"

#include "base/alloc.h"
#include "collect/features.h"
#include "collect/perfdata.h"

#include <stdlib.h>
#include <string.h>

int recording_open(struct recording *recording, const char *path, struct err *err)
{
	*recording = (struct recording){.size = 0};
	return recording_file_open(&recording->file, path, err);
}

int recording_begin(struct recording *recording, const struct perfdata_event *events, size_t count,
		    struct err *err)
{
	recording->events = events;
	recording->event_count = count;
	return perfdata_write_begin(&recording->file, events, count, err);
}

int recording_publish(struct recording *recording, struct err *err)
{
	return recording_file_publish(&recording->file, err);
}

void *recording_add(struct recording *recording, uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header *record;

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

void recording_put(struct recording *recording, const void *record, size_t size)
{
	array_reserve(&recording->bytes, &recording->capacity, recording->size + size);
	memcpy(recording->bytes + recording->size, record, size);
	recording->size += size;
	recording_count(recording, record);
}

/* What has been added goes into the file. */
static int flush(struct recording *recording, struct err *err)
{
	size_t size = recording->size;

	recording->size = 0;
	return recording_file_append(&recording->file, recording->bytes, size, err);
}

int recording_round(struct recording *recording, struct err *err)
{
	tally_round(&recording->tally);
	if (!recording->size)
		return 0;
	recording_add(recording, PERFDATA_RECORD_FINISHED_ROUND, 0,
		      sizeof(struct perf_event_header));
	return flush(recording, err);
}

int recording_end(struct recording *recording, const struct features_input *input, struct err *err)
{
	struct features_input whole = *input;
	struct features features;
	int rc;

	whole.events = recording->events;
	whole.event_count = recording->event_count;
	rc = features_make(&features, &whole, err);
	if (!rc)
		rc = flush(recording, err);
	if (!rc)
		rc = perfdata_write_end(&recording->file, recording->events, recording->event_count,
					features.contents, features.count, err);
	features_release(&features);
	return rc;
}

int recording_close(struct recording *recording, struct err *err)
{
	tally_release(&recording->tally);
	free(recording->bytes);
	recording->bytes = NULL;
	return recording_file_close(&recording->file, err);
}
