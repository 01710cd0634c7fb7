/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/blocks/block_tracer.h"
#include "collect/calls/calls.h"
#include "collect/counters/counters.h"
#include "collect/kernel/permission.h"
#include "collect/kernel/proc_stat.h"
#include "collect/recorder.h"
#include "collect/recorder_private.h"
#include "collect/recording/record.h"
#include "collect/samples/sampler.h"
#include "collect/samples/thread_starts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC "/proc"

/* --- Opening ------------------------------------------------------------------------------- */

void session_tell(const struct session *session, const char *format, ...)
{
	va_list args;
	char *sentence;
	int length;

	if (!session->request->tell)
		return;
	va_start(args, format);
	length = vasprintf(&sentence, format, args);
	va_end(args);
	if (length < 0)
		return;
	session->request->tell(session->request->context, sentence);
	free(sentence);
}

static void session_step(void *context, const char *step)
{
	announcer_step(&((struct session *)context)->announcer, step);
}

static int session_add(struct session *session, struct collector *collector)
{
	session_step(session, NULL);
	if (collector)
		collector_set_add(&session->collectors, collector);
	return collector ? 0 : -1;
}

static int open_scheduler(struct session *session, const struct collector_options *options,
			  struct err *err)
{
	struct collector *collector;
	char *passed_over;

	session_step(session, "opening the collector of context switches");
	collector = scheduler_open(session->request->collector, options, &passed_over, err);
	if (collector)
		session_tell(session, "the collector is %s%s%s", collector->kind->name,
			     passed_over ? ": " : "", passed_over ? passed_over : "");
	free(passed_over);
	return session_add(session, collector);
}

/* Opens the counters; "default" stands for the usual ones. */
static int open_counters(struct session *session, const struct collector_options *options,
			 struct err *err)
{
	const struct recorder_request *request = session->request;
	const char *names = strcmp(request->counters, "default") ? request->counters : NULL;
	char *left_out = NULL;
	struct collector *collector =
		counters_open(options, names, request->counters_optional, &left_out, err);

	if (collector && left_out)
		session_tell(session, "not counted, as this machine does not support them: %s",
			     left_out);
	free(left_out);
	return session_add(session, collector);
}

/*
 * Opens the collector of calls that the collector of scheduler events does not see. It uses
 * tracepoints of system calls, which slow these down for all programs, so it is opened only on
 * request.
 */
static int open_sync(struct session *session, const struct collector_options *options,
		     struct err *err)
{
	const struct recorder_request *request = session->request;
	bool seen = session->collectors.items[0]->sees_calls;
	const struct sync_options sync = {
		.system = seen ? SYNC_SYSTEM_YIELD : SYNC_SYSTEM_ALL,
		.library = request->sync == SYNC_RECORD_ALL,
		.links = true,
		.stacks = request->sync_stacks,
		.command = request->command ? request->command[0] : NULL,
		.pids = request->target.pids,
		.pid_count = request->target.pid_count,
	};

	if (request->sync == SYNC_RECORD_USUAL && !seen)
		session_tell(session, "futex calls are recorded with --sync=futex: this collector "
				      "does not see them");
	if (request->sync <= SYNC_RECORD_NONE)
		return 0;
	session_step(session, sync.library ? "attaching probes to the C library (--sync=all)"
					   : "attaching tracepoints of calls (--sync=futex)");
	session->sync = sync_tracer_open(options, &sync, err);
	return session_add(session, session->sync);
}

static int open_blocks(struct session *session, struct err *err)
{
	const struct recorder_request *request = session->request;
	struct probe_options probe = request->probe;

	if (!probe_options_ask(&probe))
		return 0;
	probe.tracefs = session->facts.tracefs;
	session_step(session, "making the probe library ready");
	session->blocks = block_tracer_open(&probe, request->command[0], err);
	session_step(session, NULL);
	return session->blocks ? 0 : -1;
}

