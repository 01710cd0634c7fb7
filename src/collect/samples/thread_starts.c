/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/thread_starts.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/monotonic.h"
#include "code/mapped_files.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/target/lineage.h"
#include "collect/target/pid_set.h"
#include "collect/target/thread_layout.h"
#include "perfdata/perfdata.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The intervals of looks: short while threads are born, and growing later. */
enum { FIRST_MS = 20, LAST_MS = 1000 };

/* The end of a stack with a description, its alignment, and the smallest stack, in bytes. */
enum { TOP_BYTES = 4096, ALIGNMENT = 64, STACK_LEAST = 16384 };

/* The limits of /proc/PID/maps, which a program controls. */
enum { LINES_MAX = 1 << 14, LINE_SIZE = 512 };

struct thread_starts {
	struct collector base;
	struct perf_event_attr attr;
	struct perfdata_event event;
	uint64_t id;
	struct lineage *lineage; /* borrowed */
	struct sparse counts;	 /* by process: number of threads at the last look, as a pointer */
	struct pid_set told, mapped;
	uint32_t tid_at, start_at; /* see thread_layout.h */
	uint64_t due_ns;
	bool maps;
};

/* --- Memory of a process -------------------------------------------------------------------- */

/* Reads `size` bytes from `address` on. */
static bool starts_read(pid_t pid, void *out, uint64_t address, size_t size)
{
	struct iovec here = {out, size}, there = {(void *)(uintptr_t)address, size};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Reads the words that `argument` points to, as far as there is memory. */
static void starts_read_words(pid_t pid, uint64_t argument, uint64_t words[PERFDATA_START_WORDS])
{
	memset(words, 0, PERFDATA_START_WORDS * sizeof(*words));
	for (size_t i = 0; i < PERFDATA_START_WORDS; i++)
		if (!starts_read(pid, &words[i], argument + i * sizeof(*words), sizeof(*words)))
			return;
}

/*
 * Finds the description in the last bytes of a stack that ends at `end`: it has its own address in
 * its first and third word (nptl/descr.h, tcbhead_t of x86). SIZE_MAX: none.
 */
static size_t starts_find(const char *top, uint64_t end)
{
	for (size_t at = 0; at < TOP_BYTES; at += ALIGNMENT) {
		const uint64_t address = end - TOP_BYTES + at;
		uint64_t words[3];

		memcpy(words, top + at, sizeof(words));
		if (words[0] == address && words[2] == address)
			return at;
	}
	return SIZE_MAX;
}

/* --- Threads -------------------------------------------------------------------------------- */

static void starts_put(struct thread_starts *starts, struct recording *recording, pid_t pid,
		       pid_t tid, const uint64_t began[2])
{
	const struct record_place place = {
		.id = starts->id, .time_ns = monotonic_ns(), .pid = pid, .tid = tid};
	uint64_t words[PERFDATA_START_WORDS];

	starts_read_words(pid, began[1], words);
	record_thread_start(recording, &place, began[0], words, PERFDATA_START_WORDS);
}

/* Records the thread whose stack ends there, if any. False: it is not known to be ours yet. */
static bool starts_see_stack(struct thread_starts *starts, struct recording *recording, pid_t pid,
			     uint64_t end)
{
	uint64_t began[2];
	char top[TOP_BYTES];
	int32_t tid;
	size_t at;

	if (!starts_read(pid, top, end - TOP_BYTES, TOP_BYTES))
		return true;
	at = starts_find(top, end);
	if (at == SIZE_MAX || at + starts->tid_at + sizeof(tid) > TOP_BYTES ||
	    at + starts->start_at + sizeof(began) > TOP_BYTES)
		return true;
	memcpy(&tid, top + at + starts->tid_at, sizeof(tid));
	memcpy(began, top + at + starts->start_at, sizeof(began));
	if (tid <= 0 || tid >= SPARSE_MAX || tid == pid || !began[0] ||
	    pid_set_has(&starts->told, tid))
		return true;
	if (lineage_process_of(starts->lineage, tid) != pid)
		return false;
	pid_set_add(&starts->told, tid);
	starts_put(starts, recording, pid, tid, began);
	return true;
}

/* Examines a mapping that may be a stack: writable memory without a file. */
static bool starts_see_line(struct thread_starts *starts, struct recording *recording, pid_t pid,
			    const char *line)
{
	unsigned long long begin, end, inode;
	char rights[5];

	if (sscanf(line, "%llx-%llx %4s %*s %*s %llu", &begin, &end, rights, &inode) != 4 ||
	    inode || strncmp(rights, "rw", 2) != 0 || end - begin < STACK_LEAST)
		return true;
	return starts_see_stack(starts, recording, pid, end);
}

static void starts_put_maps(struct thread_starts *starts, struct recording *recording, pid_t pid)
{
	struct proc_maps maps = {.count = 0};

	if (!starts->maps || !pid_set_add(&starts->mapped, pid))
		return;
	proc_maps_add(&maps, pid, false, starts->lineage->proc);
	for (size_t i = 0; i < maps.count; i++)
		record_mapped(recording, starts->id, monotonic_ns(), &maps.maps[i]);
	starts->base.cut_maps += maps.cut;
	proc_maps_release(&maps);
}

static void starts_look_at(struct thread_starts *starts, struct recording *recording, pid_t pid,
			   uintptr_t count)
{
	char path[64], line[LINE_SIZE];
	bool all = true;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/%d/maps", starts->lineage->proc, (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	starts_put_maps(starts, recording, pid);
	for (int i = 0; i < LINES_MAX && fgets(line, sizeof(line), maps); i++)
		all &= starts_see_line(starts, recording, pid, line);
	fclose(maps);
	sparse_set(&starts->counts, (uint32_t)pid, all ? (void *)count : NULL);
}

/*
 * Returns the number of threads of the process; 0: it has ended, or belongs to another user. That
 * user decides when a read of such memory ends, with a file of FUSE or a userfaultfd. The owner of
 * this directory is the effective user, also for a process that is not dumpable (task_dump_owner()
 * in fs/proc/base.c).
 */
static uintptr_t starts_count(const struct thread_starts *starts, pid_t pid)
{
	struct stat tasks;
	char path[64];

	snprintf(path, sizeof(path), "%s/%d/task", starts->lineage->proc, (int)pid);
	if (stat(path, &tasks) || tasks.st_uid != geteuid() || tasks.st_nlink < 2)
		return 0;
	return tasks.st_nlink - 2;
}

static int starts_pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct thread_starts *starts = (struct thread_starts *)collector;
	uint64_t now_ns = monotonic_ns();
	pid_t pid = 0;

	(void)err;
	if (now_ns < starts->due_ns)
		return 0;
	while ((pid = pid_set_next(&starts->lineage->living_processes, pid))) {
		uintptr_t count = starts_count(starts, pid);

		if (count > 1 && sparse_get(&starts->counts, (uint32_t)pid) != (void *)count)
			starts_look_at(starts, recording, pid, count);
	}
	collector->pass_ms = collector->pass_ms * 2 < LAST_MS ? collector->pass_ms * 2 : LAST_MS;
	starts->due_ns = now_ns + (uint64_t)collector->pass_ms * 1000000;
	return 0;
}

