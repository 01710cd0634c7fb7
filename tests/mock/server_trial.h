/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of a mock server beside its truth (mock/server.h). Either its recording goes all the way
 * through the pipeline, as text, or its model is given as its author would write it, which holds
 * the simulation alone against the truth.
 */
#ifndef PSCAL_TESTS_MOCK_SERVER_TRIAL_H
#define PSCAL_TESTS_MOCK_SERVER_TRIAL_H

#include "mock/server.h"

struct err;

enum server_way { SERVER_RECORDED, SERVER_BY_HAND };

struct server_trial_plan {
	enum server_way way;
	uint64_t recorded, answered; /* requests of the recording, and of each truth */
	double precision;	     /* of a simulation; 0: as usual */
	bool intervals;		     /* the forecasts of the command, and not one simulation each */
	const char *rows;	     /* digits: which are asked for, as "034"; NULL: all */
};

/* As if each pool were an M/M/c with the mean visit of the recording. */
struct server_mmc {
	double throughput_per_s, response_s; /* infinite: it grows */
};

struct server_trial_row {
	const struct server *asked; /* of the case */
	double utilisation;	    /* of its capacity */
	struct server_truth truth;
	bool grows; /* forecast, as all that follows; NaN: not known */
	double throughput_per_s, response_s, response_lo_s, response_hi_s, response_p95_s;
	double growth_per_s;
	double recorded_s;     /* the response as recorded; NaN: nothing was */
	struct server_mmc mmc; /* ... */
};

struct server_trial {
	char refused[400]; /* why there is no forecast; "": there is */
	struct server_trial_row rows[SERVER_ASKED_MAX];
	size_t row_count;
};

/*
 * The rows point into `drawn`, in which calls and switches cost nothing any more where its model is
 * given by hand. Returns 0, or -1 with a sentence where something fails.
 */
int server_trial(struct server_trial *trial, struct server_case *drawn,
		 const struct server_trial_plan *plan, struct err *err);

#endif
