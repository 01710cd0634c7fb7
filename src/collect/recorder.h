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

/* The request of the user. All borrowed. */
struct recorder_request {
	struct target_spec target;  /* empty with a command, or all */
	const char *const *command; /* to start; ends in NULL; NULL when the target runs already */
	int command_output;	    /* the descriptor that it gets as standard output */
	const char *const *cmdline; /* of the recorder, ends in NULL: kept in the recording */

	const char *path;      /* of the recording; "-": standard output, as a stream */
	int compression_level; /* of zstd; 0: none */
	uint64_t max_bytes;    /* stop when the file is so large; 0: no limit */

	enum scheduler_choice collector;
	const char *counters;	/* names; "default"; NULL: none */
	bool counters_optional; /* go on without those that this machine lacks */
	struct sampler_options sampling;
	bool off_cpu; /* the user stack of a thread that leaves its CPU */
	enum sync_choice sync;
	bool requests;	  /* what threads read and write at sockets, and when data comes in there */
	bool sync_stacks; /* the user stack of a thread that calls something of that */

	struct probe_options probe;   /* blocks of code; of a command only */
	struct uprobe_options uprobe; /* ... from outside */

	/* Stop after this time, or earlier, see RECORDER_CALLS_SHARE_MAX; 0: not before the end. */
	uint64_t duration_ns;
	int64_t delay_ns;    /* begin after this time; RECORDER_STARTS_OFF: when told to */
	const char *control; /* the source of commands, see recorder_private.h; NULL: none */

	/* Is given sentences about what goes on, without ends of lines; may be NULL. */
	void (*tell)(void *context, const char *sentence);
	/* ... and about steps that take longer than 0.2 s, and the one that only a user ends. */
	void (*announce)(void *context, const char *sentence);
	/* ... and about what recording takes, while it can still be stopped. */
	void (*warn)(void *context, const char *sentence);
	void *context;
};

struct recorder_result {
	uint64_t wall_ns;
	uint64_t threads; /* of the target, alive at its beginning or born later */
	uint64_t samples;
	uint64_t lost;	       /* records that the kernel had no room for */
	uint64_t unknown;      /* ... left out, as their threads may not be of the target */
	uint64_t missed_wakes; /* the kernel counted them but did not record them */
	uint64_t cut_maps;     /* processes with mappings left out: too many, or read too slowly */
	uint64_t mixed_faults; /* left out, as they had the numbers and times of another recorder */
	double calls_share; /* of the target's CPU time, that recording its calls took; 0: little */
	bool calls_ended;   /* ... which was too much: they were recorded up to then */
	uint64_t unseen;    /* processes of which --sync=all has seen no calls, see calls.h */
	char *refused;	    /* ... and the calls that it could not see, to be freed; NULL: none */
	struct block_tracer_result blocks; /* because of `probe` */
	struct uprobe_result uprobe;	   /* because of `uprobe` */
	uint64_t file_bytes;
	bool wrapped;	    /* process ids wrapped around: threads may be missing */
	bool full;	    /* the file has reached its largest size */
	bool spent;	    /* RECORDER_CALLS_SHARE_MAX of the duration */
	char *limits;	    /* the data that the collector cannot see, to be freed; NULL: none */
	int command_status; /* its exit status as a shell shows it; 128 + N after signal N */
	pid_t left;	    /* the command where it was left after signal `asked_by`; else 0 */
	int asked_by;
};

/*
 * Records until the command has ended and passes signals on to it (stop_signals.h); SIGINT and
 * SIGQUIT are left to the terminal, which sends them to the command as well. The command is left to
 * itself at the second SIGINT or SIGTERM, and where it runs as another user 2 s after the first.
 * A target that runs already is recorded until a signal comes or it has ended. Both are recorded no
 * longer than `duration_ns`, `max_bytes` and the control say; a command is waited for then. Returns
 * 0, or -1 with a sentence.
 */
int recorder_run(struct recorder_result *result, const struct recorder_request *request,
		 struct err *err);

#endif
