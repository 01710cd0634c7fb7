/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/names.h"
#include "collect/blocks/block_tracer.h"
#include "collect/child.h"
#include "collect/recorder_private.h"
#include "collect/stop_signals.h"
#include "collect/target/target.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC "/proc"

/* The longest time between passes, which limits the data lost if the recorder dies. */
enum { PASS_MS = 1000 };

/*
 * The time for last switches. A process can be waited for before it leaves its CPU for the last
 * time. On a busy machine it may first wait as long as other programs have their slices.
 */
enum { LAST_SWITCH_TRIES = 20, LAST_SWITCH_US = 1000 };

static const uint64_t ms_ns = 1000000;

/* The time from the first signal until a command of another user is left running. */
static const uint64_t patience_ns = 2000000000;

struct recorder {
	const struct recorder_request *request;
	struct recorder_result *result;
	struct session session;
	struct stop_signals signals;
	struct rlimit files_before;
	struct child_timers timers_before;
	struct child child;
	struct affinity_watch affinity; /* of a command */
	struct target_end target_end;	/* of a target that runs already */
	struct control control;
	struct pollfd *polls;
	bool is_published; /* the file has its name */
	uint64_t on_ns;	   /* time to switch on after --delay; 0: not automatically */
	uint64_t ended_ns; /* time at which the end of the command was seen; 0: not yet */
	uint64_t leave_ns; /* time until which the command is waited for; 0: no limit */
};

/* --- The beginning ------------------------------------------------------------------------- */

/* Raises the limit of open files: one descriptor per CPU and event is more than the usual limit. */
static void raise_file_limit(struct recorder *recorder)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &recorder->files_before);
	limit = recorder->files_before;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int release_command(struct recorder *recorder, struct err *err)
{
	affinity_watch_begin(&recorder->affinity, recorder->child.pid, monotonic_ns());
	return child_release(&recorder->child, recorder->request->command, err);
}

/* Keeps the timers for the command: an alarm() from before exec is meant for it. */
static void hand_timers_over(struct recorder *recorder)
{
	const struct itimerval none = {.it_value = {0, 0}};

	setitimer(ITIMER_REAL, &none, &recorder->timers_before.real);
	setitimer(ITIMER_VIRTUAL, &none, &recorder->timers_before.user);
	setitimer(ITIMER_PROF, &none, &recorder->timers_before.prof);
}

static int start_child(struct recorder *recorder, struct err *err)
{
	const struct child_setup setup = {
		.signals = &recorder->signals,
		.files = &recorder->files_before,
		.timers = &recorder->timers_before,
		.output = recorder->request->command_output,
		.prepare = recorder->session.blocks ? block_tracer_prepare : NULL,
		.context = recorder->session.blocks,
	};

	hand_timers_over(recorder);
	return child_start(&recorder->child, recorder->request->command, &setup, err);
}

/*
 * Starts the command. Its birth is recorded, and collectors that follow it need its id, which is
 * known only then; so it waits in between.
 */
static int launch(struct recorder *recorder, struct err *err)
{
	struct session *session = &recorder->session;

	if (collector_set_expect(&session->collectors, err) || start_child(recorder, err) ||
	    session_follow(session, recorder->child.pid, err))
		return -1;
	return release_command(recorder, err);
}

/* Attaches to running threads; with a command, to the whole machine while the command runs. */
static int attach(struct recorder *recorder, struct err *err)
{
	if (session_attach(&recorder->session, err))
		return -1;
	if (!recorder->request->command)
		return 0;
	return start_child(recorder, err) || release_command(recorder, err) ? -1 : 0;
}

/* --- While it runs ------------------------------------------------------------------------- */

enum { POLL_SIGNALS, POLL_CONTROL, POLL_TARGET_END, POLL_COLLECTORS };

static size_t fill_polls(struct recorder *recorder)
{
	const struct collector_set *collectors = &recorder->session.collectors;
	struct pollfd *polls = recorder->polls;
	size_t count = POLL_COLLECTORS;

	polls[POLL_SIGNALS].fd = recorder->signals.fd;
	polls[POLL_CONTROL].fd = recorder->control.fd;
	polls[POLL_TARGET_END].fd = recorder->target_end.fd;
	for (size_t i = 0; i < collectors->count; i++)
		if (collectors->items[i]->fd)
			polls[count++].fd = *collectors->items[i]->fd;
	for (size_t i = 0; i < count; i++)
		polls[i].events = POLLIN;
	return count;
}

