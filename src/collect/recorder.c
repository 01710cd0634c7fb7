/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/affinity_watch.h"
#include "collect/child.h"
#include "collect/features.h"
#include "collect/perf_collector.h"
#include "collect/record.h"
#include "collect/recording.h"
#include "collect/stop_signals.h"
#include "collect/target.h"
#include "collect/target_end.h"
#include "collect/tracefs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC "/proc"

/* One that watches the scheduler, one that counts, one that samples. */
enum { COLLECTORS_MAX = 3 };

/* A ring wakes us when it is a quarter full; this bounds what the death of the recorder loses. */
enum { PASS_MS = 1000 };

/*
 * A process can be waited for before it leaves its CPU for the last time. On a busy machine it may
 * have to wait for that as long as others have their slices.
 */
enum { LAST_SWITCH_US = 20000 };

struct recorder {
	const struct recorder_request *request;
	struct recorder_result *result;
	const char *tracefs;
	struct collector *collectors[COLLECTORS_MAX];
	size_t collector_count;
	struct perfdata_event *events; /* of all collectors */
	size_t event_count;
	struct recording recording;
	struct stop_signals signals;
	struct rlimit files_before;
	struct child child;
	pid_t root; /* of a command */
	struct target_spec spec;
	struct target target;
	struct target_end target_end; /* of running processes */
	struct pollfd *polls;	      /* the signals, the end of the target, the collectors */
	size_t poll_count;
	struct affinity_watch affinity; /* of a command */
	uint64_t start_ns, stop_ns;
};

/* One descriptor per CPU and event is more than a login usually allows. */
static void raise_file_limit(struct recorder *recorder)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &recorder->files_before);
	limit = recorder->files_before;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void add_collector(struct recorder *recorder, struct collector *collector)
{
	size_t count = recorder->event_count + collector->event_count;

	recorder->collectors[recorder->collector_count++] = collector;
	recorder->events = xreallocarray(recorder->events, count, sizeof(*recorder->events));
	memcpy(recorder->events + recorder->event_count, collector->events,
	       collector->event_count * sizeof(*recorder->events));
	recorder->event_count = count;
}

static int open_collectors(struct recorder *recorder, struct err *err)
{
	struct collector_options options = {.tracefs = NULL};
	struct collector *collector;

	raise_file_limit(recorder);
	recorder->tracefs = options.tracefs = tracefs_find(err);
	if (!recorder->tracefs)
		return -1;
	collector = perf_collector_open(&options, err);
	if (!collector)
		return -1;
	add_collector(recorder, collector);
	return 0;
}

enum { POLL_SIGNALS, POLL_TARGET_END, POLL_FIRST_COLLECTOR };

static void make_polls(struct recorder *recorder)
{
	size_t capacity = POLL_FIRST_COLLECTOR;

	for (size_t i = 0; i < recorder->collector_count; i++)
		capacity += recorder->collectors[i]->fd_count;
	recorder->polls = xcalloc(capacity, sizeof(*recorder->polls));
	recorder->polls[POLL_SIGNALS] =
		(struct pollfd){.fd = recorder->signals.fd, .events = POLLIN};
	recorder->polls[POLL_TARGET_END] = (struct pollfd){.fd = -1, .events = POLLIN};
	recorder->poll_count = POLL_FIRST_COLLECTOR;
	for (size_t i = 0; i < recorder->collector_count; i++)
		for (size_t k = 0; k < recorder->collectors[i]->fd_count; k++)
			recorder->polls[recorder->poll_count++] = (struct pollfd){
				.fd = recorder->collectors[i]->fds[k], .events = POLLIN};
}

/* --- All collectors ------------------------------------------------------------------------ */

static int expect(struct recorder *recorder, struct err *err)
{
	for (size_t i = 0; i < recorder->collector_count; i++) {
		struct collector *collector = recorder->collectors[i];

		if (collector->kind->expect && collector->kind->expect(collector, err))
			return -1;
	}
	return 0;
}

static int follow(struct recorder *recorder, pid_t child, struct err *err)
{
	for (size_t i = 0; i < recorder->collector_count; i++) {
		struct collector *collector = recorder->collectors[i];

		if (collector->kind->follow && collector->kind->follow(collector, child, err))
			return -1;
	}
	return 0;
}

static int start(struct recorder *recorder, struct err *err)
{
	for (size_t i = 0; i < recorder->collector_count; i++) {
		struct collector *collector = recorder->collectors[i];

		if (collector->kind->start && collector->kind->start(collector, err))
			return -1;
	}
	return 0;
}

static int adopt(void *context, pid_t pid, pid_t tid, struct err *err)
{
	struct recorder *recorder = context;

	for (size_t i = 0; i < recorder->collector_count; i++) {
		struct collector *collector = recorder->collectors[i];

		if (collector->kind->adopt && collector->kind->adopt(collector, pid, tid, err))
			return -1;
	}
	return 0;
}

