/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as a forecast needs it: its profile, and in the same pass the program to replay. */
#ifndef PSCAL_CMD_FORECAST_RECORDING_READ_H
#define PSCAL_CMD_FORECAST_RECORDING_READ_H

#include <stdbool.h>

#include "replay/program/program.h"
#include "stats/profile/profile.h"

struct err;
struct event_source;
struct input;
struct selection;

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

#endif
