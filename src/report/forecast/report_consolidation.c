/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs on the same cores (consolidation.h). */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "replay/consolidate/consolidation.h"
#include "replay/forecast/forecast.h"
#include "report/forecast/forecast_words.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Names ------------------------------------------------------------------------------------ */

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Sets the names: "xz" and "sort", or "a.data" and "b.data", or "xz (1)" and "xz (2)". */
static void name_programs(char *names[CONSOLIDATED], const struct consolidation *consolidation,
			  const char *const paths[CONSOLIDATED])
{
	const char *files[CONSOLIDATED] = {file_of(paths[0]), file_of(paths[1])};
	const char *plain[CONSOLIDATED];
	bool same_file = strcmp(files[0], files[1]) == 0, same_program;

	for (size_t i = 0; i < CONSOLIDATED; i++) {
		const char *name = consolidation->forecasts[i]->name;

		plain[i] = name ? name : files[i];
	}
	same_program = strcmp(plain[0], plain[1]) == 0;
	for (size_t i = 0; i < CONSOLIDATED; i++)
		names[i] = same_program && same_file ? xasprintf("%s (%zu)", plain[i], i + 1)
						     : xstrdup(same_program ? files[i] : plain[i]);
}

/* --- The answer ------------------------------------------------------------------------------- */

/* Returns the row on the cores of the first recording, else on the fewest cores. */
static const struct consolidation_row *row_told(const struct consolidation *consolidation)
{
	const struct consolidation_row *told = consolidation->rows;
	uint64_t recorded = consolidation->forecasts[0]->request.measured_cores;

	for (size_t i = 0; i < consolidation->count; i++) {
		const struct consolidation_row *row = &consolidation->rows[i];

		if (row->cores == recorded)
			return row;
		told = row->cores < told->cores ? row : told;
	}
	return told;
}

static struct time_scale scale_of(const struct consolidation *consolidation)
{
	double least_s = INFINITY, most_s = 0;

	for (size_t i = 0; i < consolidation->count; i++) {
		const struct consolidation_row *row = &consolidation->rows[i];

		for (size_t j = 0; j < CONSOLIDATED; j++)
			least_s = fmin(least_s, row->sides[j].alone_s);
		most_s = fmax(most_s, row->both_s);
	}
	return time_scale_of(least_s, most_s);
}

static void put_verdict(struct report *report, const struct consolidation_row *row,
			char *const names[CONSOLIDATED], const struct time_scale *scale)
{
	const struct consolidation_side *a = &row->sides[0], *b = &row->sides[1];
	char texts[4][VALUE_SIZE];

	report_verdict(report,
		       "Together on %" PRIu64 " core%s %s takes %.2fx as long (%s instead of %s), "
		       "%s %.2fx (%s instead of %s).",
		       row->cores, plural(row->cores, "", "s"), names[0], a->factor,
		       time_text(texts[0], scale, a->together_s),
		       time_text(texts[1], scale, a->alone_s), names[1], b->factor,
		       time_text(texts[2], scale, b->together_s),
		       time_text(texts[3], scale, b->alone_s));
}

/* The smallest wait for a CPU, of the wall time, that is worth a sentence. */
static const double least_taken = .005;

/* Reports the CPU time while threads of the other wait. Returns whether it is worth a sentence. */
static bool put_taken_by(struct report *report, const struct consolidation_row *row, size_t which,
			 char *const names[CONSOLIDATED], const struct time_scale *scale)
{
	double taken_s = row->sides[which].taken_s;
	bool much = taken_s > 0 && taken_s >= least_taken * row->sides[!which].together_s;
	char text[VALUE_SIZE];

	report_remark_if(report, much, "%s uses %s of CPU time while threads of %s wait for a CPU.",
			 names[which], time_text(text, scale, taken_s), names[!which]);
	return much;
}

