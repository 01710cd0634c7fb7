/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks and CPUs in /proc, which functions take as a path, for tests. Source: proc(5). */
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
	uint64_t start_ticks; /* time of its birth since the boot; 0: not known */
	char comm[PROC_COMM_SIZE];
};

/*
 * Reads the file `path` ("/proc/1/stat"). A program chooses the name in it, with blanks,
 * parentheses or newlines; control characters become '?'. Returns 0, or -1 if the task is gone.
 */
int proc_stat_read(struct proc_stat *stat, const char *path);

/* Reads the file of a process, or of its thread `tid` (0: none), below `proc` ("/proc"). */
int proc_stat_of(struct proc_stat *stat, const char *proc, pid_t pid, pid_t tid);

/* Reads as proc_stat_read() below the open directory `dir`. */
int proc_stat_read_at(struct proc_stat *stat, int dir, const char *path);

/*
 * Lists the numeric entries of a directory ("/proc", "/proc/1/task"). Returns 0, or -1 if it is
 * gone. The caller frees *ids.
 */
int proc_ids(pid_t **ids, size_t *count, const char *path);
int proc_ids_at(pid_t **ids, size_t *count, int dir, const char *path);

/*
 * Reads fields from the first line of a file that matches the beginning of `format`, see scanf(3).
 * Returns their number; 0: no such line or file.
 */
int proc_scan(const char *path, const char *format, ...) __attribute__((format(scanf, 2, 3)));

/* Returns the process of thread `id`; 0: no such thread. `proc` is "/proc". */
pid_t proc_process_of(pid_t id, const char *proc);

/* Returns the present time in the unit of start_ticks: ticks of CLOCK_BOOTTIME. */
uint64_t proc_now_ticks(void);

/* The time that a CPU was used since the boot: by any program, and by the hypervisor. */
struct cpu_ticks {
	uint64_t busy; /* includes steal */
	uint64_t steal;
};

/* Reads the times of each CPU below `count`; 0 for offline CPUs. `path` is "/proc/stat". */
void proc_cpu_ticks(struct cpu_ticks *cpus, size_t count, const char *path);

/* Returns the use of a CPU between two times; 0 if it was offline at either. */
struct cpu_ticks proc_cpu_ticks_since(const struct cpu_ticks *now, const struct cpu_ticks *before);

/* --- cpu_quota.c ----------------------------------------------------------------------------- */

/*
 * The quota of CPU time of control groups: cpu.max of version 2, cpu.cfs_quota_us and
 * cpu.cfs_period_us of version 1. Source: the kernel's admin-guide/cgroup-v2, scheduler/sched-bwc.
 */
enum { CPU_QUOTA_PATH = 1024 };

struct cpu_quota {
	uint64_t quota_ns, period_ns; /* CPU time allowed in each period */
	char group[CPU_QUOTA_PATH];   /* the directory of the group */
};

/*
 * Finds the tightest quota of the visible groups of the task (`pid` 0: the caller), below `root`
 * (""). Returns 0, or -1 if there is none.
 */
int cpu_quota_find(struct cpu_quota *quota, const char *root, pid_t pid);

/* The use of a quota since the group exists. */
struct cpu_quota_use {
	uint64_t periods;      /* periods in which a thread of the group ran */
	uint64_t throttled;    /* ... and that used up the quota */
	uint64_t throttled_ns; /* time that its CPUs were throttled, summed over CPUs */
	uint64_t used_ns;      /* CPU time of all its threads; 0: not known */
};

/* Reads the use of a quota. Returns 0, or -1 if the group is gone. */
int cpu_quota_use(struct cpu_quota_use *use, const char *group);

#endif
