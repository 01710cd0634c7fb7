/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes that a recording is about, as they are when it begins: the given ones and all
 * their descendants, each of their threads with its state, and the CPUs they may use.
 */
#ifndef PSCAL_COLLECT_TARGET_H
#define PSCAL_COLLECT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/cpu_list.h"
#include "collect/pid_set.h"
#include "collect/proc_stat.h"

struct err;

struct target_thread {
	uint64_t time_ns; /* CLOCK_MONOTONIC, just before its state was read */
	pid_t pid, tid;
	pid_t parent; /* of its process */
	char state;   /* the letter in /proc/PID/stat */
	char comm[PROC_COMM_SIZE];
};

struct target {
	const pid_t *roots; /* borrowed */
	size_t root_count;
	pid_t *processes;
	size_t process_count, process_capacity;
	struct target_thread *threads;
	size_t thread_count, thread_capacity;
	struct pid_set known_processes, known_threads;
	struct cpu_mask affinity; /* of all threads together */
};

/*
 * Are these processes that can be recorded? `proc` is "/proc". Returns 0, or -1 with a sentence
 * when one does not exist, or is a thread of another process.
 */
int target_check(const pid_t *roots, size_t count, const char *proc, struct err *err);

/* Called for each thread that is found, before its state is read. 0, or -1 with a sentence. */
struct target_watch {
	int (*adopt)(void *context, pid_t pid, pid_t tid, struct err *err);
	void *context;
};

/*
 * Looks at the target again and again until nothing new appears: what is born after that is seen
 * by who watches, which must be on. `roots` must live as long as the target. Returns 0, or -1 with
 * a sentence.
 */
int target_scan(struct target *target, const pid_t *roots, size_t count, const char *proc,
		const struct target_watch *watch, struct err *err);
void target_release(struct target *target);

/* A descriptor that is readable once process `index` has ended; -1 with errno, which is ESRCH when
 * it has been waited for already. */
int target_open_pidfd(const struct target *target, size_t index);

/* The process ids that /proc shows are those of a container, not those in the kernel's events. */
bool target_is_in_pid_namespace(void);

#endif
