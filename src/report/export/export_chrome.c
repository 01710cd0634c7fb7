/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_trace.h"

#include "report/report_embed.h"

#include <inttypes.h>

/*
 * The trace event format in JSON: "Trace Event Format", Google 2016. A slice is an event at its
 * start (B) and one at its end (E); their order says how slices nest if times are equal. An event
 * with a duration (X) would end at the sum of two rounded numbers, which may be after the start of
 * the next one. Arrows are flow events: s, and f after the start of the slice where the arrow ends.
 * Times are in microseconds.
 */
struct chrome_file {
	struct trace_walk walk;
	bool begun; /* an event has been written */
};

/*
 * The first tid of LANE_CODE, above all tids of threads (PID_MAX_LIMIT), and the first one of
 * threads whose numbers another thread had before.
 */
enum { CHROME_CODE_TID = 1 << 22, CHROME_AGAIN_TID = 1 << 23 };

static int32_t chrome_tid(const struct trace_thread *thread, enum trace_lane lane)
{
	if (thread->is_again)
		return CHROME_AGAIN_TID + (int32_t)(thread->number * LANES) + (lane == LANE_CODE);
	return thread->tid + (lane == LANE_CODE ? CHROME_CODE_TID : 0);
}

static FILE *chrome_begin(struct trace_walk *walk, const char *phase, const char *name)
{
	struct chrome_file *chrome = (struct chrome_file *)walk;
	FILE *out = walk->file.out;

	fputs(chrome->begun ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
	chrome->begun = true;
	fprintf(out, "{\"ph\":\"%s\",\"name\":", phase);
	report_put_json(out, name);
	return out;
}

static void chrome_at(FILE *out, const char *key, uint64_t time_ns)
{
	fprintf(out, ",\"%s\":", key);
	export_put_us(out, time_ns);
}

static void chrome_on(FILE *out, const struct trace_thread *thread, enum trace_lane lane)
{
	fprintf(out, ",\"pid\":%" PRId32 ",\"tid\":%" PRId32, thread->pid,
		chrome_tid(thread, lane));
}

static void chrome_code(struct trace_walk *walk, const struct trace_slice *slice, bool begins)
{
	FILE *out = chrome_begin(walk, begins ? "B" : "E", slice->name);

	fprintf(out, ",\"cat\":\"%s\"", slice->category);
	chrome_on(out, slice->thread, slice->lane);
	chrome_at(out, "ts", begins ? slice->begin_ns : slice->end_ns);
	if (slice->cpu >= 0) /* Speedscope compares the arguments of both ends */
		fprintf(out, ",\"args\":{\"cpu\":%" PRId32 "}", slice->cpu);
	fputs(slice->open ? ",\"args\":{\"end\":\"not on record\"}}" : "}", out);
}

static void chrome_flow(struct trace_walk *walk, bool begins, uint64_t id,
			const struct trace_thread *thread, uint64_t time_ns)
{
	FILE *out = chrome_begin(walk, begins ? "s" : "f", "wakeup");

	fprintf(out, ",\"cat\":\"wakeup\",\"id\":%" PRIu64 "%s", id, begins ? "" : ",\"bp\":\"e\"");
	chrome_on(out, thread, LANE_STATES);
	chrome_at(out, "ts", time_ns);
	fputs("}", out);
}

static void chrome_slice(struct trace_walk *walk, const struct trace_slice *slice)
{
	chrome_code(walk, slice, true);
	if (slice->flow)
		chrome_flow(walk, false, slice->flow, slice->thread, slice->begin_ns);
	chrome_code(walk, slice, false);
}

static void chrome_arrow(struct trace_walk *walk, const struct trace_arrow *arrow)
{
	chrome_flow(walk, true, arrow->id, arrow->from, arrow->time_ns);
}

static void chrome_process(struct trace_walk *walk, int32_t pid, const char *name)
{
	FILE *out = chrome_begin(walk, "M", "process_name");

	fprintf(out, ",\"pid\":%" PRId32 ",\"args\":{\"name\":", pid);
	report_put_json(out, name);
	fputs("}}", out);
}

static void chrome_thread(struct trace_walk *walk, const struct trace_thread *thread)
{
	for (enum trace_lane lane = 0; lane < LANES; lane++) {
		char name[2 * THREAD_NAME_SIZE];
		FILE *out;

		if (lane == LANE_CODE && !thread->has_code)
			continue;
		out = chrome_begin(walk, "M", "thread_name");
		chrome_on(out, thread, lane);
		fputs(",\"args\":{\"name\":", out);
		report_put_json(out, trace_lane_name(name, thread, lane));
		fputs("}}", out);
		out = chrome_begin(walk, "M", "thread_sort_index");
		chrome_on(out, thread, lane);
		fprintf(out, ",\"args\":{\"sort_index\":%zu}}",
			thread->number * LANES + (lane == LANE_CODE));
	}
}

/* Writes a counter, which belongs to no process, like marks. */
static void chrome_counter(struct trace_walk *walk, const char *name, uint64_t time_ns,
			   double value)
{
	FILE *out = chrome_begin(walk, "C", name);

	fputs(",\"pid\":0", out);
	chrome_at(out, "ts", time_ns);
	fprintf(out, ",\"args\":{\"value\":%.6g}}", value);
}

static void chrome_mark(struct trace_walk *walk, const struct trace_mark *mark)
{
	FILE *out = chrome_begin(walk, "i", mark->name);

	fputs(",\"cat\":\"quality\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":0", out);
	fprintf(out, ",\"args\":{\"value\":%" PRIu64 ",\"meaning\":", mark->value);
	report_put_json(out, mark->meaning);
	fputs("}}", out);
}

static int chrome_end(struct trace_walk *walk, const struct export_facts *facts, struct err *err)
{
	FILE *out = walk->file.out;

	(void)err;
	fputs("\n],\n\"otherData\":{\"recording\":", out);
	report_put_json(out, walk->input);
	fputs(",\"made by\":\"pscal " PSCAL_VERSION "\"", out);
	fprintf(out, ",\"begin_ns\":\"%" PRIu64 "\"}}\n", facts->begin_ns);
	return 0;
}

const struct trace_ops chrome_ops = {
	.size = sizeof(struct chrome_file),
	.slice = chrome_slice,
	.code = chrome_code,
	.arrow = chrome_arrow,
	.process = chrome_process,
	.thread = chrome_thread,
	.counter = chrome_counter,
	.mark = chrome_mark,
	.end = chrome_end,
};
