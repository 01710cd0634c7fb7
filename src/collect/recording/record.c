/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/record.h"

#include "base/alloc.h"
#include "code/mapped_files.h"
#include "collect/kernel/ring.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "collect/target/pid_set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* TID, TIME and CPU of a sample, in a row. */
struct ids {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
};

struct perf_event_attr record_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.config = config,
		.size = sizeof(struct perf_event_attr),
		.sample_period = 1,
		.sample_type = RECORD_SAMPLE_TYPE,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static struct record_trailer trailer_of(const struct record_place *place)
{
	return (struct record_trailer){
		.pid = (uint32_t)place->pid,
		.tid = (uint32_t)place->tid,
		.time_ns = place->time_ns,
		.cpu = place->cpu,
		.id = place->id,
	};
}

/* Appends bytes and returns the place for the next ones. */
static uint8_t *append_bytes(uint8_t *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

/* Returns the first address that is no mark; perf names the place of a sample by it. */
static uint64_t ip_of(const struct record_stack *stack)
{
	for (size_t i = 0; i < stack->depth; i++)
		if (stack->ips[i] < PERF_CONTEXT_MAX)
			return stack->ips[i];
	return 0;
}

/* Reads the present name of a thread. False: it has ended. */
static bool read_comm(char comm[RECORD_COMM_SIZE], pid_t tid)
{
	char path[32];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, comm, RECORD_COMM_SIZE - 1);
	close(fd);
	if (length <= 0)
		return false;
	comm[length - (comm[length - 1] == '\n')] = '\0';
	return true;
}

/*
 * Names a thread of another program that wakes a thread of the target or leaves it a CPU: without a
 * name perf shows ":26903".
 */
static void name_stranger(struct recording *recording, const struct record_place *place)
{
	const struct lineage *lineage = recording->counts.lineage;
	char comm[RECORD_COMM_SIZE];

	if (!pid_set_add(&recording->met, place->tid) || !lineage ||
	    lineage_had_process(lineage, place->pid))
		return;
	if (place->comm)
		record_comm(recording, place, place->comm, 0);
	else if (read_comm(comm, place->tid))
		record_comm(recording, place, comm, 0);
}

/* The words of a stack before the others: PERF_CONTEXT_USER and the first address. */
enum { STACK_PLACE = 2 };

static size_t count_words(const struct record_stack *stack)
{
	size_t count = 0;

	while (stack->depth >= STACK_PLACE && count < stack->word_count && stack->words[count])
		count++;
	return count;
}

static uint8_t *append_stack(uint8_t *to, const struct record_stack *stack, size_t words)
{
	const uint64_t mark = PERF_CONTEXT_USER, depth = stack->depth + words + (words > 0);
	size_t first = words ? STACK_PLACE : stack->depth;

	to = append_bytes(to, &depth, sizeof(depth));
	to = append_bytes(to, stack->ips, first * sizeof(*stack->ips));
	to = append_bytes(to, stack->words, words * sizeof(*stack->words));
	to = append_bytes(to, &mark, words ? sizeof(mark) : 0);
	return append_bytes(to, stack->ips + first, (stack->depth - first) * sizeof(*stack->ips));
}

void record_sample(struct recording *recording, const struct record_place *place,
		   const struct record_stack *stack, const void *raw, size_t raw_size)
{
	size_t words = stack ? count_words(stack) : 0;
	size_t stack_size = stack ? 8 * (2 + stack->depth + words + (words > 0)) : 0;
	uint32_t padded = (uint32_t)((4 + raw_size + 7) / 8 * 8 - 4); /* ends on 8 bytes */
	const struct ids ids = {(uint32_t)place->pid, (uint32_t)place->tid, place->time_ns,
				place->cpu, 0};
	size_t size = sizeof(struct perf_event_header) + sizeof(place->id) + sizeof(ids) +
		      stack_size + 4 + padded;
	uint64_t ip = stack ? ip_of(stack) : 0;
	uint16_t misc = ip ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	struct perf_event_header *record;
	uint8_t *to;

	if (recording->names_strangers && place->tid > 0)
		name_stranger(recording, place);
	record = recording_add(recording, PERF_RECORD_SAMPLE, misc, size);
	to = append_bytes((uint8_t *)(record + 1), &place->id, sizeof(place->id));
	if (stack)
		to = append_bytes(to, &ip, sizeof(ip));
	to = append_bytes(to, &ids, sizeof(ids));
	if (stack)
		to = append_stack(to, stack, words);
	to = append_bytes(to, &padded, sizeof(padded));
	append_bytes(to, raw, raw_size);
	recording_count(recording, record);
}

/* Adds a record of a body and the trailer, both multiples of 8 bytes. */
static void add_record(struct recording *recording, uint32_t type, uint16_t misc, const void *body,
		       size_t size, const struct record_place *place)
{
	const struct record_trailer trailer = trailer_of(place);
	struct perf_event_header *record =
		recording_add(recording, type, misc, sizeof(*record) + size + sizeof(trailer));

	append_bytes(append_bytes((uint8_t *)(record + 1), body, size), &trailer, sizeof(trailer));
	recording_count(recording, record);
}

void record_task(struct recording *recording, uint32_t type, const struct record_place *place,
		 const struct task_body *task)
{
	struct task_body body = *task;

	body.time_ns = place->time_ns;
	add_record(recording, type, 0, &body, sizeof(body), place);
}