/* Returns the longest time between passes over these collectors, in milliseconds. */
static unsigned pass_ms_of(const struct collector_set *set)
{
	unsigned ms = PASS_MS;

	for (size_t i = 0; i < set->count; i++)
		if (set->items[i]->pass_ms && set->items[i]->pass_ms < ms)
			ms = set->items[i]->pass_ms;
	return ms;
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
	return b_ns && b_ns < a_ns ? b_ns : a_ns;
}

/* Returns the time at which the requested duration ends; 0: never. */
static uint64_t end_of_duration(const struct recorder *recorder)
{
	uint64_t start_ns = recorder->session.facts.start_ns;

	return start_ns && recorder->request->duration_ns
		       ? start_ns + recorder->request->duration_ns
		       : 0;
}

/* Sleeps until there is something to do. */
static void wait_for_work(struct recorder *recorder)
{
	uint64_t now_ns = monotonic_ns();
	uint64_t until_ns = now_ns + ms_ns * pass_ms_of(&recorder->session.collectors);
	size_t count = fill_polls(recorder);

	if (recorder->child.pid)
		until_ns = earlier(until_ns, recorder->affinity.next_ns);
	if (control_has_more(&recorder->control))
		until_ns = now_ns;
	until_ns = earlier(until_ns, recorder->on_ns);
	until_ns = earlier(until_ns, end_of_duration(recorder));
	until_ns = earlier(until_ns, recorder->session.tell_ns);
	poll(recorder->polls, count,
	     until_ns > now_ns ? (int)((until_ns - now_ns + ms_ns - 1) / ms_ns) : 0);
}

/*
 * Notes a signal that asks for an end. A command may end late, or use SIGINT for something else, so
 * the recorder leaves it at the second signal, and a command of another user soon after the first:
 * another user must not decide whether the recorder ends.
 */
static void note_request(struct recorder *recorder, int number)
{
	if (number != SIGINT && number != SIGTERM)
		return;
	if (recorder->result->asked_by)
		recorder->leave_ns = monotonic_ns();
	else if (child_is_foreign(&recorder->child))
		recorder->leave_ns = monotonic_ns() + patience_ns;
	recorder->result->asked_by = number;
}

static bool is_out_of_patience(const struct recorder *recorder)
{
	return recorder->leave_ns && monotonic_ns() >= recorder->leave_ns;
}

/* Returns whether a signal ends the recording. */
static bool answer_signals(struct recorder *recorder)
{
	bool stop = false;
	int number;

	while ((number = stop_signals_next(&recorder->signals))) {
		if (!stop_signals_ask(number))
			continue;
		/*
		 * The limit of CPU time (SIGXCPU) is the recorder's own: the command has another.
		 */
		if (!recorder->request->command || number == SIGXCPU)
			stop = true;
		else if (!stop_signals_are_shared(number))
			kill(recorder->child.pid, number);
		if (recorder->request->command)
			note_request(recorder, number);
	}
	return stop || is_out_of_patience(recorder);
}

/* Returns 0, 1 to stop, or -1 with an error. */
static int obey(struct recorder *recorder, enum control_command command, struct err *err)
{
	switch (command) {
	case CONTROL_ENABLE:
		return session_enable(&recorder->session, true, err);
	case CONTROL_DISABLE:
		return session_enable(&recorder->session, false, err);
	case CONTROL_STOP:
		return 1;
	default:
		return 0;
	}
}

/* Executes the commands of --control. Returns 0, 1 to stop, or -1 with an error. */
static int answer_control(struct recorder *recorder, struct err *err)
{
	for (int i = 0; i < CONTROL_AT_ONCE; i++) {
		enum control_command command = control_next(&recorder->control);
		int rc;

		if (command == CONTROL_NONE)
			return 0;
		if (command == CONTROL_UNKNOWN) {
			session_tell(&recorder->session,
				     "--control: '%s' is none of enable, disable, stop and ping",
				     recorder->control.line);
			continue;
		}
		rc = obey(recorder, command, err);
		if (rc >= 0)
			control_ack(&recorder->control);
		if (rc)
			return rc;
	}
	return 0;
}