static void put_taken(struct report *report, const struct consolidation_row *row,
		      char *const names[CONSOLIDATED], const struct time_scale *scale)
{
	bool any = row->sides[0].taken_s > 0 || row->sides[1].taken_s > 0, much = false;
	char both[VALUE_SIZE], in_turn[VALUE_SIZE];

	for (size_t i = 0; i < CONSOLIDATED; i++)
		much |= put_taken_by(report, row, i, names, scale);
	report_remark_if(report, !any,
			 "No thread of one program waits for a CPU that the other one uses.");
	report_remark_if(report, any && !much,
			 "Threads of one program hardly wait for a CPU that the other one uses.");
	report_remark(report, "Both together take %s, one after the other %s.",
		      time_text(both, scale, row->both_s),
		      time_text(in_turn, scale, row->in_turn_s));
	report_remark(report, "Contention for caches, memory and disks is left out.");
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* A row of text, with both programs side by side. */
struct cores_line {
	uint64_t cores;
	const char *alone[CONSOLIDATED], *together[CONSOLIDATED], *interval[CONSOLIDATED];
	double factor[CONSOLIDATED];
};

enum { SIDE_COLUMNS = 4, TEXT_COLUMNS = 1 + SIDE_COLUMNS * CONSOLIDATED };
enum { FOR_INTERVAL = 1 }; /* together_s has an interval on some number of cores */

static unsigned features_of(const struct consolidation *consolidation)
{
	for (size_t i = 0; i < consolidation->count; i++)
		for (size_t j = 0; j < CONSOLIDATED; j++)
			if (!isnan(consolidation->rows[i].sides[j].lo_s))
				return FOR_INTERVAL;
	return 0;
}

static void put_cores(struct report *report, const struct consolidation_row *row,
		      const struct time_scale *scale)
{
	struct cores_line line = {.cores = row->cores};
	char texts[CONSOLIDATED][2][VALUE_SIZE], intervals[CONSOLIDATED][2 * VALUE_SIZE];

	for (size_t i = 0; i < CONSOLIDATED; i++) {
		const struct consolidation_side *side = &row->sides[i];

		line.alone[i] = time_text(texts[i][0], scale, side->alone_s);
		line.together[i] = time_text(texts[i][1], scale, side->together_s);
		line.interval[i] = interval_text(intervals[i], scale, side->lo_s, side->hi_s);
		line.factor[i] = side->factor;
	}
	report_row(report, &line);
}

static void put_text(struct report *report, const struct consolidation *consolidation,
		     char *const names[CONSOLIDATED], const struct time_scale *scale)
{
	char *labels[CONSOLIDATED] = {xasprintf("%s alone", names[0]),
				      xasprintf("%s alone", names[1])};
	const struct column columns[TEXT_COLUMNS] = {
		{NULL, "cores", FIELD(cores_line, cores)},
		{NULL, labels[0], FIELD(cores_line, alone[0])},
		{NULL, "together", FIELD(cores_line, together[0])},
		{NULL, "90 % interval", FIELD(cores_line, interval[0]), .needs = FOR_INTERVAL,
		 .optional = true},
		{NULL, "factor", UNIT_FACTOR, FIELD(cores_line, factor[0])},
		{NULL, labels[1], FIELD(cores_line, alone[1])},
		{NULL, "together", FIELD(cores_line, together[1])},
		{NULL, "90 % interval", FIELD(cores_line, interval[1]), .needs = FOR_INTERVAL,
		 .optional = true},
		{NULL, "factor", UNIT_FACTOR, FIELD(cores_line, factor[1])},
	};
	const struct table table = {
		.in = REPORT_TEXT, .has = features_of(consolidation), COLUMNS(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < consolidation->count; i++)
		put_cores(report, &consolidation->rows[i], scale);
	report_end(report);
	for (size_t i = 0; i < CONSOLIDATED; i++)
		free(labels[i]);
}

/* A row of CSV and JSON, for one program. */
struct side_line {
	uint64_t cores, recorded_cores;
	const char *program, *recording, *doubt;
	double cpu_s, both_s, in_turn_s;
	struct consolidation_side side;
};

static const struct column side_columns[] = {
	{"cores", FIELD(side_line, cores)},
	{"program", FIELD(side_line, program)},
	{"recording", FIELD(side_line, recording)},
	{"recorded_cores", FIELD(side_line, recorded_cores)},
	{"cpu_s", FIELD(side_line, cpu_s)},
	{"alone_s", FIELD(side_line, side.alone_s)},
	{"together_s", FIELD(side_line, side.together_s)},
	{"lo_s", FIELD(side_line, side.lo_s)},
	{"hi_s", FIELD(side_line, side.hi_s)},
	{"factor", FIELD(side_line, side.factor)},
	{"alone_run_queue_s", FIELD(side_line, side.queue_alone_s)},
	{"run_queue_s", FIELD(side_line, side.queue_s)},
	{"taken_s", FIELD(side_line, side.taken_s)},
	{"both_s", FIELD(side_line, both_s)},
	{"in_turn_s", FIELD(side_line, in_turn_s)},
	{"doubt", FIELD(side_line, doubt)},
};

static void put_data(struct report *report, const struct consolidation *consolidation,
		     char *const names[CONSOLIDATED], const char *const paths[CONSOLIDATED])
{
	static const struct table table = {
		.key = "together", .in = REPORT_CSV | REPORT_JSON, COLUMNS(side_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < consolidation->count * CONSOLIDATED; i++) {
		const struct consolidation_row *row = &consolidation->rows[i / CONSOLIDATED];
		size_t which = i % CONSOLIDATED;
		const struct forecast *forecast = consolidation->forecasts[which];

		report_row(report, &(struct side_line){
					   .cores = row->cores,
					   .recorded_cores = forecast->request.measured_cores,
					   .program = names[which],
					   .recording = paths[which],
					   .doubt = forecast->doubt,
					   .cpu_s = consolidation->cpu_s[which],
					   .both_s = row->both_s,
					   .in_turn_s = row->in_turn_s,
					   .side = row->sides[which],
				   });
	}
	report_end(report);
}

void report_consolidation(struct report *report, const struct consolidation *consolidation,
			  const char *const paths[CONSOLIDATED],
			  const struct quality *const qualities[CONSOLIDATED])
{
	struct time_scale scale = scale_of(consolidation);
	const struct consolidation_row *told = row_told(consolidation);
	char *names[CONSOLIDATED];

	name_programs(names, consolidation, paths);
	put_verdict(report, told, names, &scale);
	put_taken(report, told, names, &scale);
	for (size_t i = 0; i < CONSOLIDATED; i++) {
		report_program_alerts(report, names[i], consolidation->forecasts[i]);
		report_program_quality(report, names[i], qualities[i]);
	}
	put_text(report, consolidation, names, &scale);
	put_data(report, consolidation, names, paths);
	report_detail(report, "Both programs begin at once and all threads share the cores "
			      "equally; when one ends, the other one has all cores.");
	for (size_t i = 0; i < CONSOLIDATED; i++)
		free(names[i]);
}
