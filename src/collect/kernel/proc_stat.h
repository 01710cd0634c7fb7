/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks and CPUs as /proc shows them. Source: proc(5). Functions take the root of the file system
 * ("/proc") so that tests can make one up.
 */
#ifndef PSCAL_COLLECT_KERNEL_PROC_STAT_H
#define PSCAL_COLLECT_KERNEL_PROC_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROC_COMM_SIZE = 64 }; /* kernel workers have names longer than the usual 15 */

struct proc_stat {
	pid_t id;
	pid_t parent;
	char state;	      /* R S D T t Z X I P */
	uint64_t start_ticks; /* of its birth, since the machine started; 0: not said */
	char comm[PROC_COMM_SIZE];
};

/*
 * The file `path` ("/proc/1/stat"). The name in it is whatever a program called itself, with blanks,
 * parentheses or newlines; control characters come out as '?'. 0, or -1 when the task is gone.
 */
int proc_stat_read(struct proc_stat *stat, const char *path);

/* That of a process, or of its thread `tid` (0: none) below `proc` ("/proc"). */
int proc_stat_of(struct proc_stat *stat, const char *proc, pid_t pid, pid_t tid);

/* The same as proc_stat_read() below the open directory `dir`. */
int proc_stat_read_at(struct proc_stat *stat, int dir, const char *path);

/* The numeric entries of a directory ("/proc", "/proc/1/task"). Returns 0, or -1 when it is gone.
 * The caller frees *ids. */
int proc_ids(pid_t **ids, size_t *count, const char *path);
int proc_ids_at(pid_t **ids, size_t *count, int dir, const char *path);

/*
 * Reads the first line of a file that begins as `format` of scanf(3) says. Returns how many fields
 * were found, 0 where there is no such line or file.
 */
int proc_scan(const char *path, const char *format, ...) __attribute__((format(scanf, 2, 3)));

/* The process that thread `id` belongs to; 0 when there is no such thread. `proc` is "/proc". */
pid_t proc_process_of(pid_t id, const char *proc);

/* Now, as /proc gives the start of processes: in ticks of the clock that runs while asleep. */
uint64_t proc_now_ticks(void);

/* The time that a CPU was in use since the machine started: by any program, and by the hypervisor. */
struct cpu_ticks {
	uint64_t busy; /* with steal */
	uint64_t steal;
};

/* Of each CPU below `count` by its number; 0 of those that are offline. `path` is "/proc/stat". */
void proc_cpu_ticks(struct cpu_ticks *cpus, size_t count, const char *path);

/* The use of a CPU between the two; 0 of one that was offline before or is now. */
struct cpu_ticks proc_cpu_ticks_since(const struct cpu_ticks *now, const struct cpu_ticks *before);

/* --- cpu_quota.c ----------------------------------------------------------------------------- */

/*
 * The limit of CPU time that control groups set: cpu.max of version 2, cpu.cfs_quota_us and
 * cpu.cfs_period_us of version 1. Source: the kernel's admin-guide/cgroup-v2, scheduler/sched-bwc.
 */
enum { CPU_QUOTA_PATH = 1024 };

struct cpu_quota {
	uint64_t quota_ns, period_ns; /* so much CPU time in each period */
	char group[CPU_QUOTA_PATH];   /* the directory of the group */
};

/*
 * The tightest limit of the groups that the task is in (`pid` 0: the caller), as far as they can be
 * seen, below `root` (""). Returns 0, or -1 where there is none.
 */
int cpu_quota_find(struct cpu_quota *quota, const char *root, pid_t pid);

/* The use that a group has made of its limit since it exists. */
struct cpu_quota_use {
	uint64_t periods;      /* in which a thread of it ran */
	uint64_t throttled;    /* ... and that used up the limit */
	uint64_t throttled_ns; /* its CPUs were throttled, all together */
	uint64_t used_ns;      /* CPU time of all its threads; 0: not told */
};

/* Returns 0, or -1 where the group is gone. */
int cpu_quota_use(struct cpu_quota_use *use, const char *group);

#endif