static int open_uprobe(struct session *session, const struct collector_options *options,
		       struct err *err)
{
	const struct recorder_request *request = session->request;
	const struct target_spec *spec = &request->target;
	const struct uprobe_target target = {
		.command = request->command ? request->command[0] : NULL,
		.pids = spec->pid_count ? spec->pids : spec->tids,
		.pid_count = spec->pid_count ? spec->pid_count : spec->tid_count,
	};

	session_step(session, "looking for the functions of --uprobe");
	session->uprobe = uprobe_tracer_open(options, &request->uprobe, &target, err);
	return session_add(session, session->uprobe);
}

/* Measures the cost of the open collectors. If that fails, only the cost is unknown. */
static void measure_cost(struct session *session, const struct cost *bare)
{
	const struct collector_set *collectors = &session->collectors;
	struct cost watched;
	struct err err;

	if (!bare)
		return;
	if (cost_measure(&watched, collectors->items, collectors->count, &err))
		session_tell(session, "%s", err.text);
	else
		session->facts.cost_switch_ns = cost_added_ns(bare, &watched);
	if (collectors->items[0]->sees_calls && cost_measure_call(collectors->items[0], &err))
		session_tell(session, "%s", err.text);
}

static bool wants_sampler(const struct session *session)
{
	const struct recorder_request *request = session->request;

	return request->sampling.frequency_hz || request->off_cpu || request->sync_stacks ||
	       request->uprobe.stacks || request->sampling.faults ||
	       (session->blocks && request->probe.stack_every);
}

/*
 * Opens the collector of the target's mappings, which give names to its locks and threads. Reading
 * them costs nearly nothing, unless the mappings of all processes would have to be read, or each
 * thread be watched separately.
 */
static void add_maps(struct session *session, const struct collector_options *options)
{
	const struct collector *scheduler = session->collectors.items[0];
	struct collector *maps;
	struct err ignored;

	if (session->lineage.wide || strcmp(scheduler->kind->name, "task") == 0)
		return;
	maps = sampler_open(options, &session->request->sampling, &ignored);
	if (maps)
		session_add(session, maps);
}

/* Opens the collector of the starts of threads, which the bpf collector records itself. */
static void add_starts(struct session *session, const struct collector_options *options)
{
	const char *scheduler = session->collectors.items[0]->kind->name;
	bool maps = strcmp(scheduler, "task") == 0 && !wants_sampler(session);
	struct collector *starts =
		strcmp(scheduler, "bpf") == 0 ? NULL : thread_starts_open(options, maps);

	if (starts)
		session_add(session, starts);
}

/* Returns whether locks have names, by call chains and the mappings of their functions. */
static bool names_locks(const struct session *session)
{
	return session->request->sync != SYNC_RECORD_NONE && !session->lineage.wide;
}

/* Opens the collectors of events of the kernel, first that of the scheduler. */
static int open_kernel_events(struct session *session, const struct collector_options *options,
			      const struct cost *bare, struct err *err)
{
	const struct recorder_request *request = session->request;

	if (open_scheduler(session, options, err))
		return -1;
	measure_cost(session, bare);
	if ((request->counters && open_counters(session, options, err)) ||
	    open_sync(session, options, err))
		return -1;
	return request->requests ? session_add(session, socket_tracer_open(options, err)) : 0;
}

/*
 * Probes come first: whether the functions can be watched is known after some ms, to load programs
 * into the kernel takes a hundred.
 */