/* Returns whether an attached target has ended, after a pass if new threads may have been born. */
static int attached_ended(struct recorder *recorder, struct err *err)
{
	enum target_life life;

	while ((life = target_end_ask(&recorder->target_end, &recorder->session.lineage, PROC)) ==
	       TARGET_IS_UNCERTAIN)
		if (session_pass(&recorder->session, err))
			return -1;
	return life == TARGET_HAS_ENDED;
}

static bool command_ended(struct recorder *recorder)
{
	if (!child_is_zombie(&recorder->child))
		return false;
	affinity_watch_end(&recorder->affinity);
	return child_ended(&recorder->child, &recorder->result->command_status);
}

/* Returns 1 if the target has ended, 0 if not, or -1 with an error. */
static int target_ended(struct recorder *recorder, struct err *err)
{
	if (recorder->request->command)
		return command_ended(recorder);
	return attached_ended(recorder, err);
}

static bool delay_is_over(struct recorder *recorder)
{
	if (!recorder->on_ns || monotonic_ns() < recorder->on_ns)
		return false;
	recorder->on_ns = 0;
	return true;
}

/* Returns 1 if it is time to stop, 0 if not, or -1 with an error. */
static int is_over(struct recorder *recorder, struct err *err)
{
	uint64_t end_ns = end_of_duration(recorder);
	int over = answer_control(recorder, err);

	if (over)
		return over;
	if (end_ns && monotonic_ns() >= end_ns)
		return 1;
	recorder->result->full = recording_is_full(&recorder->session.recording);
	recorder->result->spent = session_is_spent(&recorder->session);
	return recorder->result->full || recorder->result->spent;
}

/*
 * Gives the file its name as soon as it contains something of the target: an older recording is not
 * replaced by an empty one. Returns 0, or -1 with an error.
 */
static int publish(struct recorder *recorder, struct err *err)
{
	if (recorder->is_published || !session_threads(&recorder->session))
		return 0;
	recorder->is_published = true;
	return recording_publish(&recorder->session.recording, err);
}

/* Waits until no thread of the target runs or waits for a CPU, as far as that is seen. */
static int see_last_switches(struct recorder *recorder, struct err *err)
{
	int rc = session_pass(&recorder->session, err);

	for (int i = 0; !rc && i < LAST_SWITCH_TRIES && lineage_lives(&recorder->session.lineage);
	     i++) {
		usleep(LAST_SWITCH_US);
		rc = session_pass(&recorder->session, err);
	}
	return rc;
}

/* Records until the end. Returns 0, or -1 with an error if the file cannot be written. */
static int record(struct recorder *recorder, struct err *err)
{
	for (;;) {
		int rc;

		wait_for_work(recorder);
		if (answer_signals(recorder))
			return 0;
		rc = target_ended(recorder, err);
		if (rc > 0) {
			recorder->ended_ns = monotonic_ns();
			return see_last_switches(recorder, err);
		}
		if (rc)
			return -1;
		if (recorder->child.pid &&
		    affinity_watch_look(&recorder->affinity, monotonic_ns(), PROC))
			session_look_at_quota(&recorder->session);
		if (delay_is_over(recorder) && session_enable(&recorder->session, true, err))
			return -1;
		if (session_pass(&recorder->session, err) || publish(recorder, err))
			return -1;
		rc = is_over(recorder, err);
		if (rc)
			return rc < 0 ? -1 : 0;
	}
}

/* Waits for the end of the command, which the recorder does not cause, unless asked to end. */
static void wait_for_command(struct recorder *recorder)
{
	struct pollfd signals = {.fd = recorder->signals.fd, .events = POLLIN};

	while (recorder->child.pid && !command_ended(recorder)) {
		if (is_out_of_patience(recorder)) {
			recorder->result->left = child_leave(&recorder->child);
			recorder->result->command_status =
				CHILD_SIGNAL_STATUS + recorder->result->asked_by;
			return;
		}
		poll(&signals, 1, PASS_MS);
		answer_signals(recorder);
	}
}

