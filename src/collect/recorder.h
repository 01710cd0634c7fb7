/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One recording from beginning to end, with perf events. Another collector has the same request
 * and result.
 */
#ifndef PSCAL_COLLECT_RECORDER_H
#define PSCAL_COLLECT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target.h"

struct err;

/* What to record: what runs already, or a command to start. All borrowed. */
struct recorder_request {
	const char *path; /* of the recording */
	struct target_spec target;
	uint64_t duration_ns;	    /* with a target: stop after this time; 0: when it ends */
	const char *const *command; /* ends in NULL; NULL with a target */
	const char *const *cmdline; /* of the recorder, ends in NULL: kept in the recording */
};

struct recorder_result {
	uint64_t wall_ns;
	uint64_t threads; /* of the target, alive at its beginning or born later */
	uint64_t samples;
	uint64_t lost;	       /* records that the kernel had no room for */
	uint64_t missed_wakes; /* the kernel counted them but did not record them */
	uint64_t file_bytes;
	bool wrapped;	    /* process ids began anew: threads may be missing */
	int command_status; /* its exit status as a shell shows it; 128 + N after signal N */
};

/*
 * Records until the command has ended and passes SIGTERM and SIGHUP on to it; SIGINT is left to
 * the terminal, which sends it to the command as well. Processes are recorded until one of these
 * signals comes, they have ended, or the duration is over. Returns 0, or -1 with a sentence.
 */
int recorder_run(struct recorder_result *result, const struct recorder_request *request,
		 struct err *err);

#endif
