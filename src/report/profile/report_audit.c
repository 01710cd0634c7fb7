/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_audit.h"

#include <inttypes.h>

static const struct column columns[] = {
	{"time_s", "time", UNIT_STAMP, 14},
	{"place", "place", UNIT_NONE, 12},
	{"cpu", "cpu", UNIT_NONE, 3},
	{"tid", "tid", UNIT_NONE, 7},
	{"comm", "thread", UNIT_NONE, -15},
	{"case", "case", UNIT_NONE, -20},
	{"since_s", "since", UNIT_STAMP, 14},
	{"past", "taken as", UNIT_NONE, -8},
	{"action", "what was done", UNIT_NONE, -13},
};

static const struct table table = {
	.key = "audit",
	.layout = LAYOUT_STREAM,
	.in = REPORT_ALL,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

void report_audit_begin(struct report_audit *audit, struct report *report)
{
	*audit = (struct report_audit){.report = report};
	report_begin(report, &table);
}

static struct cell cell_time(uint64_t time_ns, uint64_t origin_ns)
{
	if (!origin_ns)
		return cell_null();
	return cell_number(((double)time_ns - (double)origin_ns) / 1e9);
}

static struct cell cell_id(int32_t id)
{
	return id < 0 ? cell_null() : cell_count(id);
}

void report_audit_finding(struct report_audit *audit, const struct finding *finding,
			  uint64_t origin_ns)
{
	const struct quality_words *words = quality_words(finding->fact);
	bool told = finding->past != STATE_NONE;

	if (++audit->seen[finding->fact] > REPORT_AUDIT_MAX)
		return;
	report_row(audit->report,
		   (struct cell[]){
			   cell_time(finding->time_ns, origin_ns),
			   finding->place ? cell_count((int64_t)finding->place) : cell_null(),
			   cell_id(finding->cpu),
			   cell_id(finding->tid),
			   cell_text(*finding->comm ? finding->comm : NULL),
			   cell_text(words->key),
			   told ? cell_time(finding->since_ns, origin_ns) : cell_null(),
			   cell_text(told ? thread_state_name(finding->past) : NULL),
			   cell_text(words->action),
		   });
}

void report_audit_end(struct report_audit *audit)
{
	report_end(audit->report);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		if (audit->seen[fact] > REPORT_AUDIT_MAX)
			report_note(audit->report,
				    "Of %" PRIu64 " cases of %s the first %d are listed; --from, "
				    "--to and --thread choose others.",
				    audit->seen[fact], quality_words(fact)->key, REPORT_AUDIT_MAX);
}
