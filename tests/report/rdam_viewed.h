/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of reports of the cost of varying durations: drawn, analysed and viewed. */
#ifndef PSCAL_TESTS_REPORT_RDAM_VIEWED_H
#define PSCAL_TESTS_REPORT_RDAM_VIEWED_H

#include "report/rdam/report_rdam.h"
#include "stats/rdam_analysed.h"

struct viewed {
	struct analysed of;
	struct rdam_view view;
};

/* Takes ownership of `source`. `options` may be NULL: rows of all blocks, by thread. */
static inline void view_source(struct viewed *viewed, struct event_source *source,
			       const struct rdam_options *options, double min_score)
{
	static const struct rdam_options usual = {.least = 2};

	*viewed = (struct viewed){.of = {.source = source, .has_strangers = true}};
	analyse(&viewed->of, options ? options : &usual);
	viewed->view = (struct rdam_view){.rdam = &viewed->of.rdam,
					  .trace = &viewed->of.trace,
					  .path = "drawn.data",
					  .costly_score = min_score,
					  .min_score = min_score};
}

static inline void view_release(struct viewed *viewed)
{
	release(&viewed->of);
}

#endif
