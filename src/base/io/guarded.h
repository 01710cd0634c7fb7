/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A separate process for code that may break on untrusted input, such as libraries for large
 * formats. It receives questions and sends answers as messages. It has a copy of its parent's
 * memory, one socket, limits, and no other open file. If it crashes, hangs or gives no answer, only
 * the question fails.
 */
#ifndef PSCAL_BASE_IO_GUARDED_H
#define PSCAL_BASE_IO_GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* The largest question and answer, in bytes. */
enum { GUARDED_MESSAGE_MAX = 8192 };

struct guarded_work {
	/*
	 * Runs in the process for each question: stores an answer in `answer`, which has room for
	 * GUARDED_MESSAGE_MAX bytes, and returns its size, 1 or more. Its changes of `context` last
	 * for later questions, and are invisible to the parent.
	 */
	size_t (*answer)(void *context, void *answer, const void *question, size_t size);
	void *context;
	unsigned cpu_s, wait_s; /* CPU time for all questions; time for one answer */
	uint64_t memory_bytes;	/* beyond the size at the start */
};

/* A process that answers questions. It begins as zero. */
struct guarded {
	pid_t pid; /* 0: no process */
	int fd;
	unsigned cpu_s, wait_s;
	/*
	 * The time of base/monotonic.h after which callers wait neither for an answer nor for the
	 * end of the process; 0: only wait_s limits the wait.
	 */
	uint64_t until_ns;
};

/* Starts the process. The caller has no other threads. Returns 0, or -1 with an error. */
int guarded_start(struct guarded *guarded, const struct guarded_work *work, struct err *err);

/*
 * Asks a question. Returns the size of the answer, at most `room`, or -1 with the fate of the
 * process, which has ended: "was ended by signal 11, Segmentation fault", "gave no answer within 60
 * s". The caller checks the contents of an answer.
 */
ssize_t guarded_ask(void *answer, size_t room, struct guarded *guarded, const void *question,
		    size_t size, struct err *err);

/* Ends the process, if it was started. */
void guarded_end(struct guarded *guarded);

#endif
