/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/target.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/lineage.h"
#include "collect/target/pid_set.h"

#include <fcntl.h>
#include <fts.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t first_step_ns = 5000000, last_step_ns = 1000000000;

void affinity_watch_begin(struct affinity_watch *watch, pid_t pid, uint64_t now_ns)
{
	*watch = (struct affinity_watch){
		.pid = pid, .next_ns = now_ns + first_step_ns, .step_ns = first_step_ns};
}

bool affinity_watch_look(struct affinity_watch *watch, uint64_t now_ns, const char *proc)
{
	char path[64];
	pid_t *tids;
	size_t count;

	if (now_ns < watch->next_ns)
		return false;
	watch->step_ns *= 2;
	if (watch->step_ns > last_step_ns)
		watch->step_ns = last_step_ns;
	watch->next_ns = now_ns + watch->step_ns;
	snprintf(path, sizeof(path), "%s/%d/task", proc, (int)watch->pid);
	if (proc_ids(&tids, &count, path))
		return true;
	if (count > 1) {
		watch->several = true;
		watch->mask = (struct cpu_mask){{false}};
		for (size_t i = 0; i < count; i++)
			cpu_mask_add_affinity(&watch->mask, tids[i]);
	}
	free(tids);
	return true;
}

void affinity_watch_end(struct affinity_watch *watch)
{
	/* The kernel shows the affinity of a process until it is waited for. */
	if (!watch->several)
		cpu_mask_add_affinity(&watch->mask, watch->pid);
}

enum { PATH_SIZE = 256 };

/* PIDFD_THREAD of linux/pidfd.h, Linux 6.9 */
enum { FOR_A_THREAD = O_EXCL };

/* A search for threads, and its context. */
struct scan {
	struct target *target;
	const char *proc;
	const struct target_watch *watch;
	uint64_t begin_ticks; /* collectors see threads that are born later */
	/* Reasons to search again: threads born before, or watched too late. */
	size_t again;
	struct err *err;
};

int target_check(const struct target_spec *spec, const char *proc, struct err *err)
{
	for (size_t i = 0; i < spec->pid_count; i++) {
		pid_t pid = proc_process_of(spec->pids[i], proc);

		if (!pid)
			return err_set(err, "there is no process %d", (int)spec->pids[i]);
		if (pid != spec->pids[i])
			return err_set(err,
				       "%d is a thread of process %d; name the process, or "
				       "record the thread with -t",
				       (int)spec->pids[i], (int)pid);
	}
	for (size_t i = 0; i < spec->tid_count; i++)
		if (!proc_process_of(spec->tids[i], proc))
			return err_set(err, "there is no thread %d", (int)spec->tids[i]);
	return 0;
}

/* --- Processes ----------------------------------------------------------------------------- */

static bool add_process(struct target *target, pid_t pid, uint64_t start_ticks)
{
	if (!pid_set_add(&target->known_processes, pid))
		return false;
	array_reserve(&target->processes, &target->process_capacity, target->process_count + 1);
	target->processes[target->process_count++] = (struct target_process){pid, start_ticks};
	return true;
}

/* Adds a process that was named, or whose birth was seen. */
static void add_named(struct target *target, pid_t pid, const char *proc)
{
	struct proc_stat stat;

	if (!proc_stat_of(&stat, proc, pid, 0))
		add_process(target, pid, stat.start_ticks);
}

/*
 * Adds the descendants of the known processes. The stat of each process has its parent; not every
 * kernel has the list of children in /proc/PID/task/TID.
 */
static void add_descendants(struct target *target, const char *proc)
{
	pid_t *ids;
	size_t count, added;
	struct proc_stat *stats;

	if (proc_ids(&ids, &count, proc))
		return;
	stats = xcalloc(count, sizeof(*stats));
	for (size_t i = 0; i < count; i++)
		if (proc_stat_of(&stats[i], proc, ids[i], 0))
			stats[i] = (struct proc_stat){0};
	do {
		added = 0;
		for (size_t i = 0; i < count; i++)
			if (pid_set_has(&target->known_processes, stats[i].parent))
				added += add_process(target, stats[i].id, stats[i].start_ticks);
	} while (added);
	free(stats);
	free(ids);
}

/* --- Threads ------------------------------------------------------------------------------- */

