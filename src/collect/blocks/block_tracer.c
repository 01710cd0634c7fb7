/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_tracer.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/blocks/block_names.h"
#include "collect/blocks/block_spool.h"
#include "collect/blocks/block_tracepoints.h"
#include "collect/blocks/preload.h"
#include "collect/blocks/watch_gaps.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC "/proc"

/*
 * The time between passes, so that the data of threads stays in the caches, and the shortest, so
 * that there is enough time between two readings of the clocks.
 */
enum { PASS_MS = 4, LEAST_PASS_US = 1000 };

/*
 * The longest pass. Threads may write faster than the recorder reads. Then other collectors have
 * their turn, as their rings hold less than the spool.
 */
enum { LONGEST_PASS_MS = 50, LOOKS_AT_CLOCK = 4096 };

/*
 * The time after the stop for events of another user's processes; unread ones are lost: such a
 * process must not decide when the recorder ends.
 */
enum { LAST_PASS_MS = 1000 };

/* The events after which the time reached is recorded, for readers that sort events. */
enum { TELLS_TIME = 1 << 16 };

/* The events: the tracepoints, and pscal:enter with a stack, which is another event in perf. */
enum { ENTER_STACK = BLOCK_TRACEPOINTS, EVENT_COUNT };

/* The CPU of events, which is not known. */
static const uint32_t cpu_unknown = UINT32_MAX;

struct block_tracer {
	struct collector base;
	struct probe_plan plan;
	struct block_spool spool;
	struct block_names names;
	struct perfdata_event described[EVENT_COUNT];
	struct perf_event_attr attrs[EVENT_COUNT];
	uint64_t ids[EVENT_COUNT];
	char *formats[BLOCK_TRACEPOINTS];
	struct preload preload;
	char *note;
	bool stopped, finished;
	uint64_t passed_ns, stopped_ns;
	uint64_t on_ns, off_ns; /* times after which, and until which, events are recorded */
	uint64_t events, steps, threads;

	/* After the last pass: */
	struct spool_losses losses;
	uint64_t lost, drift_ns;
	char *trouble;
	struct watch_gaps gaps;

	double cost_ns, task_cost_ns;
};

static struct block_tracer *of(struct collector *collector)
{
	return (struct block_tracer *)collector;
}

static const struct block_tracer *of_const(const struct collector *collector)
{
	return (const struct block_tracer *)collector;
}

/* --- On and off ---------------------------------------------------------------------------- */

/* Switches recording on or off. Events while it is off are read and dropped. */
static int enable_blocks(struct collector *collector, bool on, struct err *err)
{
	struct block_tracer *tracer = of(collector);

	(void)err;
	if (on)
		tracer->on_ns = monotonic_ns();
	tracer->off_ns = on ? UINT64_MAX : monotonic_ns();
	return 0;
}

static void stop_blocks(struct collector *collector)
{
	of(collector)->stopped = true;
	of(collector)->stopped_ns = monotonic_ns();
	block_names_hurry(&of(collector)->names);
}

/* --- Records ------------------------------------------------------------------------------- */

static struct block_process *names_of(struct spool_process *process)
{
	if (!process->data)
		process->data = block_process_new(process);
	return process->data;
}

/* Returns the number of an address, which may be a place, see block_names.h. */
static uint32_t find_number(struct block_tracer *tracer, struct spool_thread *thread,
			    uint64_t address)
{
	struct known_block *known = &thread->known[(address >> 4) % KNOWN_BLOCKS];

	if (known->address != address) {
		known->number =
			block_names_number(&tracer->names, names_of(thread->process), address);
		known->address = address;
	}
	return known->number;
}

/* Returns the stack in the kernel's order: the function first, then its return addresses. */
static struct record_stack stack_of(struct spool_thread *thread)
{
	thread->stack[0] = PERF_CONTEXT_USER;
	thread->stack[1] = thread->event.block;
	return (struct record_stack){.ips = thread->stack, .depth = thread->stack_depth + 2};
}

