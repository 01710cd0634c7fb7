/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording is about, as it is when it begins: the processes or threads that were asked
 * for, each thread with its state, and the CPUs they may use.
 */
#ifndef PSCAL_COLLECT_TARGET_TARGET_H
#define PSCAL_COLLECT_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/cpu_list.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/pid_set.h"

struct err;

/*
 * What was asked for; all borrowed. For `comm` and `all` every thread of the machine is recorded:
 * a name comes and goes, so who reads the recording picks those that have it.
 */
struct target_spec {
	const pid_t *pids; /* processes with their descendants */
	size_t pid_count;
	const pid_t *tids; /* single threads with what they create */
	size_t tid_count;
	const char *comm; /* threads of this name; NULL: none */
	bool all;	  /* every thread */
	bool alone;	  /* `pids` without descendants, `tids` without what they create */
};

/* Every thread of the machine has to be recorded. */
static inline bool target_spec_is_wide(const struct target_spec *spec)
{
	return spec->comm || spec->all;
}

struct target_process {
	pid_t pid;
	uint64_t start_ticks; /* with the pid it names a process once and for all; 0: not known */
};

struct target_thread {
	uint64_t time_ns; /* CLOCK_MONOTONIC, just before its state was read */
	pid_t pid, tid;
	pid_t parent; /* of its process */
	char state;   /* the letter in /proc/PID/stat */
	char comm[PROC_COMM_SIZE];
};

struct target {
	const struct target_spec *spec;	  /* borrowed */
	struct target_process *processes; /* `pids` and their descendants */
	size_t process_count, process_capacity;
	struct target_thread *threads; /* of the machine when it is recorded wide */
	size_t thread_count, thread_capacity;
	struct pid_set known_processes, known_threads;
	struct cpu_mask affinity; /* of all threads together */
};

/*
 * Can all of it be recorded? `proc` is "/proc". Returns 0, or -1 with a sentence when a process or
 * thread does not exist, or what should be a process is a thread of another.
 */
int target_check(const struct target_spec *spec, const char *proc, struct err *err);

/*
 * Called for each thread that is found, before its state is read. Returns 0, 1 when what the thread
 * created up to now may have been missed, or -1 with a sentence.
 */
struct target_watch {
	int (*adopt)(void *context, pid_t pid, pid_t tid, struct err *err);
	void *context;
};

/*
 * Finds the threads of the target. Who watches must be on already: what is born from then on is
 * seen by that, so it is enough to look until nothing older appears. Threads that have ended, also
 * where their process goes on, are no part of it. `watch` may be NULL, `spec` must live as long as
 * the target. Returns 0, or -1 with a sentence.
 */
int target_scan(struct target *target, const struct target_spec *spec, const char *proc,
		const struct target_watch *watch, struct err *err);

/*
 * The same again after a pause, for who watched the births meanwhile: `processes` and `tids` are
 * all that belong to the target by now (see lineage.h). What is found is added to `threads`, once
 * more where it had been there. Returns 0, or -1 with a sentence.
 */
int target_rescan(struct target *target, const struct pid_set *processes,
		  const struct pid_set *tids, const char *proc, struct err *err);
void target_release(struct target *target);

/* The process ids that /proc shows are those of a container, not those in the kernel's events. */
bool target_is_in_pid_namespace(void);

#endif
