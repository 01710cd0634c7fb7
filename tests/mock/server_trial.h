/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of a mock server beside its truth (mock/server.h). Either its recording goes through
 * the whole pipeline, as text; or its model is given as its author would write it, which tests the
 * simulation alone.
 */
#ifndef PSCAL_TESTS_MOCK_SERVER_TRIAL_H
#define PSCAL_TESTS_MOCK_SERVER_TRIAL_H

#include "mock/server.h"

struct err;

enum server_way { SERVER_RECORDED, SERVER_BY_HAND };

struct server_trial_plan {
	enum server_way way;
	uint64_t recorded, answered; /* requests of the recording, and of each truth */
	double precision;	     /* of a simulation; 0: the default */
	bool intervals;		     /* by the command; or one simulation each */
	const char *rows;	     /* digits of the rows to forecast, as "034"; NULL: all */
};

/* Each pool as an M/M/c with the mean visit of the recording. */
struct server_mmc {
	double throughput_per_s, response_s; /* infinite: overloaded */
};

struct server_trial_row {
	const struct server *asked; /* configuration of the case */
	double utilisation;	    /* of its capacity */
	struct server_truth truth;
	bool grows; /* forecast, as all below; NaN: unknown */
	double throughput_per_s, response_s, response_lo_s, response_hi_s, response_p95_s;
	double growth_per_s;
	double recorded_s;     /* the response as recorded; NaN: none was */
	struct server_mmc mmc; /* ... */
};

struct server_trial {
	char refused[400]; /* reason for no forecast; "": there is one */
	struct server_trial_row rows[SERVER_ASKED_MAX];
	size_t row_count;
};

/*
 * The rows point into `drawn`. If its model is given by hand, calls and switches cost nothing in
 * it. Returns 0, or -1 with a sentence.
 */
int server_trial(struct server_trial *trial, struct server_case *drawn,
		 const struct server_trial_plan *plan, struct err *err);

#endif
