/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/forecast/recording_read.h"

#include "decode/trace_input.h"
#include "replay/program/program_read.h"

static int read_pass(struct forecast_recording *recording, const struct recording_wish *wish,
		     struct err *err)
{
	struct event_source *source = recording->source;
	struct profiler *profiler = profiler_new(source, wish->selection, 0);
	struct program_reader *reader = NULL;
	int rc;

	if (wish->sums)
		profiler_want(profiler, PROFILER_SUMS);
	if (wish->program) {
		reader = program_reader_new(&recording->program, profiler_timeline(profiler),
					    source);
		profiler_watch(profiler, program_reader_take, reader);
		if (wish->functions)
			program_reader_want_gaps(reader);
	}
	rc = profiler_run(profiler, err);
	if (!rc)
		profiler_profile(&recording->profile, profiler);
	if (!rc && reader)
		program_reader_finish(reader);
	program_reader_free(reader);
	profiler_free(profiler);
	return rc;
}

int forecast_recording_read(struct forecast_recording *recording, struct input *input,
			    const struct recording_wish *wish, struct err *err)
{
	struct event_source *source = trace_input_read(input, err);

	*recording = (struct forecast_recording){.source = source};
	if (!source)
		return -1;
	source->samples.timed = wish->spin_timed || wish->functions;
	if (wish->functions) {
		source->samples.chains = &source->chains;
		source->samples.chain_frames = CHAIN_FRAMES_MAX;
	}
	source->chains.wanted = true; /* to name the sites of waits */
	if (!read_pass(recording, wish, err))
		return 0;
	program_release(&recording->program);
	event_source_free(source);
	return -1;
}

void forecast_recording_release(struct forecast_recording *recording)
{
	profile_release(&recording->profile);
	program_release(&recording->program);
	event_source_free(recording->source);
}
