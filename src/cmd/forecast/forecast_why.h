/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of the command forecast that ask a replay for more than wall times: what waiting
 * costs, what if it cost less, and which law the wall times follow:
 *
 *	struct why_options why = {0};
 *	const struct poptOption table[] = {WHY_OPTIONS(&why), POPT_TABLEEND};
 */
#ifndef PSCAL_CMD_FORECAST_FORECAST_WHY_H
#define PSCAL_CMD_FORECAST_FORECAST_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "replay/forecast/replayed.h"
#include "replay/forecast/replayed_usl.h"
#include "replay/forecast/why.h"

struct err;
struct forecast_request;
struct forecast_view;

struct why_options {
	int why;	/* --why */
	int usl;	/* --usl */
	char **changes; /* --what-if, each SITE=SHARE; NULL-terminated, or NULL */
};

/* Lines of a table of options. */
#define WHY_OPTIONS(options)                                                    \
	{"why",                                                                 \
	 '\0',                                                                  \
	 POPT_ARG_NONE,                                                         \
	 &(options)->why,                                                       \
	 0,                                                                     \
	 "what would be saved if waiting cost nothing, for each site",          \
	 NULL},                                                                 \
		{"what-if",                                                     \
		 '\0',                                                          \
		 POPT_ARG_ARGV,                                                 \
		 &(options)->changes,                                           \
		 0,                                                             \
		 "if waiting there cost that share of what it did; repeatable", \
		 "SITE=SHARE"},                                                 \
	{                                                                       \
		"usl", '\0', POPT_ARG_NONE, &(options)->usl, 0,                 \
			"fit the Universal Scalability Law to the replay", NULL \
	}

/* The option that only a replay can answer, for sentences; NULL: none is given. */
const char *why_options_name(const struct why_options *options);

/* Returns -1 with a sentence when something is asked for wrongly. */
int why_options_check(const struct why_options *options, struct err *err);
void why_options_release(struct why_options *options);

/* The answers. */
struct forecast_why {
	double *site_costs; /* of what-ifs; NULL: there are none */
	struct wait_cost *costs;
	struct replayed what_if;
	struct why why;
	struct replayed_usl usl;
};

/*
 * Answers what `request` asks of `program`, whose forecast on `machine` is `replayed`, and shows it
 * in `view`, which borrows until the release. With `intervals` what-ifs have some. Returns 0, or -1
 * with a sentence; the caller releases in any case.
 */
int forecast_why_init(struct forecast_why *why, const struct forecast_request *request,
		      const struct program *program, const struct machine *machine,
		      const struct replayed *replayed, bool intervals, struct forecast_view *view,
		      struct err *err);
void forecast_why_release(struct forecast_why *why);

#endif
