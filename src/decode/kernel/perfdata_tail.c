/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_tail.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/quality.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_streams.h"

#include <stdlib.h>
#include <string.h>

/* perf keeps the command that recorded, word by word. */
static bool is_at_the_end(const struct perfdata_file *file, const struct input *input)
{
	static const char option[] = "--tail-synthesize";
	struct err ignored;
	size_t length;
	char *words;
	bool found;

	if (!file->features[PERFDATA_CMDLINE].size || !input_size(input))
		return false;
	words = perfdata_file_feature(file, input, PERFDATA_CMDLINE, &length, &ignored);
	found = words && memmem(words, length, option, sizeof(option) - 1);
	free(words);
	return found;
}

/* One record without a time. What is damaged is counted when it comes again. */
static void read_one(struct perfdata_events *events, const struct perfdata_record *record)
{
	struct quality *quality = events->quality, ignored = {0};

	events->quality = &ignored;
	perfdata_events_read(events, record);
	events->quality = quality;
}

static int read_all(struct perfdata_events *events, struct perfdata_streams *streams,
		    struct err *err)
{
	struct perfdata_record record;
	int rc;

	while ((rc = perfdata_streams_next(streams, &record, err)) > 0)
		if (record.header.type == PERF_RECORD_COMM ||
		    record.header.type == PERF_RECORD_FORK)
			read_one(events, &record);
	return rc;
}

int perfdata_tail_read(struct perfdata_events *events, const struct perfdata_file *file,
		       const struct input *input, struct err *err)
{
	struct perfdata_streams *streams;
	struct input *again;
	int rc = -1;

	if (!is_at_the_end(file, input))
		return 0;
	again = input_again(input, err);
	streams = again ? perfdata_streams_new(file, again, err) : NULL;
	events->timeless = TIMELESS_ONLY;
	if (streams)
		rc = read_all(events, streams, err);
	events->timeless = TIMELESS_NONE;
	perfdata_streams_free(streams);
	input_close(again);
	return rc;
}