static int open_collectors(struct session *session, const struct cost *bare, struct err *err)
{
	const struct recorder_request *request = session->request;
	const struct collector_options options = {
		.tracefs = session->tracefs.root,
		.run = &session->run,
		.stacks = request->off_cpu,
		.calls = request->sync != SYNC_RECORD_NONE,
		.call_stacks = request->sync_stacks || names_locks(session),
		.lineage = &session->lineage,
		.step = session_step,
		.step_context = session,
	};

	if (open_blocks(session, err))
		return -1;
	if (open_kernel_events(session, &options, bare, err)) {
		if (session->blocks)
			session->blocks->kind->free(session->blocks);
		session->blocks = NULL;
		return -1;
	}
	if (session->blocks)
		session_add(session, session->blocks);
	if (request->uprobe.functions && open_uprobe(session, &options, err))
		return -1;
	add_starts(session, &options);
	if (wants_sampler(session))
		return session_add(session, sampler_open(&options, &request->sampling, err));
	add_maps(session, &options);
	return 0;
}

int session_open(struct session *session, const struct recorder_request *request, struct err *err)
{
	const struct recording_options options = {
		.path = request->path,
		.compression_level = request->compression_level,
		.max_bytes = request->max_bytes,
		.repeats = request->probe.patterns != NULL,
	};
	struct cost bare;
	struct err ignored;
	bool measured;

	session->request = request;
	announcer_init(&session->announcer, request->announce, request->context);
	session->spec = request->target;
	session->lineage = (struct lineage){.wide = target_spec_is_wide(&session->spec),
					    .alone = session->spec.alone,
					    .proc = PROC,
					    .started_ticks = proc_now_ticks()};
	tracefs_open(&session->tracefs, &session->run, &ignored); /* this user may lack the right */
	session->facts = (struct recording_facts){
		.tracefs = session->tracefs.root,
		.run = &session->run,
		.cmdline = request->cmdline,
		.target = &session->target,
		.lineage = &session->lineage,
		.collectors = &session->collectors,
	};
	if (target_check(&session->spec, PROC, err))
		return -1;
	measured = cost_measure(&bare, NULL, 0, &ignored) == 0;
	if (open_collectors(session, measured ? &bare : NULL, err))
		return -1;
	if (recording_open(&session->recording, &options, err))
		return -1;
	session->recording.names_strangers = true;
	return 0;
}

/* --- The beginning ------------------------------------------------------------------------- */

/*
 * The cost of requests is reported after that time, once the target has used that much CPU time:
 * rings and clocks are not read at the same moment, which matters for less. An idle target is
 * examined less often.
 */
enum { EXPENSE_NS = 100000000, EXPENSE_CPU_NS = 50000000, EXPENSE_IDLE = 10 };

void session_look_at_quota(struct session *session)
{
	const struct target_spec *spec = &session->spec;
	pid_t pid = spec->pid_count ? spec->pids[0] : spec->tid_count ? spec->tids[0] : 0;
	struct cpu_quota quota;

	if (!pid || cpu_quota_find(&quota, "", pid) ||
	    strcmp(quota.group, session->quota.group) == 0 ||
	    cpu_quota_use(&session->quota_use, quota.group))
		return;
	session->quota = quota;
	session->facts.quota_ns = quota.quota_ns;
	session->facts.quota_period_ns = quota.period_ns;
}

/* Notes the use of the quota. It includes pauses, so a recording with pauses has none. */
static void note_quota(struct session *session)
{
	const struct cpu_quota_use *before = &session->quota_use;
	struct recording_facts *facts = &session->facts;
	struct cpu_quota_use now;

	if (!facts->quota_ns || facts->pause_count || cpu_quota_use(&now, session->quota.group))
		return;
	facts->quota_use = (struct cpu_quota_use){
		now.periods - before->periods, now.throttled - before->throttled,
		now.throttled_ns - before->throttled_ns, now.used_ns - before->used_ns};
}

/* Notes the start of the recording. */
static void note_start(struct session *session)
{
	session->facts.start_ns = monotonic_ns();
	if (session->request->requests)
		session->tell_ns = session->facts.start_ns + EXPENSE_NS;
	session->ticks = xcalloc(CPU_LIST_MAX, sizeof(*session->ticks));
	proc_cpu_ticks(session->ticks, CPU_LIST_MAX, PROC "/stat");
	session_look_at_quota(session);
}