/* --- From beginning to end ----------------------------------------------------------------- */

static int prepare(struct recorder *recorder, struct err *err)
{
	const struct recorder_request *request = recorder->request;

	stop_signals_mind_children(&recorder->signals);
	raise_file_limit(recorder);
	if ((request->control && control_open(&recorder->control, request->control, err)) ||
	    session_open(&recorder->session, request, err) ||
	    stop_signals_block(&recorder->signals, err))
		return -1;
	recorder->polls = xcalloc(POLL_COLLECTORS + recorder->session.collectors.count,
				  sizeof(*recorder->polls));
	if (request->delay_ns > 0)
		recorder->on_ns = monotonic_ns() + (uint64_t)request->delay_ns;
	return 0;
}

/*
 * Refuses a recording of no threads: only of a name it is not known before whether a thread has it.
 */
static int refuse_nothing(const struct recorder *recorder, struct err *err)
{
	const struct target *target = &recorder->session.target;
	const char *comm = recorder->request->target.comm;
	struct nearest nearest;
	char *question;

	if (!comm)
		return err_set(err,
			       "no thread of the target ran while it was recorded; %s was not "
			       "written",
			       recorder->request->path);
	nearest_init(&nearest, comm);
	for (size_t i = 0; i < target->thread_count; i++)
		nearest_try(&nearest, target->threads[i].comm);
	question = nearest_question(&nearest);
	err_set(err, "--comm %s: no thread of this name ran while it was recorded; %s", comm,
		question ? question : "'ps -eLo comm' lists the names of threads");
	free(question);
	return -1;
}

/* Announces a recording of running threads, which shows no other sign of life. */
static void announce_recording(const struct recorder *recorder)
{
	const struct recorder_request *request = recorder->request;
	char *sentence;

	if (!request->announce || request->command || request->delay_ns)
		return;
	sentence = request->duration_ns ? xasprintf("recording for %.6g s; Ctrl-C ends it earlier",
						    (double)request->duration_ns / 1e9)
					: xstrdup("recording; Ctrl-C ends it");
	request->announce(request->context, sentence);
	free(sentence);
}

static int record_target(struct recorder *recorder, struct err *err)
{
	const struct recorder_request *request = recorder->request;
	struct session *session = &recorder->session;
	bool wide = target_spec_is_wide(&request->target);
	uint64_t stop_ns;
	int rc;

	if (prepare(recorder, err))
		return -1;
	if (request->command && !wide ? launch(recorder, err) : attach(recorder, err))
		return -1;
	rc = publish(recorder, err);
	if (!rc) {
		announce_recording(recorder);
		rc = record(recorder, err);
	}
	stop_ns = recorder->ended_ns ? recorder->ended_ns : monotonic_ns();
	if (!cpu_mask_is_empty(&recorder->affinity.mask))
		session->target.affinity = recorder->affinity.mask;
	if (rc)
		collector_set_stop(&session->collectors);
	else
		rc = session_end(session, stop_ns, recorder->result, err);
	if (!rc)
		rc = publish(recorder, err);
	wait_for_command(recorder);
	return rc || recorder->is_published ? rc : refuse_nothing(recorder, err);
}

static void recorder_release(struct recorder *recorder)
{
	child_abandon(&recorder->child);
	target_end_release(&recorder->target_end);
	control_close(&recorder->control);
	free(recorder->polls);
	stop_signals_restore(&recorder->signals);
}

int recorder_run(struct recorder_result *result, const struct recorder_request *request,
		 struct err *err)
{
	/* It is on the heap, as the target's set of CPUs is large. */
	struct recorder *recorder = xcalloc(1, sizeof(*recorder));
	struct err close_err;
	int rc;

	*result = (struct recorder_result){0};
	recorder->session.run.fd = recorder->session.tracefs.hold = -1;
	recorder->request = request;
	recorder->result = result;
	recorder->signals.fd = recorder->control.fd = recorder->control.ack_fd = -1;
	recorder->target_end.fd = -1;
	rc = record_target(recorder, err);
	recorder_release(recorder);
	if (session_close(&recorder->session, &close_err) && !rc) {
		*err = close_err;
		rc = -1;
	}
	free(recorder);
	return rc;
}
