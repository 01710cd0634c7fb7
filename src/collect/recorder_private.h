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
 * Commands to a recording that runs, as perf record --control takes them: lines in a FIFO (or any
 * descriptor), each answered by "ack\n" in another one, if there is one.
 */

enum control_command {
	CONTROL_NONE, /* nothing to do now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN, /* see `line` */
};

enum { CONTROL_LINE_MAX = 64 }; /* longer than any command */

struct control {
	int fd;	    /* readable when there may be a command; -1: not any more */
	int ack_fd; /* -1: none */
	bool close_fd, close_ack_fd;
	char bytes[4096]; /* read and not looked at */
	size_t begin, end;
	char line[CONTROL_LINE_MAX]; /* the last one, maybe cut off */
	size_t length;
	bool done; /* `line` is a whole one */
};

/*
 * "fifo:CTL", "fifo:CTL,ACK", "fd:N", "fd:N,M", or the name of a FIFO. Returns 0, or -1 with a
 * sentence. Writers to a FIFO may come and go. The descriptors of "fd:" are the caller's.
 */
int control_open(struct control *control, const char *text, struct err *err);

/*
 * The next command. Reads no more than is there, and a bounded amount each time, so that a writer
 * that never stops does not keep the recorder from its work: call it until it says CONTROL_NONE, at
 * most CONTROL_AT_ONCE times, before waiting for `fd` again.
 */
enum { CONTROL_AT_ONCE = 64 };
enum control_command control_next(struct control *control);

/* Commands are there that `fd` does not tell of: do not wait. */
bool control_has_more(const struct control *control);

/* The command has been carried out. Answers that are not read are lost. */
void control_ack(struct control *control);

void control_close(struct control *control);

/* --- cost.c ---------------------------------------------------------------------------------- */

/*
 * The cost for threads that are recorded: the CPU time that collectors add to a context switch,
 * measured on this machine before the recording, as the difference of two of these.
 */

/*
 * A machine is not as fast at one moment as at the next, so a switch is compared with a step of the
 * same work that no collector sees: a byte handed to oneself.
 */
struct cost {
	double switch_ns; /* CPU time, with the wake that leads to the switch */
	double step_ns;
};

/*
 * The cost of a switch while two threads hand a byte to and fro on one CPU, watched by
 * `collectors`: none before they are opened, all of them after that and before they begin. One that
 * is open costs something even while it is off.
 *
 * Takes about 10 ms. Collectors forget all of it. Returns 0, or -1 with a sentence: then the cost
 * is not known, also when a collector cannot forget.
 */
int cost_measure(struct cost *cost, struct collector *const *collectors, size_t count,
		 struct err *err);

/* The cost that collectors add to a switch; 0 when that is less than can be measured. */
double cost_added_ns(const struct cost *bare, const struct cost *watched);

/*
 * Fills in collector->call_ns, by threads that hand over by futex, with and without their calls
 * being seen. Takes about 5 ms; the collector forgets all of it. Returns 0, or -1 with a sentence.
 */
int cost_measure_call(struct collector *collector, struct err *err);

/* --- call_budget.c --------------------------------------------------------------------------- */

/*
 * The cost of the recorded calls, against the CPU time of the target meanwhile. Where
 * no collector watches that, the time of a process that has ended since the last look is left out,
 * so the share is rather too large.
 */

/* Begins as zero. */
struct call_budget {
	struct sparse processes; /* by pid: their CPU time at the last look, in us, as a pointer */
	double cpu_ns;		 /* of the target, since the first look */
	bool begun;
};

/* The share of recorded calls that goes without saying, and the least that is worth a look. */
#define CALL_BUDGET_SHARE 0.02
enum { CALL_BUDGET_LEAST_NS = 5000000 };

/* `processes` are of the target, those of the first look for longer than they are recorded. */
void call_budget_look(struct call_budget *budget, const struct pid_set *processes);

struct call_expense {
	uint64_t calls;		 /* recorded so far */
	double spent_ns, cpu_ns; /* for that, and of the target */
	double share;		 /* of the former in the latter */
};
struct call_expense call_budget_expense(const struct call_budget *budget,
					const struct collector_set *collectors);