/* Notes the use of the target's CPUs since the start; not with pauses, which it would include. */
static void note_busy(struct session *session)
{
	struct recording_facts *facts = &session->facts;
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct cpu_ticks *now;

	if (!session->ticks || facts->pause_count)
		return;
	now = xcalloc(CPU_LIST_MAX, sizeof(*now));
	proc_cpu_ticks(now, CPU_LIST_MAX, PROC "/stat");
	for (size_t i = 0; i < CPU_LIST_MAX; i++) {
		const struct cpu_ticks used = proc_cpu_ticks_since(&now[i], &session->ticks[i]);

		if (!session->target.affinity.has[i])
			continue;
		facts->busy_ns += used.busy * tick_ns;
		facts->steal_ns += used.steal * tick_ns;
	}
	free(now);
}

/* Writes the records before the first event: the header, and the names of the target's threads. */
static int session_begin(struct session *session, struct err *err)
{
	struct recording *recording = &session->recording;
	/* Events of a scheduler collector have the layout of names; sampling events do not. */
	uint64_t id = session->collectors.events[session->collectors.sampling_count].ids[0];

	for (size_t i = 0; i < session->collectors.count; i++)
		if (session->collectors.items[i]->note)
			session_tell(session, "%s", session->collectors.items[i]->note);
	session->on = session->request->delay_ns == 0;
	if (session->on)
		note_start(session);
	else if (collector_set_enable(&session->collectors, false, err))
		return -1;
	for (size_t i = 0; i < session->target.process_count; i++)
		lineage_give_process(&session->lineage, session->target.processes[i].pid,
				     monotonic_ns());
	if (recording_begin(recording, &session->facts, err))
		return -1;
	for (size_t i = 0; i < session->target.thread_count; i++) {
		const struct target_thread *thread = &session->target.threads[i];

		record_existing(recording, id, thread->pid, thread->tid, thread->parent,
				thread->comm);
	}
	return 0;
}

int session_follow(struct session *session, pid_t child, struct err *err)
{
	session->root = child;
	session->spec.pids = &session->root;
	session->spec.pid_count = 1;
	session->spec.alone = true;	 /* it waits, and has no descendants */
	if (!session->request->delay_ns) /* otherwise it runs already */
		session->facts.launched = session->lineage.launched = child;
	lineage_give_thread(&session->lineage, child, child, monotonic_ns());
	if (collector_set_follow(&session->collectors, child, err) ||
	    target_scan(&session->target, &session->spec, PROC, NULL, err))
		return -1;
	session->spec.alone = session->request->target.alone;
	return session_begin(session, err);
}

static int adopt(void *context, pid_t pid, pid_t tid, struct err *err)
{
	struct session *session = context;

	lineage_give_thread(&session->lineage, pid, tid, monotonic_ns());
	return collector_set_adopt(&session->collectors, pid, tid, err);
}

/* Attaches to the target. Births are recorded first, so the scan misses no new thread. */
int session_attach(struct session *session, struct err *err)
{
	const struct target_watch watch = {adopt, session};

	session_step(session, "attaching to the threads that run");
	if (collector_set_start(&session->collectors, err) ||
	    target_scan(&session->target, &session->spec, PROC, &watch, err))
		return -1;
	session_step(session, NULL);
	if (!session->target.thread_count)
		return err_set(err, "all threads to be recorded have ended");
	/* With the first pass the kernel learns which threads to leave out. */
	return session_begin(session, err) ? -1 : session_pass(session, err);
}

/* --- While it runs ------------------------------------------------------------------------- */