static struct record_place place_of(const struct block_tracer *tracer,
				    const struct spool_thread *thread, size_t event)
{
	return (struct record_place){.id = tracer->ids[event],
				     .time_ns = thread->time_ns,
				     .pid = thread->reader.pid,
				     .tid = thread->reader.tid,
				     .cpu = cpu_unknown};
}

static size_t format_of(enum spool_kind kind)
{
	return kind == SPOOL_ENTER   ? BLOCK_TRACEPOINT_ENTER
	       : kind == SPOOL_LEAVE ? BLOCK_TRACEPOINT_LEAVE
				     : BLOCK_TRACEPOINT_MARK;
}

/* Records an event unlike all before. */
static void put_whole(struct block_tracer *tracer, struct recording *recording,
		      struct spool_thread *thread, size_t format, uint32_t block)
{
	size_t args = thread->event.count * sizeof(uint64_t);
	bool has_stack = format == BLOCK_TRACEPOINT_ENTER && thread->stack_depth;
	struct record_place place =
		place_of(tracer, thread, has_stack ? (size_t)ENTER_STACK : format);
	struct record_stack stack = {.depth = 0};
	struct block_payload payload; /* a kilobyte, mostly unused */

	payload.type = block_tracepoint_type(format);
	payload.flags = payload.preempt_count = 0;
	payload.pid = thread->reader.tid;
	payload.block = block;
	payload.args_place = BLOCK_PAYLOAD_FIXED | (uint32_t)args << 16;
	memcpy(payload.args, thread->event.values, args);
	if (has_stack)
		stack = stack_of(thread);
	record_sample(recording, &place, has_stack ? &stack : NULL, &payload,
		      BLOCK_PAYLOAD_FIXED + args);
}

/* Returns the key of events that differ only in their time. */
static uint64_t key_of(const struct spool_thread *thread, size_t format, uint32_t block)
{
	return thread->number << 34 | (uint64_t)format << 32 | block;
}

static void put_event(struct block_tracer *tracer, struct recording *recording,
		      struct spool_thread *thread)
{
	size_t format = format_of(thread->event.kind);
	uint32_t block = find_number(tracer, thread, thread->event.block);
	uint64_t key = key_of(thread, format, block);

	tracer->events++;
	if (thread->event.count || thread->stack_depth) {
		put_whole(tracer, recording, thread, format, block);
	} else if (!recording_repeat(recording, key, thread->time_ns)) {
		put_whole(tracer, recording, thread, format, block);
		recording_will_repeat(recording, key);
	}
}

/* Records a step. The reader has checked that it has its values. */
static void put_step(struct block_tracer *tracer, struct recording *recording,
		     struct spool_thread *thread)
{
	const struct spool_event *event = &thread->event;
	unsigned step = spool_task_step(event->values[0]), own = spool_step_values(step);
	size_t counters = tracer->plan.header.counter_count;
	struct record_place place = place_of(tracer, thread, BLOCK_TRACEPOINT_TASK);
	struct step_payload payload = {
		.type = block_tracepoint_type(BLOCK_TRACEPOINT_TASK),
		.pid = thread->reader.tid,
		.site = find_number(tracer, thread, event->block | BLOCK_NAMES_PLACE),
		.step = step,
		.task = spool_task(event->values[0]),
		.value = own > 2 ? event->values[1] : 0,
		.index = own > 1 ? (uint32_t)event->values[own - 1] : 0,
	};

	for (size_t i = 0; i < counters; i++)
		payload.counters[i] = own + i < event->count ? (int64_t)event->values[own + i] : -1;

	tracer->steps++;
	record_sample(recording, &place, NULL, &payload,
		      counters ? STEP_PAYLOAD_COUNTED + counters * sizeof(int64_t)
			       : (size_t)STEP_PAYLOAD_BYTES);
}

