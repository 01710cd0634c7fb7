/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_validity.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct column columns[] = {
	{"condition", "", UNIT_NONE, 0}, {"holds", "", UNIT_NONE, 0},
	{"value", "", UNIT_NONE, 0},	 {"limit", "", UNIT_NONE, 0},
	{"decides", "", UNIT_NONE, 0},	 {"meaning", "", UNIT_NONE, 0},
};

static const struct table table = {
	.key = "validity",
	.layout = LAYOUT_ROWS,
	.in = REPORT_JSON,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static void put_row(struct report *report, const struct validity_finding *finding,
		    const struct validity_words *words)
{
	bool holds = finding->answer == VALIDITY_HOLDS;

	report_row(report,
		   (struct cell[]){
			   cell_text(words->key),
			   finding->answer == VALIDITY_UNKNOWN ? cell_null() : cell_bool(holds),
			   cell_number(finding->value),
			   cell_number(words->limit),
			   cell_bool(words->decides),
			   cell_text(holds ? words->what : words->fails),
		   });
}

static void put_rows(struct report *report, const struct validity *validity)
{
	report_begin(report, &table);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		put_row(report, &validity->findings[i], validity_words(i));
	report_end(report);
}

static const char *value_text(char *out, size_t size, double value,
			      const struct validity_words *words)
{
	if (isnan(value))
		snprintf(out, size, "not known");
	else if (words->unit == VALIDITY_SHARE)
		snprintf(out, size, "%.3g %%", 100 * value);
	else if (words->unit == VALIDITY_SECONDS)
		snprintf(out, size, "%.4g s", value);
	else
		snprintf(out, size, "%.0f", value);
	return out;
}

static void note_self_check(struct report *report, const struct validity *validity)
{
	const struct validity_finding *repeats = &validity->findings[VALIDITY_REPEATS];

	if (repeats->answer != VALIDITY_UNKNOWN)
		report_note(report,
			    "On the cores of the recording, as far as the target had them, the "
			    "replay misses its wall time by %.2f %%.",
			    100 * repeats->value);
}

static void warn(struct report *report, const struct validity_finding *finding,
		 const struct validity_words *words)
{
	char text[64];

	report_warning(report, "Does not hold: %s (%s): %s.", words->what,
		       value_text(text, sizeof(text), finding->value, words), words->fails);
}

/* In few words: what to do about it is in the page, and in JSON. */
static void note_unknown(struct report *report, const struct validity *validity)
{
	char *text = xstrdup("");

	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		char *longer;

		if (validity->findings[i].answer != VALIDITY_UNKNOWN)
			continue;
		longer = xasprintf("%s%swhether %s", text, *text ? ", and " : "",
				   validity_words(i)->what);
		free(text);
		text = longer;
	}
	if (*text)
		report_warning(report, "Not known from this recording: %s.", text);
	free(text);
}

void report_validity(struct report *report, const struct validity *validity, bool taken)
{
	put_rows(report, validity);
	note_self_check(report, validity);
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++)
		if ((taken || i == VALIDITY_ALONE) &&
		    validity->findings[i].answer == VALIDITY_FAILS)
			warn(report, &validity->findings[i], validity_words(i));
	if (taken)
		note_unknown(report, validity);
}