/* Ends the recording of calls that the user did not ask for, if it costs too much. */
static int watch_calls(struct session *session, struct err *err)
{
	const struct collector_set *collectors = &session->collectors;
	char line[64];

	if (session->request->sync == SYNC_RECORD_NONE || session->facts.calls_end_ns)
		return 0;
	if (!collectors->items[0]->cpu_ns)
		call_budget_look(&session->calls, &session->lineage.living_processes);
	if (session->request->sync != SYNC_RECORD_USUAL || session->facts.end_ns ||
	    call_budget_share(&session->calls, collectors) <= CALL_BUDGET_SHARE)
		return 0;
	for (size_t i = 0; i < collectors->count; i++)
		if (collectors->items[i]->calls && collectors->items[i]->kind->see_calls)
			collectors->items[i]->kind->see_calls(collectors->items[i], false);
	session->facts.calls_end_ns = monotonic_ns();
	snprintf(line, sizeof(line), "calls_end_ns %" PRIu64 "\n", session->facts.calls_end_ns);
	return recording_tell(&session->recording, line, err);
}

static void tell_expense(struct session *session)
{
	const struct recorder_request *request = session->request;
	const struct call_expense expense =
		call_budget_expense(&session->calls, &session->collectors);
	uint64_t now_ns = monotonic_ns(), passed_ns = now_ns - session->facts.start_ns;
	char *sentence;

	if (!session->tell_ns || now_ns < session->tell_ns)
		return;
	session->tell_ns = now_ns + (passed_ns < (uint64_t)EXPENSE_IDLE * EXPENSE_NS
					     ? EXPENSE_NS
					     : EXPENSE_IDLE * EXPENSE_NS);
	if (expense.cpu_ns < EXPENSE_CPU_NS)
		return;
	session->tell_ns = 0;
	if (!request->warn || !expense.calls)
		return;
	sentence = xasprintf(
		"recording costs about %.*f %% of the target's CPU time (%.0f calls a second, "
		"%.2g us each)%s",
		expense.share < .1, 100 * expense.share,
		(double)expense.calls * 1e9 / (double)passed_ns,
		expense.spent_ns / 1e3 / (double)expense.calls,
		expense.share <= RECORDER_CALLS_SHARE_MAX ? ""
		: request->duration_ns
			? ": the recording ends early"
			: "; with --duration the recording ends early if that is too much");
	request->warn(request->context, sentence);
	free(sentence);
}

bool session_is_spent(const struct session *session)
{
	const struct recorder_request *request = session->request;
	double share = call_budget_share(&session->calls, &session->collectors);
	double passed_ns = (double)(monotonic_ns() - session->facts.start_ns);

	return request->requests && request->duration_ns && !session->tell_ns &&
	       session->facts.start_ns &&
	       share * passed_ns > RECORDER_CALLS_SHARE_MAX * (double)request->duration_ns;
}

int session_pass(struct session *session, struct err *err)
{
	if (collector_set_pass(&session->collectors, &session->recording, err))
		return -1;
	if (watch_calls(session, err))
		return -1;
	tell_expense(session);
	return recording_round(&session->recording, err);
}

/* Writes the end of a pause at once, so that it is known whatever happens to the recorder. */
static int end_pause(struct session *session, struct err *err)
{
	struct recording_facts *facts = &session->facts;
	struct recording_pause *pause = &facts->pauses[facts->pause_count - 1];
	char line[64];

	pause->end_ns = monotonic_ns();
	snprintf(line, sizeof(line), "paused %" PRIu64 " %" PRIu64 "\n", pause->begin_ns,
		 pause->end_ns);
	return recording_tell(&session->recording, line, err);
}

static int switch_on(struct session *session, struct err *err)
{
	struct recording_facts *facts = &session->facts;
	const struct lineage *lineage = &session->lineage;

	if (session_pass(session, err) || collector_set_enable(&session->collectors, true, err))
		return -1;
	/* The pause ends before states are read, which are those after it. */
	if (facts->start_ns && end_pause(session, err))
		return -1;
	if (target_rescan(&session->target, &lineage->living_processes, &lineage->living_threads,
			  PROC, err))
		return -1;
	if (!facts->start_ns)
		note_start(session);
	return 0;
}

