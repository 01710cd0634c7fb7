/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings as a forecast needs them: the profile, and in the same pass the program to replay. */
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
	bool sums;	 /* of the profile only what is of all threads */
	bool program;	 /* to be replayed */
	bool spin_timed; /* samples with their times, for busy-waiting */
	bool functions;	 /* the same with call chains, for the CPU time of functions */
};

struct forecast_recording {
	struct event_source *source;
	struct profile profile;
	struct program program; /* empty where it is not wanted */
};

/* Takes `input` over. Returns 0, or -1 with a sentence. The caller releases after 0. */
int forecast_recording_read(struct forecast_recording *recording, struct input *input,
			    const struct recording_wish *wish, struct err *err);
void forecast_recording_release(struct forecast_recording *recording);

/* --- Several recordings of one program -------------------------------------------------------- */

/* The variation of CPU time from run to run, and its growth with the number of busy cores. */
struct runs {
	struct slowdown_fit fit;
	struct wall_times walls; /* of those that had the CPUs to themselves */
	const char *typical; /* the path of the one to replay: of those on the most cores, with the
				    most threads, the one with the median CPU time; borrowed */
};

/*
 * Reads the recordings at `paths`. Returns 0, or -1 with a sentence, as where they are of several
 * programs. The caller releases in any case.
 */
int runs_read(struct runs *runs, struct trace_options *trace, const char *const *paths,
	      size_t count, struct err *err);
void runs_release(struct runs *runs);

#endif
