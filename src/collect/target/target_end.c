/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/target_end.h"

#include "collect/kernel/proc_stat.h"
#include "collect/target/lineage.h"
#include "collect/target/pid_set.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PIDFD_THREAD of linux/pidfd.h, Linux 6.9 */
enum { FOR_A_THREAD = O_EXCL };

void target_end_init(struct target_end *end)
{
	*end = (struct target_end){.fd = -1};
}

void target_end_release(struct target_end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	target_end_init(end);
}

static bool thread_lives(pid_t pid, pid_t tid, const char *proc)
{
	char path[256];
	struct proc_stat stat;

	snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, (int)pid, (int)tid);
	return !proc_stat_read(&stat, path) && stat.state != 'Z' && stat.state != 'X';
}

/* The first thread of a process may end before the others do. */
static bool process_lives(pid_t pid, const char *proc)
{
	char path[256];
	pid_t *tids;
	size_t count;
	bool lives = false;

	snprintf(path, sizeof(path), "%s/%d/task", proc, (int)pid);
	if (proc_ids(&tids, &count, path))
		return false;
	for (size_t i = 0; !lives && i < count; i++)
		lives = thread_lives(pid, tids[i], proc);
	free(tids);
	return lives;
}

static bool witness_lives(const struct target_end *end, const char *proc)
{
	struct pollfd ended = {.fd = end->fd, .events = POLLIN};

	if (!end->witness)
		return false;
	if (end->fd >= 0)
		return poll(&ended, 1, 0) == 0;
	if (end->is_thread)
		return thread_lives(proc_process_of(end->witness, proc), end->witness, proc);
	return process_lives(end->witness, proc);
}

/* Takes the next one that lives. Returns how many were found to have ended. */
static size_t find_witness(struct target_end *end, struct pid_set *living, bool is_thread,
			   const char *proc)
{
	size_t ended = 0;

	for (pid_t id = 0; (id = pid_set_next(living, id)); ended++) {
		*end = (struct target_end){.witness = id, .is_thread = is_thread};
		/* Without such descriptors /proc is asked. */
		end->fd = (int)syscall(SYS_pidfd_open, id, is_thread ? FOR_A_THREAD : 0);
		if (witness_lives(end, proc))
			break;
		target_end_release(end);
		pid_set_remove(living, id);
	}
	return ended;
}

enum target_life target_end_ask(struct target_end *end, struct lineage *lineage, const char *proc)
{
	size_t ended;

	if (lineage->wide)
		return TARGET_LIVES;
	if (witness_lives(end, proc))
		return TARGET_LIVES;
	target_end_release(end);
	ended = find_witness(end, &lineage->living_processes, false, proc);
	if (!end->witness)
		ended += find_witness(end, &lineage->living_threads, true, proc);
	if (end->witness)
		return TARGET_LIVES;
	/* One of them may have created another that has not been counted yet. */
	return ended ? TARGET_IS_UNCERTAIN : TARGET_HAS_ENDED;
}