static void stop_all(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->collector_count; i++)
		recorder->collectors[i]->kind->stop(recorder->collectors[i]);
}

static int pass(struct recorder *recorder, struct err *err)
{
	for (size_t i = 0; i < recorder->collector_count; i++) {
		struct collector *collector = recorder->collectors[i];

		if (collector->kind->pass(collector, &recorder->recording, err))
			return -1;
	}
	return recording_round(&recorder->recording, err);
}

/* --- The beginning ------------------------------------------------------------------------- */

static struct features_input features_input(const struct recorder *recorder, uint64_t end_ns)
{
	return (struct features_input){
		.tracefs = recorder->tracefs,
		.cmdline = recorder->request->cmdline,
		.events = recorder->events,
		.event_count = recorder->event_count,
		.target = &recorder->target,
		.launched = recorder->request->command != NULL,
		.collectors = (const struct collector *const *)recorder->collectors,
		.collector_count = recorder->collector_count,
		.start_ns = recorder->start_ns,
		.end_ns = end_ns,
	};
}

/* What stands before the first event: the header, and the names of the target's threads. */
static int begin(struct recorder *recorder, struct err *err)
{
	struct recording *recording = &recorder->recording;
	const struct features_input input = features_input(recorder, 0);
	uint64_t id = recorder->events[0].ids[0];

	if (recording_begin(recording, &input, err))
		return -1;
	tally_target(&recording->tally, &recorder->target);
	for (size_t i = 0; i < recorder->target.thread_count; i++) {
		const struct target_thread *thread = &recorder->target.threads[i];

		record_existing(recording, id, thread->pid, thread->tid, thread->parent,
				thread->comm);
	}
	return 0;
}

/*
 * The birth of the command is recorded. What follows it can only be told its id then, so the
 * command waits.
 */
static int launch(struct recorder *recorder, struct err *err)
{
	const char *const *command = recorder->request->command;
	const struct child_setup setup = {recorder->signals.before, recorder->files_before};

	if (expect(recorder, err) || child_start(&recorder->child, command, &setup, err))
		return -1;
	recorder->root = recorder->child.pid;
	recorder->spec = (struct target_spec){.pids = &recorder->root, .pid_count = 1};
	if (follow(recorder, recorder->root, err) ||
	    target_scan(&recorder->target, &recorder->spec, PROC, NULL, err))
		return -1;
	recorder->start_ns = monotonic_ns();
	if (begin(recorder, err))
		return -1;
	affinity_watch_begin(&recorder->affinity, recorder->root, recorder->start_ns);
	errno = child_release(&recorder->child);
	return errno ? err_set(err, "%s: cannot be started: %m", command[0]) : 0;
}

/* Births come on first: what is born while the target is scanned is seen. */
static int attach(struct recorder *recorder, struct err *err)
{
	const struct target_watch watch = {adopt, recorder};

	if (start(recorder, err) ||
	    target_scan(&recorder->target, &recorder->spec, PROC, &watch, err))
		return -1;
	recorder->start_ns = monotonic_ns();
	if (!recorder->target.thread_count)
		return err_set(err, "all that was to be recorded has ended");
	return begin(recorder, err);
}

/* --- While it runs ------------------------------------------------------------------------- */

/* Returns whether a signal says to stop. */
static bool answer_signals(struct recorder *recorder)
{
	bool stop = false;
	int number;

	while ((number = stop_signals_next(&recorder->signals))) {
		if (number == SIGCHLD)
			continue;
		if (!recorder->request->command)
			stop = true;
		else if (number != SIGINT) /* the terminal has sent that one to the command too */
			kill(recorder->child.pid, number);
	}
	return stop;
}

/* Also of what was born a moment ago: so a pass is made before that is believed. */
static bool attached_ended(struct recorder *recorder, int *rc, struct err *err)
{
	struct target_end *target_end = &recorder->target_end;
	enum target_life life;

	while ((life = target_end_ask(target_end, &recorder->recording.tally, PROC)) ==
		       TARGET_IS_UNCERTAIN &&
	       !*rc)
		*rc = pass(recorder, err);
	recorder->polls[POLL_TARGET_END].fd = target_end->fd;
	return life == TARGET_HAS_ENDED;
}

/* `rc` as in record() */
static bool target_ended(struct recorder *recorder, int *rc, struct err *err)
{
	if (recorder->request->command) {
		if (!child_is_zombie(&recorder->child))
			return false;
		affinity_watch_end(&recorder->affinity);
		return child_ended(&recorder->child, &recorder->result->command_status);
	}
	return attached_ended(recorder, rc, err);
}