static void put_record(struct block_tracer *tracer, struct recording *recording,
		       struct spool_thread *thread)
{
	if (thread->time_ns < tracer->on_ns || thread->time_ns > tracer->off_ns)
		return;
	if (thread->event.kind == SPOOL_TASK || thread->event.kind == SPOOL_COUNTED)
		put_step(tracer, recording, thread);
	else
		put_event(tracer, recording, thread);
}

static void meet_thread(struct block_tracer *tracer, struct spool_thread *thread)
{
	if (!thread->number)
		thread->number = ++tracer->threads;
}

/* --- Processes ----------------------------------------------------------------------------- */

static void process_begun(void *context, pid_t pid)
{
	struct block_tracer *tracer = context;

	watch_gaps_begun(&tracer->gaps, pid);
}

/* The context of has_function(): the process that mapped a file late. */
struct late_file {
	struct block_tracer *tracer;
	struct spool_process *process;
};

static bool has_function(void *context, const char *path, const char *glob)
{
	const struct late_file *late = context;

	return block_names_has_function(&late->tracer->names, names_of(late->process), path, glob);
}

static void process_notes(void *context, struct spool_process *process, enum spool_note kind,
			  char *text)
{
	struct block_tracer *tracer = context;
	const char *path = strchr(text, '/');

	if (kind == SPOOL_NOTE_LATER_MAP && path && !block_process_maps(names_of(process), path)) {
		struct late_file late = {tracer, process};

		watch_gaps_late(&tracer->gaps, path, &tracer->plan, has_function, &late);
	}
	block_names_note(&tracer->names, names_of(process), kind, text);
}

static void process_ended(void *context, struct spool_process *process)
{
	struct block_tracer *tracer = context;

	block_process_free(&tracer->names, process->data);
}

static const struct spool_process_calls process_calls = {process_begun, process_notes,
							 process_ended};

static void read_notes(void *context, struct spool_process *process)
{
	struct block_tracer *tracer = context;

	block_spool_read_notes(&tracer->spool, process);
}

static void make_formats(struct block_tracer *tracer)
{
	struct task_counter_names counters = {.count = tracer->plan.header.counter_count};

	for (size_t i = 0; i < counters.count; i++)
		counters.items[i] = tracer->plan.counter_names[i];
	for (size_t i = 0; i < BLOCK_TRACEPOINTS; i++) {
		free(tracer->formats[i]);
		tracer->formats[i] = block_tracepoint_text(i, tracer->names.items,
							   tracer->names.count, &counters);
	}
}

/* Ends reading. The command may go on for long: its threads need no spool any more. */
static void finish_reading(struct block_tracer *tracer)
{
	struct block_spool *spool = &tracer->spool;

	tracer->losses = block_spool_losses(spool);
	tracer->lost = tracer->losses.unread + tracer->losses.missing + tracer->losses.torn;
	tracer->drift_ns = spool->clocks.drift_ns;
	block_spool_end_processes(spool);
	tracer->trouble = spool->trouble;
	spool->trouble = NULL;
	make_formats(tracer);
	tracer->finished = true;
	block_spool_close(spool);
}

/*
 * Returns the end of the last pass. Its length depends on the load of the machine, so only
 * processes of other users limit it: the rest of our own ones is limited by their memory.
 */
static uint64_t last_pass_end(const struct block_tracer *tracer)
{
	return tracer->spool.foreign ? tracer->stopped_ns + LAST_PASS_MS * UINT64_C(1000000)
				     : UINT64_MAX;
}

/* Reads the events of a pass. Returns 0, or the time from which on there are more. */
static uint64_t read_spool(struct block_tracer *tracer, struct recording *recording,
			   uint64_t until_ns)
{
	uint64_t met = tracer->names.met;
	struct spool_thread *thread;

	for (uint64_t i = 1; (thread = block_spool_first(&tracer->spool)); i++) {
		/* Finding a name may take as long as many events. */
		if ((i % LOOKS_AT_CLOCK == 0 || met != tracer->names.met) &&
		    monotonic_ns() > until_ns)
			return thread->time_ns;
		met = tracer->names.met;
		if (i % TELLS_TIME == 0)
			recording_reach(recording, thread->time_ns);
		meet_thread(tracer, thread);
		put_record(tracer, recording, thread);
		block_spool_drop_first(&tracer->spool);
	}
	return 0;
}

