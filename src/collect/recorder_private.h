/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the recorder. */
#ifndef PSCAL_COLLECT_RECORDER_PRIVATE_H
#define PSCAL_COLLECT_RECORDER_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

struct collector;
struct err;
struct recorder_request;
struct recorder_result;

/* --- control.c ------------------------------------------------------------------------------- */

/*
 * Commands to a running recording, as perf record --control accepts them: lines in a FIFO (or any
 * descriptor), each answered by "ack\n" in another one, if any.
 */

enum control_command {
	CONTROL_NONE, /* no command now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN, /* see `line` */
};

enum { CONTROL_LINE_MAX = 64 }; /* longer than any command */

struct control {
	int fd;	    /* readable if there may be a command; -1: closed */
	int ack_fd; /* -1: none */
	bool close_fd, close_ack_fd;
	char bytes[4096]; /* bytes read and not parsed */
	size_t begin, end;
	char line[CONTROL_LINE_MAX]; /* the last line, possibly cut off */
	size_t length;
	bool done; /* `line` is complete */
};

/*
 * Opens "fifo:CTL", "fifo:CTL,ACK", "fd:N", "fd:N,M", or a FIFO by its name. Returns 0, or -1 with
 * an error. Writers to a FIFO may come and go. The caller keeps the descriptors of "fd:".
 */
int control_open(struct control *control, const char *text, struct err *err);

/*
 * Returns the next command. It reads only available bytes, and few at a time, so that a writer that
 * never stops does not block the recorder: the caller repeats it until CONTROL_NONE, at most
 * CONTROL_AT_ONCE times, before waiting for `fd` again.
 */
enum { CONTROL_AT_ONCE = 64 };
enum control_command control_next(struct control *control);

/* Returns whether there are commands in memory, which `fd` does not show: do not wait. */
bool control_has_more(const struct control *control);

/* Acknowledges a command that has been executed. An answer is lost if no process reads it. */
void control_ack(struct control *control);

void control_close(struct control *control);

/* --- cost.c ---------------------------------------------------------------------------------- */

/*
 * The cost for recorded threads: the CPU time that collectors add to a context switch, measured on
 * this machine before the recording, as the difference of two of these.
 */

/*
 * The cost of a switch. As the speed of a machine varies, a switch is compared with a step of the
 * same work that no collector sees: a byte that a thread sends to itself.
 */
struct cost {
	double switch_ns; /* CPU time, with the wakeup that leads to the switch */
	double step_ns;
};

/*
 * Measures the cost of a switch while two threads pass a byte to and fro on one CPU, watched by
 * `collectors`: none before they are opened, all of them after that and before they begin. An open
 * collector costs something even while it is off.
 *
 * Takes about 10 ms. The collectors forget the events of the measurement. Returns 0, or -1 with an
 * error if the cost is unknown, also if a collector cannot forget.
 */
int cost_measure(struct cost *cost, struct collector *const *collectors, size_t count,
		 struct err *err);

/* Returns the cost that collectors add to a switch; 0 if it is too small to be measured. */
double cost_added_ns(const struct cost *bare, const struct cost *watched);

/*
 * Measures collector->call_ns, with threads that hand over by futex, with and without recording of
 * their calls. Takes about 5 ms; the collector forgets the events of the measurement. Returns 0, or
 * -1 with an error.
 */
int cost_measure_call(struct collector *collector, struct err *err);

/* --- call_budget.c --------------------------------------------------------------------------- */

/*
 * The cost of the recorded calls, as a share of the CPU time of the target. If no collector
 * measures that CPU time, the time of a process that has ended since the last look is missing, so
 * that the share is rather too large.
 */

/* The CPU time of the target so far. Begins as zero. */
struct call_budget {
	struct sparse processes; /* by pid: CPU time at the last look, in us, as a pointer */
	double cpu_ns;		 /* CPU time of the target since the first look */
	bool begun;
};

/* The share above which recording of calls ends, and the least cost that is considered. */
#define CALL_BUDGET_SHARE 0.02
enum { CALL_BUDGET_LEAST_NS = 5000000 };

/*
 * Adds the CPU time of the target's `processes` since the last look. The first look only notes it.
 */
