/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's end of a spool (probe/spool.h): the plan that processes take, and the memory files
 * that they offer. A file is taken only if the kernel says that it cannot be made shorter, and the
 * kernel says which process has connected; the words of the process do not count.
 */
#ifndef PSCAL_COLLECT_BLOCKS_SPOOL_LISTENER_H
#define PSCAL_COLLECT_BLOCKS_SPOOL_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "collect/kernel/run_directory.h"
#include "probe/patch_plan.h"

struct err;

/* A connection of which the offer has not come so far. */
struct spool_caller {
	int fd;
	uint64_t since_ns;
};

enum { SPOOL_CALLERS_MAX = 64 };

/* Begins as spool_listener_none(). */
struct spool_listener {
	const char *path; /* of the directory, for SPOOL_ENVIRONMENT; NULL: not open */

	/* Its own: */
	struct run_directory directory;
	uint64_t opened_ns;
	int fd;
	struct plan_header *plan; /* mapped, so that processes see its changes */
	struct spool_caller callers[SPOOL_CALLERS_MAX]; /* in the order in which they have come */
	size_t caller_count;
	unsigned refused; /* descriptors of other kinds than this memory */
};

/* An offer, by a process that the kernel names. */
struct spool_arrival {
	struct spool_offer offer; /* of this version; `pid` is that of the process */
	uid_t uid;
	gid_t gid;
	int fd; /* the caller's to close */
	uint64_t bytes;
	uint64_t after_ns; /* it has not been made before then (CLOCK_MONOTONIC) */
	bool is_over;	   /* the thread has ended already */
};

struct spool_listener spool_listener_none(void);

/* Makes the directory and listens in it. Returns 0, or -1 with a sentence; close it then, too. */
int spool_listener_open(struct spool_listener *listener, struct err *err);

/* It is not found any more, and nothing is left of it in the file system. */
void spool_listener_close(struct spool_listener *listener);

/*
 * Lets processes have the plan that `write` writes, with the directory's token filled in. Returns
 * 0, or -1 with a sentence; `write` returns -1 where it cannot.
 */
int spool_listener_publish(struct spool_listener *listener,
			   int (*write)(FILE *out, const void *context), const void *context,
			   struct err *err);

/* Files are read as of now (CLOCK_MONOTONIC). `room`: they may become larger. */
void spool_listener_tell(struct spool_listener *listener, uint64_t now_ns, bool room);

/*
 * Takes the next offer that has come. Returns 1; 0: there is none; -1 with a sentence about one
 * that was refused, of which the arrival has the kind that it claims, and the process.
 */
int spool_listener_next(struct spool_listener *listener, struct spool_arrival *arrival,
			struct err *err);

#endif
