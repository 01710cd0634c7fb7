/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_format.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "report/export/export_file.h"
#include "report/report.h"
#include "report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/*
 * Lines of flamegraph.pl: "comm;main;work 1234". The number is in whole microseconds, as some
 * readers of such lines accept no fractions.
 */
struct folded_file {
	const char *path;
	enum stack_weight weight;
	struct export_file file;
	struct stack_folder *folder;
	struct folded_stacks stacks;
	uint64_t lines;
};

static void folded_free(void *own)
{
	struct folded_file *folded = own;

	export_file_close(&folded->file);
	stack_folder_free(folded->folder);
	folded_stacks_release(&folded->stacks);
	free(folded);
}

static void *folded_open(const struct export_request *request, struct event_source *source,
			 struct err *err)
{
	struct folded_file *folded = xcalloc(1, sizeof(*folded));

	folded->path = request->path;
	folded->weight = request->weight;
	if (export_file_open(&folded->file, request->path, request->replace, err)) {
		folded_free(folded);
		return NULL;
	}
	folded->folder = stack_folder_new(source);
	return folded;
}

static void folded_change(void *own, const struct change *change, uint64_t begin_ns)
{
	struct folded_file *folded = own;

	(void)begin_ns;
	stack_folder_take(folded->folder, change);
}

static int folded_check(const void *own, struct err *err)
{
	const struct folded_file *folded = own;

	return export_file_check(&folded->file, err);
}

/* Refuses a weight without stacks: a flame graph would show only threads. */
static int folded_require(const struct folded_file *folded, struct err *err)
{
	const struct folded_stacks *stacks = &folded->stacks;

	if (folded->weight == STACK_CPU && !stacks->count)
		return err_set(err, "CPU time by stack needs samples, and the recording has none; "
				    "record it with 'pscal record -F 997 -g'");
	if (folded->weight != STACK_CPU && stacks->unknown_s >= stacks->total_s)
		return err_set(err, "the recording has no call stacks of threads that leave their "
				    "CPU; record it with 'pscal record --off-cpu'");
	return 0;
}

static int folded_finish(void *own, const struct export_facts *facts, struct err *err)
{
	struct folded_file *folded = own;

	(void)facts;
	folded_stacks_init(&folded->stacks, folded->folder, folded->weight);
	if (folded_require(folded, err))
		return -1;
	for (size_t i = 0; i < folded->stacks.count; i++) {
		const struct folded_row *row = &folded->stacks.rows[i];
		long long time_us = llround(row->time_s * 1e6);

		if (time_us <= 0)
			continue;
		fprintf(folded->file.out, "%s %lld\n", row->stack, time_us);
		folded->lines++;
	}
	return export_file_publish(&folded->file, err);
}

static void folded_report(const void *own, struct report *report)
{
	static const char *const names[STACK_WEIGHTS] = {
		[STACK_CPU] = "CPU time",
		[STACK_OFF_CPU] = "off-CPU time",
		[STACK_RUN_QUEUE] = "run-queue wait",
	};
	const struct folded_file *folded = own;
	const struct folded_stacks *stacks = &folded->stacks;

	report_verdict(report, "%s has %" PRIu64 " stacks of %.3g s of %s, in microseconds.",
		       folded->path, folded->lines, stacks->total_s, names[folded->weight]);
	report_alert_if(report, stacks->unknown_s > .1 * stacks->total_s,
			"%.0f %% of that time has no stack on record: [unknown].",
			100 * stacks->unknown_s / stacks->total_s);
	report_alert_if(report, stacks->left_out_s > 0,
			"%.3g s are left out: the recording has more than %d different stacks.",
			stacks->left_out_s, FOLDED_ROWS_MAX);
	report_next_step(report, "flamegraph.pl --countname us %s >flame.svg", folded->path);
}

const struct export_format export_folded = {
	.open = folded_open,
	.change = folded_change,
	.check = folded_check,
	.finish = folded_finish,
	.report = folded_report,
	.free = folded_free,
};
