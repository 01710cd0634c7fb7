/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * make_trace EVENTS THREADS CPUS FILE: writes the file that `perf sched record` would have written
 * of a program whose threads take turns, with any numbers of events, threads and CPUs. The same
 * numbers give the same file.
 * make_trace lives THREADS CPUS FILE: the same, but each thread lives for one turn: it creates the
 * next one, ends, and leaves it the CPU. These are three events a thread.
 *
 * Each CPU has every CPUS-th thread, at least two. Every 10 us, the running thread wakes the next
 * one, and 1 us later goes to sleep, so that the next one runs. CPUs do so one after the other. So
 * CPUS threads are active, and one more for 1 us after each wake.
 */
#include "perfdata/perfdata.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SWITCH_ID = 372, /* of the tracepoints, and of the perf events */
	WAKING_ID = 375,
	FORK_ID = 376,
	EXIT_ID = 377,
	FIRST_TID = 1000, /* and the process of all threads */
	BEGIN_NS = 1000000000,
	TURN_NS = 10000,
	WAKE_NS = 1000,	   /* between a wake and the switch to the woken thread */
	ROUND_TURNS = 100, /* of each CPU, between two rounds of the recorder */
};

/* --- Layouts ------------------------------------------------------------------------------- */

struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t period;
	uint32_t raw_size;
} __attribute__((packed));

struct common {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
} __attribute__((packed));

struct sched_switch {
	struct sample sample;
	struct common common;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
	uint32_t padding;
} __attribute__((packed));

struct sched_waking {
	struct sample sample;
	struct common common;
	char comm[16];
	int32_t pid, prio, target_cpu;
} __attribute__((packed));

struct sched_fork {
	struct sample sample;
	struct common common;
	char parent_comm[16];
	int32_t parent_pid;
	char child_comm[16];
	int32_t child_pid;
	uint32_t padding;
} __attribute__((packed));

struct sched_exit {
	struct sample sample;
	struct common common;
	char comm[16];
	int32_t pid, prio;
	uint32_t padding;
} __attribute__((packed));

_Static_assert(sizeof(struct sched_fork) % 8 == 0, "records are made of words");
_Static_assert(sizeof(struct sched_exit) % 8 == 0, "records are made of words");
_Static_assert(sizeof(struct sched_switch) % 8 == 0, "records are made of words");
_Static_assert(sizeof(struct sched_waking) % 8 == 0, "records are made of words");

#define FORMAT_HEAD(name, id)                                                          \
	"name: " name "\nID: " id "\nformat:\n"                                        \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[] = {
	FORMAT_HEAD("sched_switch", "372") /* SWITCH_ID */
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s "
	"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"REC->prev_state ? __print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 16, "
	"\"X\" }) : "
	"\"R\", REC->next_comm, REC->next_pid, REC->next_prio\n",
	FORMAT_HEAD("sched_waking", "375") /* WAKING_ID */
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, "
	"REC->prio, REC->target_cpu\n",
	FORMAT_HEAD("sched_process_fork", "376") /* FORK_ID */
	"\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, "
	"REC->parent_pid, REC->child_comm, REC->child_pid\n",
	FORMAT_HEAD("sched_process_exit", "377") /* EXIT_ID */
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio\n",
};

static const uint64_t event_ids[] = {SWITCH_ID, WAKING_ID, FORK_ID, EXIT_ID};

enum { IDS = sizeof(event_ids) / sizeof(*event_ids) };

/* --- Sections ------------------------------------------------------------------------------ */

static void put(FILE *file, const void *what, size_t length)
{
	if (length && fwrite(what, length, 1, file) != 1) {
		perror("make_trace");
		exit(1);
	}
}

static void put_u32(FILE *file, uint32_t number)
{
	put(file, &number, sizeof(number));
}

static void put_block(FILE *file, const char *text)
{
	uint64_t size = strlen(text);

	put(file, &size, sizeof(size));
	put(file, text, size);
}