static bool has_ended(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

static bool counts_for_affinity(const struct target_spec *spec, const struct proc_stat *stat)
{
	return !target_spec_is_wide(spec) || (spec->comm && strcmp(spec->comm, stat->comm) == 0);
}

/* Adds a thread. `dir` is the directory of its process, also if its pid is reused. */
static void add_thread(struct scan *scan, int dir, pid_t pid, pid_t tid)
{
	struct target *target = scan->target;
	uint64_t time_ns = monotonic_ns();
	char path[PATH_SIZE];
	struct proc_stat stat;
	struct target_thread *thread;

	snprintf(path, sizeof(path), "task/%d/stat", (int)tid);
	if (proc_stat_read_at(&stat, dir, path) || has_ended(&stat) ||
	    !pid_set_add(&target->known_threads, tid))
		return;
	scan->again += stat.start_ticks <= scan->begin_ticks;
	array_reserve(&target->threads, &target->thread_capacity, target->thread_count + 1);
	thread = &target->threads[target->thread_count++];
	*thread = (struct target_thread){.time_ns = time_ns,
					 .pid = pid,
					 .tid = tid,
					 .parent = stat.parent,
					 .state = stat.state};
	memcpy(thread->comm, stat.comm, sizeof(thread->comm));
	/* A thread that has ended by now does not count. */
	if (counts_for_affinity(target->spec, &stat))
		cpu_mask_add_affinity(&target->affinity, tid);
}

static int find_thread(struct scan *scan, int dir, pid_t pid, pid_t tid)
{
	const struct target_watch *watch = scan->watch;

	if (pid_set_has(&scan->target->known_threads, tid))
		return 0;
	if (watch) {
		int rc = watch->adopt(watch->context, pid, tid, scan->err);

		if (rc < 0)
			return -1;
		scan->again += (size_t)rc;
	}
	add_thread(scan, dir, pid, tid);
	return 0;
}

static int find_threads(struct scan *scan, int dir, pid_t pid)
{
	pid_t *tids;
	size_t count;
	int rc = 0;

	if (proc_ids_at(&tids, &count, dir, "task"))
		return 0;
	for (size_t i = 0; !rc && i < count; i++)
		rc = find_thread(scan, dir, pid, tids[i]);
	free(tids);
	return rc;
}

static int open_process(const struct scan *scan, pid_t pid)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%d", scan->proc, (int)pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Returns whether `dir` is still the same process, and not another with its pid. */
static bool is_same(const struct target_process *process, int dir)
{
	struct proc_stat stat;

	return !process->start_ticks ||
	       (!proc_stat_read_at(&stat, dir, "stat") && stat.start_ticks == process->start_ticks);
}

static int look_at_process(struct scan *scan, const struct target_process *process)
{
	int dir = open_process(scan, process->pid);
	int rc = 0;

	if (dir < 0)
		return 0;
	if (is_same(process, dir))
		rc = find_threads(scan, dir, process->pid);
	close(dir);
	return rc;
}

static int look_at_thread(struct scan *scan, pid_t tid)
{
	pid_t pid = proc_process_of(tid, scan->proc);
	int dir = pid ? open_process(scan, pid) : -1;
	int rc;

	if (dir < 0)
		return 0;
	rc = find_thread(scan, dir, pid, tid);
	close(dir);
	return rc;
}

/* --- Scanning ------------------------------------------------------------------------------ */

static int look_at_machine(struct scan *scan)
{
	pid_t *pids;
	size_t count;
	int rc = 0;

	if (proc_ids(&pids, &count, scan->proc))
		return err_set(scan->err, "%s: cannot be read: %m", scan->proc);
	for (size_t i = 0; !rc && i < count; i++)
		rc = look_at_process(scan, &(struct target_process){.pid = pids[i]});
	free(pids);
	return rc;
}

static int look_once(struct scan *scan)
{
	struct target *target = scan->target;
	const struct target_spec *spec = target->spec;
	int rc = 0;

	if (target_spec_is_wide(spec))
		return look_at_machine(scan);
	if (spec->pid_count && !spec->alone)
		add_descendants(target, scan->proc);
	for (size_t i = 0; !rc && i < target->process_count; i++)
		rc = look_at_process(scan, &target->processes[i]);
	for (size_t i = 0; !rc && i < spec->tid_count; i++)
		rc = look_at_thread(scan, spec->tids[i]);
	return rc;
}

/*
 * Searches until no older thread appears. A list of threads that end while it is read may lack some
 * that live, so it is read again until it shows no new one. Threads born meanwhile do not count as
 * new: collectors see them, and a program that never stops creating threads would never be done.
 */
static int look_until_settled(struct target *target, const char *proc,
			      const struct target_watch *watch, struct err *err)
{
	struct scan scan = {.target = target,
			    .proc = proc,
			    .watch = watch,
			    .begin_ticks = proc_now_ticks(),
			    .err = err};
	size_t before;

	do {
		before = scan.again;
		if (look_once(&scan))
			return -1;
	} while (scan.again > before);
	return 0;
}

static void add_online_cpus(struct cpu_mask *mask)
{
	struct cpu_list online;
	struct err ignored; /* the affinity is unknown then */

	if (cpu_list_read(&online, CPU_ONLINE_PATH, &ignored))
		return;
	for (size_t i = 0; i < online.count; i++)
		mask->has[online.cpus[i]] = true;
	cpu_list_release(&online);
}

int target_scan(struct target *target, const struct target_spec *spec, const char *proc,
		const struct target_watch *watch, struct err *err)
{
	*target = (struct target){.spec = spec};
	for (size_t i = 0; i < spec->pid_count; i++)
		add_named(target, spec->pids[i], proc);
	if (spec->all)
		add_online_cpus(&target->affinity);
	return look_until_settled(target, proc, watch, err);
}

int target_rescan(struct target *target, const struct pid_set *processes,
		  const struct pid_set *tids, const char *proc, struct err *err)
{
	struct scan scan = {.target = target, .proc = proc, .err = err};

	target->process_count = 0;
	pid_set_release(&target->known_processes);
	pid_set_release(&target->known_threads);
	for (pid_t pid = 0; (pid = pid_set_next(processes, pid));)
		add_named(target, pid, proc);
	if (look_until_settled(target, proc, NULL, err))
		return -1;
	for (pid_t tid = 0; (tid = pid_set_next(tids, tid));)
		look_at_thread(&scan, tid);
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

bool target_is_in_pid_namespace(void)
{
	/* PROC_PID_INIT_INO of linux/proc_ns.h, fixed since namespaces have numbers. */
	static const char first[] = "pid:[4026531836]";
	char name[64];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name));

	return length > 0 &&
	       ((size_t)length != sizeof(first) - 1 || memcmp(name, first, (size_t)length) != 0);
}

