/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the throughput of a run is: work by its wall time, or a number that it prints. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_RATE_H
#define PSCAL_COLLECT_SWEEP_SWEEP_RATE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum sweep_rate_kind {
	SWEEP_RATE_WALL,  /* work / wall time */
	SWEEP_RATE_MATCH, /* the number that `pattern` finds */
	SWEEP_RATE_TIME	  /* work / the seconds that `pattern` finds */
};

struct sweep_rate {
	double work;	 /* done by a run, in any unit */
	bool work_per_n; /* ... by each of its N */
	enum sweep_rate_kind kind;
	regex_t pattern;
};

/*
 * "1000", or "1000*n" for each of the N. `pattern` is a POSIX extended regular expression whose
 * first group is the number; unused for SWEEP_RATE_WALL. Returns 0, or -1 with a sentence; released
 * in any case.
 */
int sweep_rate_init(struct sweep_rate *rate, const char *work, enum sweep_rate_kind kind,
		    const char *pattern, struct err *err);
void sweep_rate_release(struct sweep_rate *rate);

/* A run that has ended. */
struct sweep_rate_run {
	uint64_t n, wall_ns;
	int output; /* what it has printed */
	/* Asked now and then whether to give up, as there may be much to search; or NULL. */
	bool (*give_up)(void *context);
	void *context;
};

/*
 * The throughput of a run, where the last match counts. Above 0. Returns 0, or -1 with a sentence:
 * no match, no number, only a part of one, not above 0.
 */
int sweep_rate_take(double *throughput, const struct sweep_rate *rate,
		    const struct sweep_rate_run *run, struct err *err);

#endif
