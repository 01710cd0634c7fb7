/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings of a forecast: the profile and, from the same pass, the program to replay. */
#ifndef PSCAL_CMD_FORECAST_RECORDING_READ_H
#define PSCAL_CMD_FORECAST_RECORDING_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "replay/program/program.h"
#include "replay/simulate/slowdown.h"
#include "stats/profile/profile.h"
#include "stats/profile/wall_times.h"

struct err;
struct event_source;
struct input;
struct selection;
struct trace_options;

struct recording_wish {
	const struct selection *selection;
	bool sums;	 /* a profile of all threads together, without single threads */
	bool program;	 /* the program, for a replay */
	bool spin_timed; /* the times of samples, for busy-waiting */
	bool functions;	 /* the times and call chains of samples, for the CPU time of functions */
};

struct forecast_recording {
	struct event_source *source;
	struct profile profile;
	struct program program; /* empty unless wanted */
};

/*
 * Reads a recording. Takes ownership of `input`. Returns 0, or -1 with an error. The caller
 * releases after 0.
 */
int forecast_recording_read(struct forecast_recording *recording, struct input *input,
			    const struct recording_wish *wish, struct err *err);
void forecast_recording_release(struct forecast_recording *recording);

/* --- Several recordings of one program -------------------------------------------------------- */

/* The variation of CPU time from run to run, and its growth with the number of busy cores. */
struct runs {
	struct slowdown_fit fit;
	struct wall_times walls; /* of runs that had the CPUs to themselves */
	/*
	 * The path of the recording to replay: of those on the most cores with about the most
	 * threads, the one with the median CPU time. Borrowed.
	 */
	const char *typical;
	/* Two different commands of the program, by their arguments or its path; NULL: there are none
	   known. They are freed with the runs. */
	char *commands[2];
};

/*
 * Reads the recordings at `paths`. Returns 0, or -1 with an error, for example if they are of
 * different programs. The caller releases in either case.
 */
int runs_read(struct runs *runs, struct trace_options *trace, const char *const *paths,
	      size_t count, struct err *err);
void runs_release(struct runs *runs);

#endif
