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
 * Records the calls in which threads wait for each other, in addition to the scheduler's collector.
 * The file has them as perf would: samples of syscalls:sys_enter_futex and the like, and of probes
 * on the C library under names of the group "pscal".
 */

enum sync_choice {
	SYNC_RECORD_USUAL, /* system calls, if that slows down no other calls */
	SYNC_RECORD_NONE,
	SYNC_RECORD_FUTEX, /* system calls that wait, or wake a thread */
	SYNC_RECORD_ALL,   /* ... and calls of the C library that do not reach the kernel */
};

/* Parses "none", "futex" or "all". Returns 0, or -1 with an error. */
int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err);

struct sync_options {
	enum sync_system {
		SYNC_SYSTEM_YIELD, /* another collector sees all others */
		SYNC_SYSTEM_ALL,   /* those that wait for another thread, sleep and yield */
	} system;		   /* system calls to record */
	bool library;		   /* record calls of the C library */
	bool links;		   /* with probes made all at once, if the kernel supports them */
	bool stacks;		   /* record the caller's call chain */
	const char *command;	   /* a command to be started; NULL: none */
	const pid_t *pids;	   /* processes that run already */
	size_t pid_count;
};

/* Returns whether the kernel attaches all probes of the C library at once (Linux 6.6). */
bool sync_tracer_links(void);

/* Opens the collector; off. NULL with an error. */
struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err);

/*
 * Returns the number of processes of the target in which threads other than the first have called
 * futex, but no recorded function of the C library: the program is linked statically without
 * symbols, or has its own locks. 0 if calls of the library were not requested. `callers`: the
 * processes that another collector saw call futex; NULL: none.
 */
uint64_t sync_tracer_unseen(const struct collector *collector, const struct pid_set *callers);

/* Returns the calls that the kernel refuses to probe; NULL: none. The caller frees it. */
char *sync_tracer_refused(const struct collector *collector);

/* --- socket_tracer.c ------------------------------------------------------------------------- */

/*
 * Opens the collector of arrivals of data at sockets, and of reads and writes of the target's
 * threads there, as samples of sock:sk_data_ready and the like. NULL with an error.
 */
struct collector *socket_tracer_open(const struct collector_options *options, struct err *err);

/* Checks that the kernel has these events, below `tracefs`. Returns 0, or -1 with an error. */
int socket_tracer_check(const char *tracefs, struct err *err);

/* --- uprobe_tracer.c ------------------------------------------------------------------------- */

/*
 * Records when functions are entered and left, by probes in the kernel, also in programs that run
 * already. The file has an event of the systems "pscal_enter" and "pscal_leave" for each function.
 */

/* The request of the user. All pointers are borrowed. */
struct uprobe_options {
	const char *const *functions; /* BINARY:FUNCTION, end in NULL; NULL: none */
	unsigned arguments;	      /* recorded arguments of each, at most UPROBES_ARGUMENTS */
	bool stacks;		      /* record the caller's call chain */
	bool risk_exceptions;	      /* also functions through which exceptions may pass */
};

/* The processes whose functions are probed. */
struct uprobe_target {
	const char *command; /* a command to be started; NULL: none */
	const pid_t *pids;   /* running processes or threads */
	size_t pid_count;
};

/* Checks the form BINARY:FUNCTION. Returns 0, or -1 with an error. */
int uprobe_functions_check(const char *spec, struct err *err);

/* Opens the collector; off. NULL with an error. */
struct collector *uprobe_tracer_open(const struct collector_options *options,
				     const struct uprobe_options *uprobes,
				     const struct uprobe_target *target, struct err *err);

struct uprobe_result {
	uint64_t functions, enters, leaves; /* functions and events recorded */
	uint64_t strangers;		    /* hits of other processes, left out */
	uint64_t missed;		    /* hits that the kernel counted and did not write */
	double call_ns;			    /* CPU time added to a call; 0: not known */
};
void uprobe_tracer_result(struct uprobe_result *result, const struct collector *collector);

#endif
