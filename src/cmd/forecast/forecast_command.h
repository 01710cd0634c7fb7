/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `pscal forecast`, read and checked. */
#ifndef PSCAL_CMD_FORECAST_FORECAST_COMMAND_H
#define PSCAL_CMD_FORECAST_FORECAST_COMMAND_H

#include <stdbool.h>

#include "cmd/forecast/against_read.h"
#include "cmd/forecast/recording_read.h"
#include "cmd/forecast/with_read.h"
#include "cmd/model/model_wish.h"
#include "cmd/options/assertion.h"
#include "cmd/options/options.h"
#include "cmd/options/trace.h"
#include "replay/forecast/forecast.h"
#include "stats/profile/wall_times.h"

struct err;
struct profile_view;

/* The quantities of --assert: those of performance models, and three of wall times. */
enum forecast_quantity {
	FORECAST_WALL = MODEL_WISH_WALL,
	FORECAST_SPEEDUP = MODEL_WISH_P95 + 1,
	FORECAST_EFFICIENCY
};

extern const struct assertion_name forecast_command_quantities[];

/* Begins as zero, except the discrepancy, think_s and the names of assertions. */
struct forecast_command {
	struct trace_options trace;
	struct forecast_request request; /* borrows the members below */
	struct number_list cores;
	struct forecast_change *changes;
	int spin; /* 1: busy-waiting counts as waiting */
	bool calibrate;
	const char *slowdown; /* the argument of --slowdown, or NULL */
	struct runs runs;     /* statistics of several recordings */
	struct wall_times measured;
	struct against_list against;
	struct with_recording with;
	struct plotting plotting;
	struct model_wish wish;	      /* options of a forecast with a performance model */
	struct assertions assertions; /* of enum forecast_quantity and model_wish_quantity */
	bool with_profile;	      /* print the summary of the profile before the forecast */
	const struct profile_view *profile; /* this summary; NULL: none */
	char *next; /* with_profile: the command of `next:`, owned by the caller; NULL: none */
};

/* The options of struct forecast_command. */
extern const struct option forecast_command_options[];

/*
 * Checks for options that exclude each other, and fills in command->request. Returns 0, or -1 with
 * an error: wrong usage.
 */
int forecast_command_check(void *command, struct err *err);

/* Frees what options have read. */
void forecast_command_release(struct forecast_command *command);

/*
 * Return the first option that a performance model cannot answer, the first one that a profile
 * (CSV) cannot answer, and the first assertion about a server, such as "throughput>=5"; NULL: none.
 */
const char *forecast_command_beyond_model(const struct forecast_command *command);
const char *forecast_command_beyond_profile(const struct forecast_command *command);
const char *forecast_command_about_server(const struct forecast_command *command);

#endif
