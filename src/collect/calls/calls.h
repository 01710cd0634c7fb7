/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors of calls. */
#ifndef PSCAL_COLLECT_CALLS_CALLS_H
#define PSCAL_COLLECT_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct collector;
struct collector_options;
struct err;
struct pid_set;

/* --- sync_tracer.c --------------------------------------------------------------------------- */

/*
 * Records the calls in which threads wait for each other, beside whatever watches the scheduler.
 * The file has them as perf would have: samples of syscalls:sys_enter_futex and the like, and of
 * probes on the C library under names of the group "pscal".
 */

enum sync_choice {
	SYNC_RECORD_USUAL, /* system calls, where that slows down nothing else */
	SYNC_RECORD_NONE,
	SYNC_RECORD_FUTEX, /* system calls: what waits, and what wakes a thread */
	SYNC_RECORD_ALL,   /* ... and calls of the C library that never reach the kernel */
};

/* "none", "futex" or "all". Returns 0, or -1 with a sentence. */
int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err);

struct sync_options {
	enum sync_system {
		SYNC_SYSTEM_YIELD, /* another collector sees all others */
		SYNC_SYSTEM_ALL,   /* those that wait for another thread, sleep and yield */
	} system;		   /* calls that are recorded */
	bool library;		   /* calls of the C library */
	bool links;		   /* by probes that are made at once, where the kernel has them */
	bool stacks;		   /* the user's call chain of the caller */
	const char *command;	   /* what will be started; NULL: nothing */
	const pid_t *pids;	   /* what runs already */
	size_t pid_count;
};

/* Does the kernel attach all probes of the C library at once, for this user (Linux 6.6)? */
bool sync_tracer_links(void);

/* NULL with a sentence. */
struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err);

/*
 * Of how many processes of the target other threads than the first have called futex, and not the C
 * library in any way that was seen: the program is linked statically and has no symbols, or brings
 * locks of its own. 0 where calls of the library were not asked for. `callers`: the processes that
 * another collector saw call futex; NULL: none did.
 */
uint64_t sync_tracer_unseen(const struct collector *collector, const struct pid_set *callers);

/*
 * The names of calls that are missing, as the kernel takes no probe there; to be freed; NULL: none.
 */
char *sync_tracer_refused(const struct collector *collector);

/* --- socket_tracer.c ------------------------------------------------------------------------- */

/*
 * Records when data comes in at sockets, and what threads of the target read and write there, as
 * samples of sock:sk_data_ready and the like. NULL with a sentence.
 */
struct collector *socket_tracer_open(const struct collector_options *options, struct err *err);

/* Does the kernel have these events? `tracefs` is its directory. 0, or -1 with a sentence. */
int socket_tracer_check(const char *tracefs, struct err *err);

/* --- uprobe_tracer.c ------------------------------------------------------------------------- */

/*
 * Records when functions are entered and left, by probes in the kernel, also of what runs already.
 * The file has an event of the systems "pscal_enter" and "pscal_leave" for each function.
 */

/* All borrowed. */
struct uprobe_options {
	const char *const *functions; /* BINARY:FUNCTION, end in NULL; NULL: none */
	unsigned arguments;	      /* of each, at most UPROBES_ARGUMENTS */
	bool stacks;		      /* the user's call chain of an entry */
	bool risk_exceptions;	      /* also functions through which exceptions may pass */
};

/* Whose functions they are. */
struct uprobe_target {
	const char *command; /* what will be started; NULL: nothing */
	const pid_t *pids;   /* what runs; thread ids will do */
	size_t pid_count;
};

/* Has it the form BINARY:FUNCTION? Returns 0, or -1 with a sentence. */
int uprobe_functions_check(const char *spec, struct err *err);

/* NULL with a sentence. */
struct collector *uprobe_tracer_open(const struct collector_options *options,
				     const struct uprobe_options *uprobes,
				     const struct uprobe_target *target, struct err *err);

struct uprobe_result {
	uint64_t functions, enters, leaves; /* what was recorded */
	uint64_t strangers;		    /* hits of processes beside the target, left out */
	uint64_t missed;		    /* that the kernel counted and did not write */
	double call_ns;			    /* CPU time that a call took more; 0: not known */
};
void uprobe_tracer_result(struct uprobe_result *result, const struct collector *collector);

#endif
