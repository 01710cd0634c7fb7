/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_columns.h"

#include "report/report.h"
#include "stats/series/series.h"

#include <stdio.h>

/* "100 / time, per second". */
static void describe_value(char *out, size_t size, const struct series_origin *origin)
{
	const char *per = origin->scale != 1 ? ", per second" : "";

	switch (origin->quantity) {
	case QUANTITY_TIME:
		snprintf(out, size, "throughput is %.60s / '%.60s'%s",
			 origin->work ? origin->work : "1", origin->value, per);
		break;
	case QUANTITY_LATENCY:
		snprintf(out, size,
			 "throughput is N / '%.60s'%s, by Little's law for clients that do not "
			 "think",
			 origin->value, per);
		break;
	case QUANTITY_SPEEDUP:
		snprintf(out, size, "throughput is the speed-up '%.60s', in units of that of one",
			 origin->value);
		break;
	case QUANTITY_COUNT:
		snprintf(out, size, "'%.60s' is what was completed since the row before",
			 origin->value);
		break;
	case QUANTITY_TOTAL:
		snprintf(out, size, "'%.60s' is what was completed in all", origin->value);
		break;
	default:
		snprintf(out, size, "throughput is '%.60s'", origin->value);
	}
}

static void put_text(struct report *report, const struct series_origin *origin)
{
	char value[240];

	if (origin->usual && !origin->weights)
		return;
	describe_value(value, sizeof(value), origin);
	if (origin->weights)
		report_note(report, "Columns: N is '%s', %s; weights: %s.", origin->n, value,
			    origin->weights);
	else
		report_note(report, "Columns: N is '%s', %s.", origin->n, value);
}

static void put_json(struct report *report, const struct series_origin *origin)
{
	const struct column columns[] = {
		{"n", "N", UNIT_NONE, 0},
		{quantity_name(origin->quantity), "measured", UNIT_NONE, 0},
		{"clock", "clock", UNIT_NONE, 0},
		{"work", "work", UNIT_NONE, 0},
		{"weights", "weights", UNIT_NONE, 0},
	};
	const struct table table = {.layout = LAYOUT_FACTS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = sizeof(columns) / sizeof(columns[0])};

	report_group(report, "columns");
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(origin->n), cell_text(origin->value),
					   cell_text(origin->clock), cell_text(origin->work),
					   cell_text(origin->weights)});
	report_end(report);
	report_ungroup(report);
}

void report_columns(struct report *report, const struct series *series)
{
	if (!series->origin.n)
		return;
	put_text(report, &series->origin);
	put_json(report, &series->origin);
}
