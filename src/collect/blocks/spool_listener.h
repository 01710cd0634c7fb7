/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's end of a spool (probe/spool.h): the plan for processes, and the memory files that
 * they offer. A file is taken only if the kernel guarantees that it cannot be truncated. The kernel
 * identifies the process that has connected; what the process claims does not count.
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

/* A connection whose offer has not come yet. */
struct spool_caller {
	int fd;
	uint64_t since_ns;
};

enum { SPOOL_CALLERS_MAX = 64 };

/* A listener. Begins as spool_listener_none(). */
struct spool_listener {
	const char *path; /* of the directory, for SPOOL_ENVIRONMENT; NULL: not open */

	/* Private: */
	struct run_directory directory;
	uint64_t opened_ns;
	int fd;
	struct plan_header *plan;			/* mapped, so that processes see changes */
	struct spool_caller callers[SPOOL_CALLERS_MAX]; /* in the order of arrival */
	size_t caller_count;
	unsigned refused; /* descriptors that are not such memory */
};

/* An offer, by a process that the kernel identifies. */
struct spool_arrival {
	struct spool_offer offer; /* of this version; `pid` is that of the process */
	uid_t uid;
	gid_t gid;
	int fd; /* the caller closes it */
	uint64_t bytes;
	uint64_t after_ns; /* the time before which it was not made (CLOCK_MONOTONIC) */
	bool is_over;	   /* the thread has ended */
};

struct spool_listener spool_listener_none(void);

/* Makes the directory and listens. Returns 0, or -1 with an error; the caller always closes it. */
int spool_listener_open(struct spool_listener *listener, struct err *err);

/* Closes the listener, and removes it from the file system. */
void spool_listener_close(struct spool_listener *listener);

/*
 * Publishes the plan that `write` writes, with the directory's token filled in. Returns 0, or -1
 * with an error; `write` returns -1 if it fails.
 */
int spool_listener_publish(struct spool_listener *listener,
			   int (*write)(FILE *out, const void *context), const void *context,
			   struct err *err);

/* Tells processes that files are read as of now (CLOCK_MONOTONIC). `room`: files may grow. */
void spool_listener_tell(struct spool_listener *listener, uint64_t now_ns, bool room);

/*
 * Takes the next offer. Returns 1; 0: none; -1 with an error about a refused one, whose arrival has
 * the claimed kind, and the process.
 */
int spool_listener_next(struct spool_listener *listener, struct spool_arrival *arrival,
			struct err *err);

#endif