static int switch_off(struct session *session, struct err *err)
{
	struct recording_facts *facts = &session->facts;

	array_reserve(&facts->pauses, &session->pause_capacity, facts->pause_count + 1);
	facts->pauses[facts->pause_count++] = (struct recording_pause){.begin_ns = monotonic_ns()};
	return collector_set_enable(&session->collectors, false, err);
}

int session_enable(struct session *session, bool on, struct err *err)
{
	if (session->on == on)
		return 0;
	session->on = on;
	return on ? switch_on(session, err) : switch_off(session, err);
}

/* --- The end ------------------------------------------------------------------------------- */

uint64_t session_threads(const struct session *session)
{
	return session->spec.comm ? session->recording.counts.named_threads
				  : session->lineage.threads;
}

static void report(const struct session *session, uint64_t stop_ns, struct recorder_result *result)
{
	const struct recording_counts *counts = &session->recording.counts;
	const struct collector *scheduler = session->collectors.items[0];
	uint64_t start_ns = session->lineage.launched_ns > session->facts.start_ns
				    ? session->lineage.launched_ns
				    : session->facts.start_ns;

	result->wall_ns = stop_ns > start_ns ? stop_ns - start_ns : 0;
	result->threads = session_threads(session);
	result->samples = counts->samples;
	result->lost = counts->lost;
	result->unknown = session->lineage.unknown;
	result->calls_share = call_budget_share(&session->calls, &session->collectors);
	result->calls_ended = session->facts.calls_end_ns != 0;
	result->unseen = session->sync ? sync_tracer_unseen(session->sync, scheduler->callers) : 0;
	result->refused = session->sync ? sync_tracer_refused(session->sync) : NULL;
	if (scheduler->missed_stacks)
		session_tell(session,
			     "%" PRIu64 " call chains are missing: the kernel had no room for them",
			     scheduler->missed_stacks);
	if (session->blocks)
		block_tracer_result(&result->blocks, session->blocks, counts);
	if (session->uprobe)
		uprobe_tracer_result(&result->uprobe, session->uprobe);
	result->file_bytes = session->recording.file.size;
	for (size_t i = 0; i < session->collectors.count; i++) {
		result->wrapped |= session->collectors.items[i]->wrapped;
		result->missed_wakes += session->collectors.items[i]->missed_wakes;
		result->cut_maps += session->collectors.items[i]->cut_maps;
		result->mixed_faults += session->collectors.items[i]->mixed_faults;
		if (session->collectors.items[i]->reduced && !result->limits)
			result->limits = permission_reduced_view(session->facts.tracefs);
	}
}

int session_end(struct session *session, uint64_t stop_ns, struct recorder_result *result,
		struct err *err)
{
	struct recording_facts *facts = &session->facts;

	collector_set_stop(&session->collectors);
	facts->end_ns = monotonic_ns();
	note_busy(session);
	note_quota(session);
	if (!facts->start_ns) /* never switched on */
		facts->start_ns = facts->end_ns;
	if (!session->on && facts->pause_count)
		facts->pauses[facts->pause_count - 1].end_ns = facts->end_ns;
	session_step(session, "writing the end of the recording");
	if (session_pass(session, err))
		return -1;
	facts->own_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (recording_end(&session->recording, facts, err))
		return -1;
	report(session, stop_ns, result);
	session_step(session, NULL);
	return 0;
}

int session_close(struct session *session, struct err *err)
{
	target_release(&session->target);
	session_step(session, session->sync || session->uprobe ? "detaching the probes"
							       : "closing the collectors");
	collector_set_release(&session->collectors);
	session_step(session, NULL);
	lineage_release(&session->lineage);
	call_budget_release(&session->calls);
	tracefs_close(&session->tracefs, &session->run);
	run_directory_close(&session->run);
	free(session->facts.pauses);
	free(session->ticks);
	return recording_close(&session->recording, err);
}