void call_budget_look(struct call_budget *budget, const struct pid_set *processes);

struct call_expense {
	uint64_t calls;		 /* calls recorded so far */
	double spent_ns, cpu_ns; /* their cost, and the CPU time of the target */
	double share;		 /* the cost as a share of the CPU time */
};
struct call_expense call_budget_expense(const struct call_budget *budget,
					const struct collector_set *collectors);

/* Returns the share; 0: unknown, or too small. */
double call_budget_share(const struct call_budget *budget, const struct collector_set *collectors);
void call_budget_release(struct call_budget *budget);

/* --- announcer.c ----------------------------------------------------------------------------- */

/*
 * Announces a step that takes longer than a user waits without a question. It uses a thread of its
 * own, as a step may be one system call.
 */
struct announcer {
	void (*tell)(void *context, const char *sentence); /* NULL: no announcements */
	void *context;
	char *step;	      /* NULL: none */
	uint64_t patience_ns; /* time after which a step is announced */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t end;
	bool watches, over;
};

void announcer_init(struct announcer *announcer, void (*tell)(void *context, const char *sentence),
		    void *context);

/* Begins a step and ends the one before. NULL: only ends it, and the thread. */
void announcer_step(struct announcer *announcer, const char *step);

/* --- session.c ------------------------------------------------------------------------------- */

/*
 * The parts of one recording: the target, the collectors that watch it, and the file that they
 * fill. The recorder decides when.
 */

/* A recording. It begins as zero, except for `run` and `tracefs`. */
struct session {
	const struct recorder_request *request; /* borrowed */
	struct run_directory run;		/* opened by the collector that needs it */
	struct tracefs tracefs;
	struct target_spec spec;
	struct target target;
	struct lineage lineage; /* threads and processes of the target during the recording */
	pid_t root;		/* process of a command */
	struct collector_set collectors;
	struct collector *sync, *blocks, *uprobe; /* of the set, or NULL */
	struct recording recording;
	struct recording_facts facts;	/* metadata of the recording */
	struct cpu_ticks *ticks;	/* of the CPUs at the start of the recording, or NULL */
	struct cpu_quota quota;		/* quota of the first process of the target, if any ... */
	struct cpu_quota_use quota_use; /* ... and its use by the group before the recording */
	size_t pause_capacity;
	bool on; /* the target is being recorded */
	struct call_budget calls;
	uint64_t tell_ns; /* time to report the cost of --requests; 0: reported, or not requested */
	struct announcer announcer;
};

/* Reports a sentence on the progress to the user. */
void session_tell(const struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens the collectors and a file without a name. Returns 0, or -1 with an error; the caller closes
 * the session in both cases.
 */
int session_open(struct session *session, const struct recorder_request *request, struct err *err);

/* Follows a command that was forked and waits. Returns 0, or -1 with an error. */
int session_follow(struct session *session, pid_t child, struct err *err);

/* Attaches to running threads. Returns 0, or -1 with an error, also if all of them have ended. */
int session_attach(struct session *session, struct err *err);

/* Reads the quota of the target's control groups; repeatedly, as a command may move to others. */
void session_look_at_quota(struct session *session);

/* Writes the events so far into the file. Returns 0, or -1 with an error. */
int session_pass(struct session *session, struct err *err);

/*
 * Switches recording on or off. On: reads the present states of the target's threads; their past
 * states are unknown. Returns 0, or -1 with an error.
 */
int session_enable(struct session *session, bool on, struct err *err);

/* Writes the end of the file. `stop_ns` is the end of the recorded time. 0, or -1 with an error. */
int session_end(struct session *session, uint64_t stop_ns, struct recorder_result *result,
		struct err *err);

/*
 * Returns whether recording the calls of --requests has used RECORDER_CALLS_SHARE_MAX of the CPU
 * time that the target will have used at the end of the requested duration.
 */
bool session_is_spent(const struct session *session);

/* Closes the session. Returns 0, or -1 with an error if the file could not be closed. */
int session_close(struct session *session, struct err *err);

/* Returns the threads of the target so far; of --comm those that have run. */
uint64_t session_threads(const struct session *session);

#endif