/* --- Control groups ------------------------------------------------------------------------ */

struct group_pids {
	pid_t *list;
	size_t count, capacity;
};

static void read_procs(struct group_pids *pids, const char *path)
{
	FILE *file = fopen(path, "re");
	int pid;

	while (file && fscanf(file, "%d", &pid) == 1) {
		if (pid <= 0)
			continue; /* of another pid namespace */
		array_reserve(&pids->list, &pids->capacity, pids->count + 1);
		pids->list[pids->count++] = pid;
	}
	if (file)
		fclose(file);
}

/* Lists the processes of all groups below `top`; one that is gone meanwhile has none. */
static int read_groups(struct group_pids *pids, char *top)
{
	char *const paths[] = {top, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!tree)
		return -1;
	while ((entry = fts_read(tree)))
		if (strcmp(entry->fts_name, "cgroup.procs") == 0)
			read_procs(pids, entry->fts_path);
	fts_close(tree);
	return 0;
}

/* Returns a path below the root; one that begins with the root is accepted, too. */
static const char *within_root(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strncmp(path, root, length) == 0 && (path[length] == '/' || !path[length]))
		path += length;
	return path + strspn(path, "/");
}

int cgroup_pids(pid_t **pids, size_t *count, const char *root, const char *path, struct err *err)
{
	char *top = xasprintf("%s/%s", root, within_root(path, root));
	char *procs = xasprintf("%s/cgroup.procs", top);
	FILE *file = fopen(procs, "re");
	struct group_pids found = {.count = 0};
	int rc = 0;

	if (!file)
		rc = err_set(err, "%s: is not a control group: %m", top);
	else
		fclose(file);
	if (!rc && (read_groups(&found, top) || !found.count))
		rc = err_set(err, "%s: there is no process in this control group", top);
	free(procs);
	free(top);
	*pids = found.list;
	*count = found.count;
	return rc;
}

/* --- The end ------------------------------------------------------------------------------- */

void target_end_release(struct target_end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	*end = (struct target_end){.fd = -1};
}

static bool thread_lives(pid_t pid, pid_t tid, const char *proc)
{
	struct proc_stat stat;

	return !proc_stat_of(&stat, proc, pid, tid) && !has_ended(&stat);
}

/* Returns whether a process lives. Its first thread may end before the others. */
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

/* Finds the next witness that lives. Returns the number of those that had ended. */
static size_t find_witness(struct target_end *end, struct pid_set *living, bool is_thread,
			   const char *proc)
{
	size_t ended = 0;

	for (pid_t id = 0; (id = pid_set_next(living, id)); ended++) {
		*end = (struct target_end){.witness = id, .is_thread = is_thread};
		/* Without such descriptors, /proc is read. */
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
	/* An ended one may have created another that has not been counted yet. */
	return ended ? TARGET_IS_UNCERTAIN : TARGET_HAS_ENDED;
}