/* An attr and the place of its id, which is after all attrs. */
static void put_attr(FILE *file, uint64_t id, uint64_t ids_offset)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
	struct perfdata_section ids = {ids_offset, sizeof(id)};

	put(file, &attr, sizeof(attr));
	put(file, &ids, sizeof(ids));
}

static void put_tracing_data(FILE *file)
{
	put(file, "\027\010\104tracing0.6", 14); /* with the NUL */
	put(file, "\0\010", 2);			 /* little endian; longs have 8 bytes */
	put_u32(file, 4096);
	put(file, "header_page", 12); /* perf expects some text of these */
	put_block(file, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	put(file, "header_event", 13);
	put_block(file, "# compressed entry header\n");
	put_u32(file, 0); /* formats of ftrace itself */
	put_u32(file, 1);
	put(file, "sched", 6);
	put_u32(file, sizeof(formats) / sizeof(*formats));
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		put_block(file, formats[i]);
	put_u32(file, 0);		  /* kallsyms */
	put_u32(file, 0);		  /* printk formats */
	put_block(file, "1000 player\n"); /* names */
}

/* --- Records ------------------------------------------------------------------------------- */

/* Thread number `n` of all. */
struct player {
	int32_t tid;
	char comm[16];
};

static struct player player(uint64_t n)
{
	struct player player = {.tid = (int32_t)(FIRST_TID + n)};

	snprintf(player.comm, sizeof(player.comm), "player/%u", (unsigned)n);
	return player;
}

static struct sample sample(uint64_t id, size_t size, uint64_t time_ns, uint32_t cpu, int32_t tid)
{
	return (struct sample){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, (uint16_t)size},
		.id = id,
		.ip = 0xffffffff81000000,
		.pid = FIRST_TID,
		.tid = (uint32_t)tid,
		.time_ns = time_ns,
		.cpu = cpu,
		.period = 1,
		.raw_size = (uint32_t)(size - sizeof(struct sample)),
	};
}

static void put_waking(FILE *file, uint64_t time_ns, uint32_t cpu, const struct player *by,
		       const struct player *whom)
{
	struct sched_waking record = {
		.sample = sample(WAKING_ID, sizeof(record), time_ns, cpu, by->tid),
		.common = {.type = WAKING_ID, .pid = by->tid},
		.pid = whom->tid,
		.prio = 120,
		.target_cpu = (int32_t)cpu,
	};

	memcpy(record.comm, whom->comm, sizeof(record.comm));
	put(file, &record, sizeof(record));
}

static void put_switch(FILE *file, uint64_t time_ns, uint32_t cpu, const struct player *from,
		       const struct player *to, int64_t state)
{
	struct sched_switch record = {
		.sample = sample(SWITCH_ID, sizeof(record), time_ns, cpu, from->tid),
		.common = {.type = SWITCH_ID, .pid = from->tid},
		.prev_pid = from->tid,
		.prev_prio = 120,
		.prev_state = state,
		.next_pid = to->tid,
		.next_prio = 120,
	};

	memcpy(record.prev_comm, from->comm, sizeof(record.prev_comm));
	memcpy(record.next_comm, to->comm, sizeof(record.next_comm));
	put(file, &record, sizeof(record));
}

static void put_fork(FILE *file, uint64_t time_ns, uint32_t cpu, const struct player *parent,
		     const struct player *child)
{
	struct sched_fork record = {
		.sample = sample(FORK_ID, sizeof(record), time_ns, cpu, parent->tid),
		.common = {.type = FORK_ID, .pid = parent->tid},
		.parent_pid = parent->tid,
		.child_pid = child->tid,
	};

	memcpy(record.parent_comm, parent->comm, sizeof(record.parent_comm));
	memcpy(record.child_comm, child->comm, sizeof(record.child_comm));
	put(file, &record, sizeof(record));
}

