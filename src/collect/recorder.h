/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording from beginning to end, for any target and collectors. */
#ifndef PSCAL_COLLECT_RECORDER_H
#define PSCAL_COLLECT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/blocks/block_tracer.h"
#include "collect/calls/calls.h"
#include "collect/samples/sampler.h"
#include "collect/sched/scheduler.h"
#include "collect/target/target.h"

struct err;

enum { RECORDER_STARTS_OFF = -1 };

/*
 * The largest share of the target's CPU time for recording the calls of --requests, if the duration
 * is known: the recording ends once it is spent.
 */
#define RECORDER_CALLS_SHARE_MAX 0.05

/* The request of the user. All pointers are borrowed. */
struct recorder_request {
	struct target_spec target; /* empty with a command; or all */
	/* Command to start; ends in NULL; NULL: the target runs already. */
	const char *const *command;
	int command_output; /* its standard output */
	/* Command line of the recorder, ends in NULL: kept in the recording. */
	const char *const *cmdline;

	const char *path;      /* of the recording; "-": standard output, as a stream */
	int compression_level; /* of zstd; 0: none */
	uint64_t max_bytes;    /* largest size of the file; 0: no limit */

	enum scheduler_choice collector;
	const char *counters;	/* names; "default"; NULL: none */
	bool counters_optional; /* leave out those that this machine lacks */
	struct sampler_options sampling;
	bool off_cpu; /* record the user stack of a thread that leaves its CPU */
	enum sync_choice sync;
	/* Record reads and writes of threads at sockets, and arrivals of data there. */
	bool requests;
	bool sync_stacks; /* record the user stack of a thread with such a call */

	struct probe_options probe;   /* blocks of code, only of a command */
	struct uprobe_options uprobe; /* ... by uprobes */

	/* The longest duration, but see RECORDER_CALLS_SHARE_MAX; 0: no limit. */
	uint64_t duration_ns;
	int64_t delay_ns;    /* start after this time; RECORDER_STARTS_OFF: on command */
	const char *control; /* the source of commands, see recorder_private.h; NULL: none */

	/* Receives sentences on the progress, without ends of lines; may be NULL. */
	void (*tell)(void *context, const char *sentence);
	/* Receives sentences on steps that take over 0.2 s, and on one that only a user ends. */
	void (*announce)(void *context, const char *sentence);
	/* Receives sentences on the cost of recording, while it can still be stopped. */
	void (*warn)(void *context, const char *sentence);
	void *context;
};

struct recorder_result {
	uint64_t wall_ns;
	uint64_t threads; /* threads of the target, at its beginning and born later */
	uint64_t samples;
	uint64_t lost;	       /* records dropped by the kernel for lack of room */
	uint64_t unknown;      /* records left out, as their threads may not belong to the target */
	uint64_t missed_wakes; /* wakeups that the kernel counted but did not record */
	uint64_t cut_maps;     /* processes with mappings left out: too many, or read too slowly */
	/* Page faults left out, as they have numbers and times of another recorder. */
	uint64_t mixed_faults;
	double calls_share; /* share of the target's CPU time for recording its calls; 0: small */
	bool calls_ended;   /* the share was too large: calls were recorded only until then */
	uint64_t unseen;    /* processes whose calls --sync=all has not seen, see calls.h */
	char *refused;	    /* the calls that it could not see; the caller frees it; NULL: none */
	struct block_tracer_result blocks; /* for `probe` */
	struct uprobe_result uprobe;	   /* for `uprobe` */
	uint64_t file_bytes;
	bool wrapped; /* process ids wrapped around: threads may be missing */
	bool full;    /* the file has reached its largest size */
	bool spent;   /* RECORDER_CALLS_SHARE_MAX was used up */
	/* Data that the collector cannot see; the caller frees it; NULL: none. */
	char *limits;
	int command_status; /* exit status as a shell shows it; 128 + N after signal N */
	pid_t left;	    /* the command, if left running after signal `asked_by`; otherwise 0 */
	int asked_by;
};

/*
 * Records until the command has ended, and passes signals on to it (stop_signals.h), except SIGINT
 * and SIGQUIT, which the terminal sends to the command as well. The recorder leaves the command
 * running at the second SIGINT or SIGTERM, and a command of another user 2 s after the first. A
 * target that runs already is recorded until a signal comes or it has ended. `duration_ns`,
 * `max_bytes` and the control may end both recordings earlier; the recorder waits for a command
 * then. Returns 0, or -1 with an error.
 */
int recorder_run(struct recorder_result *result, const struct recorder_request *request,
		 struct err *err);

#endif
