/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_quality.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

static struct column column_of(enum quality_fact fact)
{
	return (struct column){
		.key = quality_words(fact)->key,
		.label = quality_words(fact)->what,
		.unit = quality_kind(fact) == QUALITY_TIME ? UNIT_SECONDS : UNIT_NONE,
	};
}

static struct cell cell_of(const struct quality *quality, enum quality_fact fact)
{
	uint64_t value = quality_value(quality, fact);

	switch (quality_kind(fact)) {
	case QUALITY_TIME:
		return cell_seconds(value);
	case QUALITY_FLAG:
		return cell_bool(value);
	default:
		return cell_count((int64_t)value);
	}
}

static bool is_flaw(const struct quality *quality, enum quality_fact fact)
{
	return quality_value(quality, fact) && quality_words(fact)->meaning;
}

static void write_facts(struct report *report, const struct quality *quality, bool flaws_only)
{
	struct column columns[QUALITY_FACTS];
	struct cell cells[QUALITY_FACTS];
	struct table table = {
		.layout = LAYOUT_FACTS,
		.in = REPORT_JSON,
		.columns = columns,
	};

	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		if (flaws_only && !is_flaw(quality, fact))
			continue;
		columns[table.column_count] = column_of(fact);
		cells[table.column_count++] = cell_of(quality, fact);
	}
	report_group(report, "quality");
	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
	report_ungroup(report);
}

char *report_quality_sentence(const struct quality *quality, enum quality_fact fact)
{
	const struct quality_words *words = quality_words(fact);
	uint64_t value = quality_value(quality, fact);

	if (!is_flaw(quality, fact))
		return NULL;
	switch (quality_kind(fact)) {
	case QUALITY_TIME:
		return xasprintf("Data quality: %s: %.6g s. %s", words->what, (double)value / 1e9,
				 words->meaning);
	case QUALITY_FLAG:
		return xasprintf("Data quality: %s", words->meaning);
	default:
		return xasprintf("Data quality: %s: %" PRIu64 ". %s", words->what, value,
				 words->meaning);
	}
}

static void write_note(struct report *report, const struct quality *quality, enum quality_fact fact)
{
	char *sentence = report_quality_sentence(quality, fact);

	if (sentence)
		report_warning(report, "%s", sentence);
	free(sentence);
}

void report_quality(struct report *report, const struct quality *quality)
{
	write_facts(report, quality, false);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		write_note(report, quality, fact);
}

void report_quality_flaws(struct report *report, const struct quality *quality)
{
	write_facts(report, quality, true);
}
