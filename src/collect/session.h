/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What belongs together in one recording: the target, the collectors that watch it, and the file
 * that they fill. The recorder decides when.
 */
#ifndef PSCAL_COLLECT_SESSION_H
#define PSCAL_COLLECT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

struct err;
struct recorder_request;
struct recorder_result;

/* Begins as zero. */
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
	struct recording_facts facts; /* what the recording says of itself */
	size_t pause_capacity;
	bool on; /* what the target does is recorded now */
};

/* Nothing is open yet. */
void session_init(struct session *session);

/*
 * Opens the collectors and a file without a name. Returns 0, or -1 with a sentence; close it in
 * both cases.
 */
int session_open(struct session *session, const struct recorder_request *request, struct err *err);

/* A command is about to be forked; it is born and held back. 0, or -1 with a sentence. */
int session_expect(struct session *session, struct err *err);
int session_follow(struct session *session, pid_t child, struct err *err);

/* What runs already. Returns 0, or -1 with a sentence, also when all of it has ended. */
int session_attach(struct session *session, struct err *err);

/* What has been seen goes into the file. Returns 0, or -1 with a sentence. */
int session_pass(struct session *session, struct err *err);

/*
 * On: what the threads of the target do now is looked at; what they did while it was off is not
 * known. Returns 0, or -1 with a sentence.
 */
int session_enable(struct session *session, bool on, struct err *err);

/* Nothing is seen from now on. The file remains that of an interrupted recorder. */
void session_stop(struct session *session);

/*
 * Stops, and writes the end of the file. `stop_ns` is when what is recorded was over. Returns 0, or
 * -1 with a sentence.
 */
int session_end(struct session *session, uint64_t stop_ns, struct recorder_result *result,
		struct err *err);

/* Returns 0, or -1 with a sentence when the file could not be closed. */
int session_close(struct session *session, struct err *err);

#endif