static void put_exit(FILE *file, uint64_t time_ns, uint32_t cpu, const struct player *who)
{
	struct sched_exit record = {
		.sample = sample(EXIT_ID, sizeof(record), time_ns, cpu, who->tid),
		.common = {.type = EXIT_ID, .pid = who->tid},
		.pid = who->tid,
		.prio = 120,
	};

	memcpy(record.comm, who->comm, sizeof(record.comm));
	put(file, &record, sizeof(record));
}

/* Turn number `turn` of this CPU: two events, or three. */
static void put_turn(FILE *file, uint64_t turn, uint32_t cpu, uint32_t cpus, uint64_t threads,
		     bool lives)
{
	uint64_t here = threads / cpus;
	struct player from = player(turn % here * cpus + cpu);
	struct player to = player((turn + 1) % here * cpus + cpu);
	uint64_t time_ns = BEGIN_NS + (turn + 1) * TURN_NS + (uint64_t)cpu * TURN_NS / cpus;

	if (lives) {
		put_fork(file, time_ns - WAKE_NS, cpu, &from, &to);
		put_exit(file, time_ns - WAKE_NS / 2, cpu, &from);
		put_switch(file, time_ns, cpu, &from, &to, 0x10); /* X */
		return;
	}
	put_waking(file, time_ns - WAKE_NS, cpu, &from, &to);
	put_switch(file, time_ns, cpu, &from, &to, 1); /* S */
}

static void put_records(FILE *file, uint64_t turns, uint32_t cpus, uint64_t threads, bool lives)
{
	const struct perf_event_header round = {PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(round)};

	for (uint64_t begin = 0; begin < turns; begin += ROUND_TURNS) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			for (uint64_t i = begin; i < begin + ROUND_TURNS && i < turns; i++)
				put_turn(file, i, cpu, cpus, threads, lives);
		put(file, &round, sizeof(round));
	}
}

int main(int argc, char **argv)
{
	bool lives = argc == 5 && strcmp(argv[1], "lives") == 0;
	uint64_t threads = argc == 5 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t events = lives ? 2 * threads : argc == 5 ? strtoull(argv[1], NULL, 10) : 0;
	uint32_t cpus = argc == 5 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	const uint64_t attr_size = sizeof(struct perf_event_attr) + sizeof(struct perfdata_section);
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC, .size = sizeof(header), .attr_size = attr_size};
	struct perfdata_section tracing;
	FILE *file;

	if (!events || !cpus || threads < 2 * (uint64_t)cpus) {
		fputs("Usage: make_trace EVENTS|lives THREADS CPUS FILE, and two threads a CPU\n",
		      stderr);
		return 2;
	}
	file = fopen(argv[4], "w");
	if (!file) {
		perror(argv[4]);
		return 1;
	}
	header.attrs = (struct perfdata_section){sizeof(header), IDS * attr_size};
	header.data.offset = header.attrs.offset + header.attrs.size + sizeof(event_ids);
	header.features[0] = 1 << PERFDATA_TRACING_DATA;
	put(file, &header, sizeof(header));
	for (size_t i = 0; i < IDS; i++)
		put_attr(file, event_ids[i],
			 header.attrs.offset + header.attrs.size + i * sizeof(*event_ids));
	put(file, event_ids, sizeof(event_ids));
	put_records(file, events / 2 / cpus - lives, cpus, threads,
		    lives); /* the last thread does not end */
	header.data.size = (uint64_t)ftello(file) - header.data.offset;

	tracing.offset = header.data.offset + header.data.size + sizeof(tracing);
	put(file, &tracing, sizeof(tracing)); /* its size is unknown yet */
	put_tracing_data(file);
	tracing.size = (uint64_t)ftello(file) - tracing.offset;
	fseeko(file, (off_t)(tracing.offset - sizeof(tracing)), SEEK_SET);
	put(file, &tracing, sizeof(tracing));
	rewind(file);
	put(file, &header, sizeof(header));
	return fclose(file) ? 1 : 0;
}