/* That share; 0: not known, or too little to tell. */
double call_budget_share(const struct call_budget *budget, const struct collector_set *collectors);
void call_budget_release(struct call_budget *budget);

/* --- announcer.c ----------------------------------------------------------------------------- */

/*
 * Says which step goes on, once it has taken longer than a user waits without a question: by a
 * thread of its own, since a step may be one system call.
 */
struct announcer {
	void (*tell)(void *context, const char *sentence); /* NULL: nothing is said */
	void *context;
	char *step;	      /* NULL: none goes on */
	uint64_t patience_ns; /* a step is told after this time */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t end;
	bool watches, over;
};

void announcer_init(struct announcer *announcer, void (*tell)(void *context, const char *sentence),
		    void *context);

/* This step begins, and the one before ends. NULL: none begins, and there is no thread. */
void announcer_step(struct announcer *announcer, const char *step);

/* --- session.c ------------------------------------------------------------------------------- */

/*
 * The parts of one recording: the target, the collectors that watch it, and the file
 * that they fill. The recorder decides when.
 */

/* Begins as zero, but for `run` and `tracefs`. */
struct session {
	const struct recorder_request *request; /* borrowed */
	struct run_directory run;		/* the collector that needs it opens it */
	struct tracefs tracefs;
	struct target_spec spec;
	struct target target;
	struct lineage lineage; /* what belongs to the target, as it lives on */
	pid_t root;		/* of a command */
	struct collector_set collectors;
	struct collector *sync, *blocks, *uprobe; /* of the set, or NULL */
	struct recording recording;
	struct recording_facts facts;	/* what the recording says of itself */
	struct cpu_ticks *ticks;	/* of the CPUs when recording began, or NULL */
	struct cpu_quota quota;		/* of the first process of the target, if it has any ... */
	struct cpu_quota_use quota_use; /* ... and what its group had had of it by then */
	size_t pause_capacity;
	bool on; /* what the target does is recorded now */
	struct call_budget calls;
	uint64_t tell_ns; /* when to say what those of --requests take; 0: said, or not asked */
	struct announcer announcer;
};

/* A sentence for a user that wants to know what goes on. */
void session_tell(const struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens the collectors and a file without a name. Returns 0, or -1 with a sentence; close it in
 * both cases.
 */
int session_open(struct session *session, const struct recorder_request *request, struct err *err);

/* A command is born and held back. Returns 0, or -1 with a sentence. */
int session_follow(struct session *session, pid_t child, struct err *err);

/* Attaches to running threads. Returns 0, or -1 with a sentence, also when all of it has ended. */
int session_attach(struct session *session, struct err *err);

/*
 * The limit that the target's control groups set for its CPU time: of a command again and again, as it
 * may go to another group.
 */
void session_look_at_quota(struct session *session);

/* Writes the events so far into the file. Returns 0, or -1 with a sentence. */
int session_pass(struct session *session, struct err *err);

/*
 * On: what the threads of the target do now is looked at; what they did while it was off is not
 * known. Returns 0, or -1 with a sentence.
 */
int session_enable(struct session *session, bool on, struct err *err);

/*
 * Stops, and writes the end of the file. `stop_ns` is when what is recorded was over. Returns 0, or
 * -1 with a sentence.
 */
int session_end(struct session *session, uint64_t stop_ns, struct recorder_result *result,
		struct err *err);

/*
 * Recording the calls of --requests has taken RECORDER_CALLS_SHARE_MAX of the CPU time that the target
 * will have used when the time which was asked for is over.
 */
bool session_is_spent(const struct session *session);

/* Returns 0, or -1 with a sentence when the file could not be closed. */
int session_close(struct session *session, struct err *err);

/* A thread of the target has not been seen to leave its CPU for the last time. */
bool session_lives(const struct session *session);

/* Threads of the target so far: of --comm those that have run. */
uint64_t session_threads(const struct session *session);

#endif