void record_comm(struct recording *recording, const struct record_place *place, const char *comm,
		 int exec)
{
	struct {
		uint32_t pid, tid;
		char comm[16];
	} body = {(uint32_t)place->pid, (uint32_t)place->tid, ""};

	memcpy(body.comm, comm, strnlen(comm, sizeof(body.comm) - 1));
	add_record(recording, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, &body,
		   sizeof(body), place);
}

void record_lost(struct recording *recording, const struct record_place *place, uint64_t lost)
{
	const uint64_t body[] = {place->id, lost};

	add_record(recording, PERF_RECORD_LOST, 0, body, sizeof(body), place);
}

void record_switch(struct recording *recording, uint16_t misc, const struct record_place *place,
		   const struct thread_body *other)
{
	const uint16_t wanted = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

	add_record(recording, other ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH,
		   misc & wanted, other, other ? sizeof(*other) : 0, place);
}

static void record_side(struct recording *recording, uint16_t misc,
			const struct record_place *place, struct lineage *lineage)
{
	if (place->tid > 0 && lineage_has_thread(lineage, place->pid, place->tid, place->time_ns))
		record_switch(recording, misc, place, NULL);
}

void record_both_sides(struct recording *recording, const struct record_place *place,
		       bool preempted, const struct thread_body *next, struct lineage *lineage)
{
	const uint16_t how = preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0;
	struct record_place side = *place;

	record_side(recording, PERF_RECORD_MISC_SWITCH_OUT | how, &side, lineage);
	side.pid = (pid_t)next->pid;
	side.tid = (pid_t)next->tid;
	record_side(recording, 0, &side, lineage);
}

void record_read(struct recording *recording, const struct record_place *place, uint64_t value,
		 uint64_t enabled_ns, uint64_t running_ns)
{
	const struct read_body body = {(uint32_t)place->pid, (uint32_t)place->tid, value,
				       enabled_ns,	     running_ns,	   place->id};

	add_record(recording, PERF_RECORD_READ, 0, &body, sizeof(body), place);
}

void record_existing(struct recording *recording, uint64_t id, pid_t pid, pid_t tid, pid_t parent,
		     const char *comm)
{
	const struct record_place place = {.id = id, .pid = pid, .tid = tid};
	/* As in perf, the first thread of a process has created the others. */
	uint32_t creator = (uint32_t)(tid == pid ? parent : pid);
	struct record_place above = {.id = id, .pid = parent, .tid = parent};
	char above_comm[RECORD_COMM_SIZE];

	/* A process has its parent's name until it calls exec. */
	if (tid == pid && parent > 0 && read_comm(above_comm, parent))
		record_comm(recording, &above, above_comm, 0);
	record_task(recording, PERF_RECORD_FORK, &place,
		    &(struct task_body){(uint32_t)pid, creator, (uint32_t)tid, creator, 0});
	record_comm(recording, &place, comm, 0);
}

static void record_map(struct recording *recording, const struct record_place *place,
		       const struct proc_map *map)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
	} fixed = {(uint32_t)place->pid,
		   (uint32_t)place->tid,
		   map->start,
		   map->end - map->start,
		   map->offset,
		   map->major,
		   map->minor,
		   map->inode,
		   0,
		   map->prot,
		   map->flags};
	size_t length = strlen(map->path) + 1;
	size_t size = sizeof(fixed) + (length + 7) / 8 * 8;
	uint16_t misc =
		map->pid == PROC_MAP_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	uint8_t *body = xcalloc(1, size);

	if (!(map->prot & PROT_EXEC))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	append_bytes(append_bytes(body, &fixed, sizeof(fixed)), map->path, length);
	add_record(recording, PERF_RECORD_MMAP2, misc, body, size, place);
	free(body);
}

void record_mapped(struct recording *recording, uint64_t id, uint64_t time_ns,
		   const struct proc_map *map)
{
	const struct record_place place = {.id = id,
					   .time_ns = time_ns,
					   .pid = map->pid,
					   .tid = map->pid == PROC_MAP_KERNEL ? 0 : map->pid};

	record_map(recording, &place, map);
}

/* The range of addresses of functions, without the first page and the kernel. */
#define LEAST_ADDRESS UINT64_C(0x1000)
#define MOST_ADDRESS  UINT64_C(0x7fffffffffff)

void record_thread_start(struct recording *recording, const struct record_place *place,
			 uint64_t function, uint64_t *words, size_t count)
{
	const uint64_t ips[] = {PERF_CONTEXT_USER, function};
	const struct record_stack stack = {.ips = ips, .depth = 2};

	for (size_t i = 0; i < count; i++)
		if (words[i] < LEAST_ADDRESS || words[i] > MOST_ADDRESS)
			words[i] = 0;
	while (count && !words[count - 1])
		count--;
	record_sample(recording, place, &stack, words, count * sizeof(*words));
}

void record_thread_stack(struct recording *recording, const struct record_place *place,
			 uint64_t begin, uint64_t size)
{
	char name[32];
	const struct proc_map map = {.pid = place->pid,
				     .start = begin,
				     .end = begin + size,
				     .prot = PROT_READ | PROT_WRITE,
				     .flags = MAP_PRIVATE | MAP_ANONYMOUS,
				     .path = name};

	if (!begin || map.end <= begin)
		return;
	snprintf(name, sizeof(name), "[stack:%d]", (int)place->tid);
	record_map(recording, place, &map);
}