static void last_pass(struct block_tracer *tracer, struct recording *recording)
{
	block_spool_begin_pass(&tracer->spool, true);
	read_spool(tracer, recording, last_pass_end(tracer));
	recording->behind_ns = 0;
	block_names_tell(&tracer->names, recording);
	finish_reading(tracer);
}

static int pass_blocks(struct collector *collector, struct recording *recording, struct err *err)
{
	struct block_tracer *tracer = of(collector);
	uint64_t now_ns = monotonic_ns();

	(void)err;
	if (tracer->finished)
		return 0;
	if (tracer->stopped) {
		last_pass(tracer, recording);
		return 0;
	}
	if (now_ns < tracer->passed_ns + LEAST_PASS_US * UINT64_C(1000))
		return 0;
	tracer->passed_ns = now_ns;
	block_spool_begin_pass(&tracer->spool, false);
	recording->behind_ns =
		read_spool(tracer, recording, now_ns + LONGEST_PASS_MS * UINT64_C(1000000));
	block_names_tell(&tracer->names, recording);
	tracer->base.pass_ms = recording->behind_ns ? 1 : PASS_MS;
	return 0;
}

static const char *format_text(const struct collector *collector, const char *event)
{
	for (size_t i = 0; i < BLOCK_TRACEPOINTS; i++)
		if (strcmp(event, block_tracepoint_name(i)) == 0)
			return of_const(collector)->formats[i];
	return NULL;
}

/* --- Results -------------------------------------------------------------------------------- */

static void tell_blocks(const struct collector *collector, FILE *out)
{
	const struct block_tracer *tracer = of_const(collector);

	fprintf(out, "blocks_every %" PRIu32 "\n", tracer->plan.header.every);
	if (tracer->cost_ns > 0)
		fprintf(out, "block_cost_ns %.1f\n", tracer->cost_ns);
	if (tracer->task_cost_ns > 0)
		fprintf(out, "task_cost_ns %.1f\n", tracer->task_cost_ns);
	if (!tracer->finished)
		return;
	fprintf(out, "blocks_lost %" PRIu64 "\n", tracer->lost);
	fprintf(out, "blocks_drift_ns %" PRIu64 "\n", tracer->drift_ns);
}

void block_tracer_result(struct block_tracer_result *result, struct collector *collector,
			 const struct recording_counts *counts)
{
	enum { NAMED = 3 };
	struct block_tracer *tracer = of(collector);

	*result = (struct block_tracer_result){
		.events = tracer->events,
		.steps = tracer->steps,
		.lost = tracer->lost,
		.missing = tracer->losses.missing,
		.unread = tracer->losses.unread,
		.threads = tracer->threads,
		.drift_ns = tracer->drift_ns,
		.cost_ns = tracer->cost_ns,
		.task_cost_ns = tracer->task_cost_ns,
		.unwatched = probe_plan_unwatched(&tracer->plan, NAMED),
		.trouble = tracer->trouble ? xstrdup(tracer->trouble) : NULL,
		.gaps = tracer->finished ? watch_gaps_tell(&tracer->gaps, counts) : NULL,
		.names = block_names_trouble(&tracer->names),
		.lines = source_lines_trouble(&tracer->names.lines),
	};
}

/* --- Opening and the end ------------------------------------------------------------------- */

int block_tracer_prepare(const void *collector)
{
	const struct block_tracer *tracer = collector;

	preload_set(&tracer->preload);
	setenv(SPOOL_ENVIRONMENT, tracer->spool.path, 1);
	return 0;
}

