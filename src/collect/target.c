/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_SIZE = 256 };

int target_check(const pid_t *roots, size_t count, const char *proc, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		pid_t pid = proc_process_of(roots[i], proc);

		if (!pid)
			return err_set(err, "there is no process %d", (int)roots[i]);
		if (pid != roots[i])
			return err_set(err, "%d is a thread of process %d: name the process",
				       (int)roots[i], (int)pid);
	}
	return 0;
}

static bool add_process(struct target *target, pid_t pid)
{
	if (!pid_set_add(&target->known_processes, pid))
		return false;
	array_reserve(&target->processes, &target->process_capacity, target->process_count + 1);
	target->processes[target->process_count++] = pid;
	return true;
}

/* Adds the children of what is there. The parent stands in each process's stat; the list of
 * children in /proc/PID/task/TID is not in every kernel. */
static void add_descendants(struct target *target, const char *proc)
{
	pid_t *ids;
	size_t count, added;
	struct proc_stat *stats;

	if (proc_ids(&ids, &count, proc))
		return;
	stats = xcalloc(count, sizeof(*stats));
	for (size_t i = 0; i < count; i++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/%d/stat", proc, (int)ids[i]);
		if (proc_stat_read(&stats[i], path))
			stats[i] = (struct proc_stat){0};
	}
	do {
		added = 0;
		for (size_t i = 0; i < count; i++)
			if (pid_set_has(&target->known_processes, stats[i].parent))
				added += add_process(target, stats[i].id);
	} while (added);
	free(stats);
	free(ids);
}

static void add_thread(struct target *target, pid_t pid, pid_t tid, const char *proc)
{
	char path[PATH_SIZE];
	struct proc_stat stat;
	uint64_t time_ns = monotonic_ns();
	struct target_thread *thread;

	snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, (int)pid, (int)tid);
	if (proc_stat_read(&stat, path) || !pid_set_add(&target->known_threads, tid))
		return;
	array_reserve(&target->threads, &target->thread_capacity, target->thread_count + 1);
	thread = &target->threads[target->thread_count++];
	*thread = (struct target_thread){.time_ns = time_ns,
					 .pid = pid,
					 .tid = tid,
					 .parent = stat.parent,
					 .state = stat.state};
	memcpy(thread->comm, stat.comm, sizeof(thread->comm));
	/* It may have ended by now: then it does not count. */
	cpu_mask_add_affinity(&target->affinity, tid);
}

static int add_threads(struct target *target, pid_t pid, const char *proc,
		       const struct target_watch *watch, struct err *err)
{
	char path[PATH_SIZE];
	pid_t *tids;
	size_t count;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/%d/task", proc, (int)pid);
	if (proc_ids(&tids, &count, path))
		return 0;
	for (size_t i = 0; !rc && i < count; i++) {
		if (pid_set_has(&target->known_threads, tids[i]))
			continue;
		if (watch)
			rc = watch->adopt(watch->context, pid, tids[i], err);
		if (!rc)
			add_thread(target, pid, tids[i], proc);
	}
	free(tids);
	return rc;
}

int target_scan(struct target *target, const pid_t *roots, size_t count, const char *proc,
		const struct target_watch *watch, struct err *err)
{
	size_t before;

	*target = (struct target){.roots = roots, .root_count = count};
	for (size_t i = 0; i < count; i++)
		add_process(target, roots[i]);
	do {
		before = target->thread_count;
		add_descendants(target, proc);
		for (size_t i = 0; i < target->process_count; i++)
			if (add_threads(target, target->processes[i], proc, watch, err))
				return -1;
	} while (target->thread_count > before);
	return 0;
}

void target_release(struct target *target)
{
	free(target->processes);
	free(target->threads);
	pid_set_release(&target->known_processes);
	pid_set_release(&target->known_threads);
	*target = (struct target){0};
}

int target_open_pidfd(const struct target *target, size_t index)
{
	return (int)syscall(SYS_pidfd_open, target->processes[index], 0);
}

bool target_is_in_pid_namespace(void)
{
	/* PROC_PID_INIT_INO of linux/proc_ns.h, fixed since namespaces have numbers. */
	static const char first[] = "pid:[4026531836]";
	char name[64];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name));

	return length > 0 &&
	       ((size_t)length != sizeof(first) - 1 || memcmp(name, first, (size_t)length) != 0);
}
