/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording of a second program, which runs on the same cores: --with. */
#ifndef PSCAL_CMD_FORECAST_WITH_READ_H
#define PSCAL_CMD_FORECAST_WITH_READ_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct event_source;
struct forecast;
struct forecast_recording;
struct forecast_request;
struct options;
struct quality;
struct selection;
struct trace_options;

struct with_recording {
	const char *path; /* as typed, or NULL: there is none */
	struct forecast_recording *recording;
};

/*
 * Reads it, where there is one; `path` is that of the first recording. Returns 0, or -1 with a
 * sentence, as where it does not tell which program was recorded. The caller releases in any case.
 */
int with_recording_read(struct with_recording *with, struct trace_options *trace, const char *path,
			bool spin_waits, struct err *err);
void with_recording_release(struct with_recording *with);

/*
 * Is the first recording of one program, or limited to one by a selection? Returns 0, or -1 with a
 * sentence.
 */
int with_recording_check_first(const char *path, const struct event_source *source,
			       const struct selection *selection, struct err *err);

/* Threads of it that are ready at a time, at most. */
uint64_t with_recording_active(const struct with_recording *with);

/*
 * Prints the wall times of both programs together; `forecast` is that of the recording at `path`, made
 * by `request`, and `quality` that of its data. Returns 0, or -1 with a sentence.
 */
int with_recording_print(struct with_recording *with, const char *path,
			 const struct forecast *forecast, const struct quality *quality,
			 const struct forecast_request *request, const struct options *common,
			 struct err *err);

#endif