/* --- Opening and the end -------------------------------------------------------------------- */

static void starts_free(struct collector *collector)
{
	struct thread_starts *starts = (struct thread_starts *)collector;

	sparse_release(&starts->counts);
	pid_set_release(&starts->told);
	pid_set_release(&starts->mapped);
	free(starts);
}

static const struct collector_kind kind = {
	.name = "thread-starts", .pass = starts_pass, .free = starts_free};

struct collector *thread_starts_open(const struct collector_options *options, bool maps)
{
	uint32_t tid_at = thread_layout_offset(THREAD_LAYOUT_TID);
	uint32_t start_at = thread_layout_offset(THREAD_LAYOUT_START);
	struct thread_starts *starts;

#if !defined(__x86_64__)
	return NULL; /* the description is not found as above */
#endif
	if (!tid_at || !start_at || options->lineage->wide)
		return NULL;
	starts = xcalloc(1, sizeof(*starts));
	starts->base = (struct collector){
		.kind = &kind, .events = &starts->event, .event_count = 1, .pass_ms = FIRST_MS};
	starts->attr = record_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	starts->attr.sample_type |= RECORD_STACK_TYPE;
	starts->id = RECORD_STARTS_ID;
	starts->event = (struct perfdata_event){"thread-start", &starts->attr, &starts->id, 1};
	starts->lineage = options->lineage;
	starts->tid_at = tid_at;
	starts->start_at = start_at;
	starts->maps = maps;
	return &starts->base;
}
