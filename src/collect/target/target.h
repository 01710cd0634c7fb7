/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of a recording when it begins: the requested processes or threads, each thread with
 * its state, and their allowed CPUs; and the end of the target.
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
 * The target that the user requests; all pointers are borrowed. For `comm` and `all` every thread
 * of the machine is recorded: threads change their names, so readers of the recording select those
 * with the name.
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

/* Returns whether every thread of the machine has to be recorded. */
static inline bool target_spec_is_wide(const struct target_spec *spec)
{
	return spec->comm || spec->all;
}

struct target_process {
	pid_t pid;
	uint64_t start_ticks; /* identifies a process together with the pid; 0: not known */
};

struct target_thread {
	uint64_t time_ns; /* CLOCK_MONOTONIC, just before its state was read */
	pid_t pid, tid;
	pid_t parent; /* parent of its process */
	char state;   /* the letter in /proc/PID/stat */
	char comm[PROC_COMM_SIZE];
};

struct target {
	const struct target_spec *spec;	  /* borrowed */
	struct target_process *processes; /* `pids` and their descendants */
	size_t process_count, process_capacity;
	struct target_thread *threads; /* of the whole machine if the target is wide */
	size_t thread_count, thread_capacity;
	struct pid_set known_processes, known_threads;
	struct cpu_mask affinity; /* of all threads together */
};

/*
 * Checks that the target can be recorded. `proc` is "/proc". Returns 0, or -1 with an error if a
 * process or thread does not exist, or a pid is that of another thread of a process.
 */
int target_check(const struct target_spec *spec, const char *proc, struct err *err);

/*
 * A function for each thread that is found, called before its state is read. Returns 0, 1 if it may
 * have missed something that the thread has created by now, or -1 with an error.
 */
struct target_watch {
	int (*adopt)(void *context, pid_t pid, pid_t tid, struct err *err);
	void *context;
};

/*
 * Finds the threads of the target. Collectors must be on: they record each new thread, so the
 * search ends when it finds no older one. Threads that have ended are not included, even if
 * their process lives. `watch` may be NULL; `spec` must live as long as the target. Returns 0, or
 * -1 with an error.
 */
int target_scan(struct target *target, const struct target_spec *spec, const char *proc,
		const struct target_watch *watch, struct err *err);

/*
 * Finds the threads again after a pause, for collectors that recorded births meanwhile: `processes`
 * and `tids` are all that belong to the target now (see lineage.h). Adds all of them to `threads`,
 * known ones again. Returns 0, or -1 with an error.
 */
int target_rescan(struct target *target, const struct pid_set *processes,
		  const struct pid_set *tids, const char *proc, struct err *err);
void target_release(struct target *target);

/* Returns whether ids in /proc are those of a container, unlike in the kernel's events. */
bool target_is_in_pid_namespace(void);

/* The directory of the control groups. Source: the kernel's admin-guide/cgroup-v2. */
#define CGROUP_ROOT "/sys/fs/cgroup"

/*
 * Lists all processes in control group `path` below `root`, and in the groups in it. Returns 0, or
 * -1 with an error, also if there are none. The caller frees *pids.
 */
int cgroup_pids(pid_t **pids, size_t *count, const char *root, const char *path, struct err *err);

/*
 * The end of a running target: the end of all its processes and threads, also of those that were
 * born during the recording and have outlived their creators.
 *
 * Watching one of them, the witness, is enough: the target lives as long as it does, and when it
 * ends another one replaces it. Begins as {.fd = -1}.
 */
struct target_end {
	int fd; /* readable when it is time to ask again; -1: ask from time to time */
	pid_t witness;
	bool is_thread; /* a thread, not a process */
};

void target_end_release(struct target_end *end);

enum target_life {
	TARGET_LIVES,
	TARGET_IS_UNCERTAIN, /* all known ones have ended: read all records, then ask again */
	TARGET_HAS_ENDED,
};

/*
 * Finds out whether the target lives. `lineage` has the threads of the target; those that have
 * ended are removed from its living ones. A wide target never ends. `proc` is "/proc".
 */
enum target_life target_end_ask(struct target_end *end, struct lineage *lineage, const char *proc);

/*
 * The CPUs that a command may use. They may change after the start: `taskset` execs the real
 * command, programs pin their threads one by one. So they are read while it runs, at growing
 * intervals. The result is the union of the CPUs of all threads at the last look that found
 * several, or else the CPUs of the only thread at its end.
 */

struct affinity_watch {
	pid_t pid;
	uint64_t next_ns; /* time of the next look, of CLOCK_MONOTONIC */
	uint64_t step_ns;
	bool several; /* several threads have been found */
	struct cpu_mask mask;
};

void affinity_watch_begin(struct affinity_watch *watch, pid_t pid, uint64_t now_ns);

/* Reads the CPUs if it is time to, and returns whether it was. `proc` is "/proc". */
bool affinity_watch_look(struct affinity_watch *watch, uint64_t now_ns, const char *proc);

/* Ends the watch of a process that has ended but has not been waited for. */
void affinity_watch_end(struct affinity_watch *watch);

#endif
