/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording of --with: a second program, which runs on the same cores. */
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
	const char *path; /* as given on the command line; NULL: none */
	struct forecast_recording *recording;
};

/*
 * Reads the second recording, if --with names one. `path` is the first recording. Returns 0, or -1
 * with an error, for example if the recording does not name its program. The caller releases in
 * either case.
 */
int with_recording_read(struct with_recording *with, struct trace_options *trace, const char *path,
			bool spin_waits, struct err *err);
void with_recording_release(struct with_recording *with);

/*
 * Checks that the first recording is of one program, or that a selection limits it to one. Returns
 * 0, or -1 with an error.
 */
int with_recording_check_first(const char *path, const struct event_source *source,
			       const struct selection *selection, struct err *err);

/* Returns the largest number of ready threads in the second recording; 0: there is none. */
uint64_t with_recording_active(const struct with_recording *with);

/*
 * Prints the wall times of both programs together. `forecast` is of the recording at `path`, made
 * by `request`; `quality` is that of its data. Returns 0, or -1 with an error.
 */
int with_recording_print(struct with_recording *with, const char *path,
			 const struct forecast *forecast, const struct quality *quality,
			 const struct forecast_request *request, const struct options *common,
			 struct err *err);

#endif
