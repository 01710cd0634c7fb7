/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_quality.h"

#include "base/alloc.h"
#include "report/report_private.h"

#include <inttypes.h>
#include <stdlib.h>

static struct cell cell_of(const struct quality *quality, enum quality_fact fact)
{
	uint64_t value = quality_value(quality, fact);

	switch (quality_kind(fact)) {
	case QUALITY_TIME:
		return cell_number((double)value / 1e9);
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

struct facts {
	struct cell cells[QUALITY_FACTS];
};

static void write_facts(struct report *report, const struct quality *quality, bool flaws_only)
{
	struct column columns[QUALITY_FACTS];
	struct table table = {.key = "quality", .layout = LAYOUT_FACTS, .columns = columns};
	struct facts facts;

	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		if (flaws_only && !is_flaw(quality, fact))
			continue;
		facts.cells[fact] = cell_of(quality, fact);
		columns[table.column_count++] =
			(struct column){quality_words(fact)->key, FIELD(facts, cells[fact])};
	}
	report_table(report, &table, &facts, 1);
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

void report_quality(struct report *report, const struct quality *quality)
{
	write_facts(report, quality, false);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		char *sentence = report_quality_sentence(quality, fact);

		report_warning_if(report, sentence, "%s", sentence);
		free(sentence);
	}
}

void report_quality_flaws(struct report *report, const struct quality *quality)
{
	write_facts(report, quality, true);
}