static void release_blocks(struct collector *collector)
{
	struct block_tracer *tracer = of(collector);

	block_spool_close(&tracer->spool);
	block_names_release(&tracer->names);
	probe_plan_release(&tracer->plan);
	for (size_t i = 0; i < BLOCK_TRACEPOINTS; i++)
		free(tracer->formats[i]);
	watch_gaps_release(&tracer->gaps);
	free(tracer->trouble);
	preload_release(&tracer->preload);
	free(tracer->note);
	free(tracer);
}

static const struct collector_kind kind = {
	.name = "blocks",
	.enable = enable_blocks,
	.pass = pass_blocks,
	.stop = stop_blocks,
	.format = format_text,
	.tell = tell_blocks,
	.free = release_blocks,
};

/* Returns whether an event may come; others are not in the recording. */
static bool may_come(const struct block_tracer *tracer, size_t event)
{
	const struct plan_header *header = &tracer->plan.header;

	if (event == BLOCK_TRACEPOINT_TASK)
		return header->tasks;
	return header->marks && (event != ENTER_STACK || header->stack_every);
}

static void describe_events(struct block_tracer *tracer)
{
	size_t count = 0;

	for (size_t i = 0; i < EVENT_COUNT; i++) {
		size_t which = i == ENTER_STACK ? BLOCK_TRACEPOINT_ENTER : i;

		tracer->attrs[i] = record_attr(PERF_TYPE_TRACEPOINT, block_tracepoint_type(which));
		if (i == ENTER_STACK)
			tracer->attrs[i].sample_type |= RECORD_STACK_TYPE;
		tracer->ids[i] = RECORD_BLOCK_ID + i;
		if (may_come(tracer, i))
			tracer->described[count++] =
				(struct perfdata_event){block_tracepoint_name(which),
							&tracer->attrs[i], &tracer->ids[i], 1};
	}
	tracer->base.events = tracer->described;
	tracer->base.event_count = count;
	make_formats(tracer);
}

static int open_spool(struct block_tracer *tracer, struct err *err)
{
	if (block_spool_open(&tracer->spool, &process_calls, tracer, err))
		return -1;
	if (tracer->plan.header.marks)
		tracer->cost_ns =
			preload_block_ns(tracer->preload.probe, tracer->plan.header.arguments);
	if (tracer->plan.header.tasks)
		tracer->task_cost_ns = preload_task_ns(tracer->preload.probe, &tracer->plan.header);
	return spool_listener_publish(&tracer->spool.listener, probe_plan_write, &tracer->plan,
				      err);
}

static void make_note(struct block_tracer *tracer)
{
	const struct plan_header *header = &tracer->plan.header;
	char *left;

	if (!header->marks)
		return;
	left = probe_plan_unwatched(&tracer->plan, SIZE_MAX);
	tracer->note = xasprintf(
		"--probe: %" PRIu32 " %s of %" PRIu32 " %s%s%s", header->patch_count,
		header->patch_count == 1 ? "function" : "functions", header->object_count,
		header->object_count == 1 ? "file" : "files", left ? "; " : "", left ? left : "");
	tracer->base.note = tracer->note;
	free(left);
}

struct collector *block_tracer_open(const struct probe_options *probe, const char *command,
				    struct err *err)
{
	struct block_tracer *tracer = xcalloc(1, sizeof(*tracer));

	tracer->base.kind = &kind;
	tracer->base.pass_ms = PASS_MS;
	tracer->off_ns = UINT64_MAX;
	tracer->spool = block_spool_none();
	if (preload_find(&tracer->preload, probe->omp, err) ||
	    probe_plan_make(&tracer->plan, probe, command, err) || open_spool(tracer, err)) {
		release_blocks(&tracer->base);
		return NULL;
	}
	tracer->names = (struct block_names){
		.read_notes = read_notes, .context = tracer, .plan = &tracer->plan, .proc = PROC};
	describe_events(tracer);
	make_note(tracer);
	return &tracer->base;
}
