/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By which model `pscal forecast` answers, and what the replay says. */
#ifndef PSCAL_CMD_FORECAST_FORECAST_REPLAY_H
#define PSCAL_CMD_FORECAST_FORECAST_REPLAY_H

#include <stdbool.h>

#include "cmd/forecast/forecast_why.h"
#include "replay/forecast/replayed.h"
#include "replay/forecast/validity.h"
#include "replay/program/spin.h"
#include "replay/simulate/slowdown.h"
#include "report/forecast/forecast_view.h"

struct chain_names;
struct chains;
struct err;
struct forecast_request;

struct forecast_replay {
	struct replayed replay;
	struct validity validity;
	struct slowdown slowdown; /* of the machine it is replayed on */
	struct spun spun;
	struct forecast_why why; /* what else it was asked */
	struct chain_names *names;
	bool replayed;
};

/* What else than the program is known of a recording. */
struct forecast_recording {
	const struct samples *samples;
	const struct chains *chains;
	const struct quality *quality;
	double overhead_share; /* unsure_share of struct overhead */
};

/*
 * Replays the program, where that is asked for or can be trusted, and completes `view` with what it
 * gives, or why the closed form takes its place. `program` is changed: what it waits for is
 * recognised in it, and what threads spin by samples may be made waits. `view` borrows until the
 * release, which is due in any case. Returns 0, or -1 with a sentence, also where a replay is asked
 * for that is impossible.
 */
int forecast_replay_init(struct forecast_replay *replay, const struct forecast_request *request,
			 const struct forecast_recording *recording, struct program *program,
			 struct forecast_view *view, struct err *err);
void forecast_replay_release(struct forecast_replay *replay);

#endif
