/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_suggestion.h"

#include "fit/usl/usl_design.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const aims[] = {[USL_AIM_PEAK_N] = "nc", [USL_AIM_BETA] = "beta"};
static const char *const aim_texts[] = {[USL_AIM_PEAK_N] = "N_c", [USL_AIM_BETA] = "beta"};

static void put_object(struct report *report, const struct usl_suggestion *suggestion)
{
	static const struct column columns[] = {
		{"aim", "", UNIT_NONE, 0},
		{"n", "", UNIT_NONE, 0},
		{"second_n", "", UNIT_NONE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	bool known = suggestion->aim != USL_AIM_NOTHING;
	const struct {
		const char *key;
		double low, high;
	} pairs[] = {
		{"near", suggestion->flat_low, suggestion->flat_high},
		{"now", suggestion->now.low, suggestion->now.high},
		{"then", suggestion->best.interval.low, suggestion->best.interval.high},
		{"second_then", suggestion->second.interval.low, suggestion->second.interval.high},
	};

	report_group(report, "suggestion");
	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_text(known ? aims[suggestion->aim] : NULL),
				   known ? cell_number(suggestion->best.n) : cell_null(),
				   known ? cell_number(suggestion->second.n) : cell_null(),
			   });
	report_end(report);
	for (size_t i = 0; i < COUNT(pairs) && known; i++)
		report_numbers(report, pairs[i].key, (double[]){pairs[i].low, pairs[i].high}, 2);
	report_ungroup(report);
}

static void put_note(struct report *report, const struct usl_suggestion *suggestion)
{
	char second[128] = "";

	if (suggestion->aim == USL_AIM_NOTHING) {
		report_note(report, "Where to measure next these points do not tell; measure at "
				    "more N, and beyond the largest.");
		return;
	}
	if (!isnan(suggestion->second.n))
		snprintf(second, sizeof(second), " Second best is N = %g, with %.4g to %.4g.",
			 suggestion->second.n, suggestion->second.interval.low,
			 suggestion->second.interval.high);
	report_note(report,
		    "Measure N = %g next: then the interval of %s, %.4g to %.4g now, is expected "
		    "to be %.4g to %.4g%s. Any N from %g to %g does nearly as well.%s",
		    suggestion->best.n, aim_texts[suggestion->aim], suggestion->now.low,
		    suggestion->now.high, suggestion->best.interval.low,
		    suggestion->best.interval.high,
		    suggestion->aim == USL_AIM_BETA && suggestion->best.interval.low > 0
			    ? ", which tells that throughput peaks"
			    : "",
		    suggestion->flat_low, suggestion->flat_high, second);
}

void report_suggestion(struct report *report, const struct usl_suggestion *suggestion)
{
	put_note(report, suggestion);
	put_object(report, suggestion);
}
