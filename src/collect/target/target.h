/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of a recording as it is when the recording begins: the requested processes or threads,
 * each thread with its state, and their allowed CPUs; and the end of the target.
 */
#ifndef PSCAL_COLLECT_TARGET_TARGET_H
#define PSCAL_COLLECT_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/kernel/cpu_list.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/pid_set.h"

struct err;
struct lineage;

/*
 * The request of the user; all borrowed. For `comm` and `all` every thread of the machine is
 * recorded: a name comes and goes, so readers of the recording pick those that have it.
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
 * Finds the threads of the target. Collectors must be on already: what is born from then on is
 * seen by them, so it is enough to look until nothing older appears. Threads that have ended, also
 * where their process goes on, are no part of it. `watch` may be NULL, `spec` must live as long as
 * the target. Returns 0, or -1 with a sentence.
 */
int target_scan(struct target *target, const struct target_spec *spec, const char *proc,
		const struct target_watch *watch, struct err *err);

/*
 * The same again after a pause, for collectors that watched the births meanwhile: `processes` and
 * `tids` are all that belong to the target by now (see lineage.h). What is found is added to
 * `threads`, once more where it had been there. Returns 0, or -1 with a sentence.
 */
int target_rescan(struct target *target, const struct pid_set *processes,
		  const struct pid_set *tids, const char *proc, struct err *err);
void target_release(struct target *target);

/* The process ids that /proc shows are those of a container, not those in the kernel's events. */
bool target_is_in_pid_namespace(void);

/* The directory of the control groups. Source: the kernel's admin-guide/cgroup-v2. */
#define CGROUP_ROOT "/sys/fs/cgroup"

/*
 * All processes in control group `path` below `root`, and in the groups in it, as they are now.
 * Returns 0, or -1 with a sentence, also when there is none. The caller frees *pids.
 */
int cgroup_pids(pid_t **pids, size_t *count, const char *root, const char *path, struct err *err);

/*
 * The end of a target that was running before: that of all of its processes and threads, also of
 * those that were born while it was recorded and have outlived their creators.
 *
 * To watch one of them, the witness, is enough: as long as it lives the target has not ended, and
 * when it ends another one takes its place. Begins as {.fd = -1}.
 */
struct target_end {
	int fd; /* readable when it is time to ask again; -1: ask now and then */
	pid_t witness;
	bool is_thread; /* and not a process */
};

void target_end_release(struct target_end *end);

enum target_life {
	TARGET_LIVES,
	TARGET_IS_UNCERTAIN, /* those that are known have ended: let all records be counted, ask
				again */
	TARGET_HAS_ENDED,
};

/*
 * `lineage` knows what belongs to the target; what has ended is taken from its living. A target that
 * is all of the machine never ends. `proc` is "/proc".
 */
enum target_life target_end_ask(struct target_end *end, struct lineage *lineage, const char *proc);

/*
 * The CPUs that a command may use. They may change after the start: `taskset` execs the real
 * command, programs pin their threads one by one. So they are read while it runs, at growing
 * intervals. The result is the union of the CPUs of all threads at the last look that finds several;
 * without one, the CPUs of the only thread at its end.
 */

struct affinity_watch {
	pid_t pid;
	uint64_t next_ns; /* CLOCK_MONOTONIC, when to look next */
	uint64_t step_ns;
	bool several; /* several threads have been found */
	struct cpu_mask mask;
};

void affinity_watch_begin(struct affinity_watch *watch, pid_t pid, uint64_t now_ns);

/* Looks if it is time to, and returns whether it was. `proc` is "/proc". */
bool affinity_watch_look(struct affinity_watch *watch, uint64_t now_ns, const char *proc);

/* The process has ended, but has not been waited for. */
void affinity_watch_end(struct affinity_watch *watch);

#endif