/* Sleeps until there is something to do. Returns whether the duration is over. */
static bool wait_for_work(struct recorder *recorder)
{
	const uint64_t ms_ns = 1000000;
	uint64_t duration_ns = recorder->request->duration_ns;
	uint64_t now_ns = monotonic_ns();
	uint64_t until_ns = now_ns + PASS_MS * ms_ns;
	uint64_t left_ns;

	if (recorder->request->command && recorder->affinity.next_ns < until_ns)
		until_ns = recorder->affinity.next_ns;
	if (duration_ns && recorder->start_ns + duration_ns < until_ns)
		until_ns = recorder->start_ns + duration_ns;
	if (duration_ns && now_ns >= recorder->start_ns + duration_ns)
		return true;
	left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	poll(recorder->polls, recorder->poll_count, (int)((left_ns + ms_ns - 1) / ms_ns));
	return false;
}

/*
 * Until the end of what is recorded. `rc` tells whether the file could be written so far: when it
 * cannot be any more, a command still goes on to its end, which is not ours to bring about.
 */
static int record(struct recorder *recorder, int rc, struct err *err)
{
	bool stop = false;

	while (!stop) {
		if (rc) {
			stop_all(recorder);
			stop = !recorder->request->command;
		}
		stop |= wait_for_work(recorder);
		stop |= answer_signals(recorder);
		if (target_ended(recorder, &rc, err)) {
			recorder->stop_ns = monotonic_ns();
			usleep(LAST_SWITCH_US);
			return rc;
		}
		if (recorder->request->command)
			affinity_watch_look(&recorder->affinity, monotonic_ns(), PROC);
		if (!rc)
			rc = pass(recorder, err);
	}
	recorder->stop_ns = monotonic_ns();
	return rc;
}

static int end(struct recorder *recorder, struct err *err)
{
	const struct recording *recording = &recorder->recording;
	struct features_input input;

	stop_all(recorder);
	if (!cpu_mask_is_empty(&recorder->affinity.mask))
		recorder->target.affinity = recorder->affinity.mask;
	if (pass(recorder, err))
		return -1;
	input = features_input(recorder, monotonic_ns());
	if (recording_end(&recorder->recording, &input, err))
		return -1;
	recorder->result->wall_ns = recorder->stop_ns - recorder->start_ns;
	recorder->result->threads = recording->tally.threads;
	recorder->result->samples = recording->tally.samples;
	recorder->result->lost = recording->tally.lost;
	recorder->result->file_bytes = recording->file.size;
	for (size_t i = 0; i < recorder->collector_count; i++) {
		recorder->result->wrapped |= recorder->collectors[i]->wrapped;
		recorder->result->missed_wakes += recorder->collectors[i]->missed_wakes;
	}
	return 0;
}

static int run(struct recorder *recorder, struct err *err)
{
	const struct recorder_request *request = recorder->request;
	const struct recording_options options = {.path = request->path};
	int rc;

	if (target_is_in_pid_namespace())
		return err_set(err, "process ids in this container are not those in the kernel's "
				    "events: record outside of it, or in one started with "
				    "--pid=host");
	recorder->spec = request->target;
	if (target_check(&recorder->spec, PROC, err) || open_collectors(recorder, err) ||
	    recording_open(&recorder->recording, &options, err) ||
	    stop_signals_block(&recorder->signals, err))
		return -1;
	make_polls(recorder);
	if (request->command ? launch(recorder, err) : attach(recorder, err))
		return -1;
	rc = recording_publish(&recorder->recording, err);
	if (!request->command && !rc)
		attached_ended(recorder, &rc, err); /* to know what to wait for */
	if (record(recorder, rc, err))
		return -1;
	return end(recorder, err);
}

static void release(struct recorder *recorder)
{
	child_abandon(&recorder->child);
	target_end_release(&recorder->target_end);
	free(recorder->polls);
	stop_signals_restore(&recorder->signals);
	target_release(&recorder->target);
	for (size_t i = 0; i < recorder->collector_count; i++)
		recorder->collectors[i]->kind->free(recorder->collectors[i]);
	free(recorder->events);
}

int recorder_run(struct recorder_result *result, const struct recorder_request *request,
		 struct err *err)
{
	/* On the heap: the target's set of CPUs is large. */
	struct recorder *recorder = xcalloc(1, sizeof(*recorder));
	struct err close_err;
	int rc;

	*result = (struct recorder_result){0};
	recorder->request = request;
	recorder->result = result;
	recorder->signals.fd = recorder->recording.file.fd = -1;
	target_end_init(&recorder->target_end);
	rc = run(recorder, err);
	release(recorder);
	if (recording_close(&recorder->recording, &close_err) && !rc) {
		*err = close_err;
		rc = -1;
	}
	free(recorder);
	return rc;
}
