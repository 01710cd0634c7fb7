/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/seeds.h"

#include "damage/perfdata_edit.h"
#include "decode/perfdata_bytes.h"
#include "decode/step_bytes.h"
#include "tools/swapped.h"

/* --- Recordings ---------------------------------------------------------------------------- */

static uint64_t bits_of(char state)
{
	return state == 'S' ? 1 : state == 'D' ? 2 : state == 'X' ? 0x20 : 0;
}

static void add_move(struct perfdata_bytes *file, const struct move *move)
{
	switch (move->kind) {
	case MOVE_SWITCH:
		add_switch(file, move->time_ns, move->cpu, move->tid, bits_of(move->state),
			   move->other);
		break;
	case MOVE_WAKE:
		add_waking(file, move->time_ns, move->cpu, move->tid, move->other);
		break;
	case MOVE_FORK:
		add_fork(file, move->time_ns, SCHEDULE_FIRST_TID, SCHEDULE_FIRST_TID, move->tid,
			 move->other);
		break;
	case MOVE_EXIT:
		add_exit(file, move->time_ns, SCHEDULE_FIRST_TID, move->tid);
		break;
	}
}

/* PERF_RECORD_READ */
static void add_read(struct perfdata_bytes *file, const struct move *move)
{
	struct bytes words = {0};

	put_pair(&words, SCHEDULE_FIRST_TID, move->tid);
	put_u64(&words, move->time_ns % 1000);
	add_other(file, PERF_RECORD_READ, 0, &words, move->time_ns, move->cpu, move->tid);
}

static void add_moves(struct perfdata_bytes *file, const struct move *moves, size_t count)
{
	add_comm(file, SCHEDULE_FIRST_TID, SCHEDULE_FIRST_TID, "alpha");
	for (size_t i = 0; i < count; i++) {
		add_move(file, &moves[i]);
		if (i % 16 == 15)
			add_round(file);
		if (i % 40 == 39)
			add_lost(file, moves[i].time_ns, moves[i].cpu, 3);
		if (i % 20 == 19)
			add_read(file, &moves[i]);
	}
}

static struct bytes make_file(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {0};

	add_moves(&file, moves, count);
	return perfdata_join(&file);
}

/* The names of the events, in the records of a pipe. */
static void add_names(struct perfdata_bytes *file)
{
	struct perf_event_attr attr = make_attr(file, 372, SWITCH_TYPE);
	struct bytes body = {0};

	put_u64(&body, PERFDATA_EVENT_DESC);
	put_u32(&body, 1);
	put_u32(&body, sizeof(attr));
	put(&body, &attr, sizeof(attr));
	put_u32(&body, 2);
	put_u32(&body, 24);
	put(&body, "sched:sched_switch\0\0\0\0\0\0", 24);
	put_u64(&body, SWITCH_ID);
	put_u64(&body, SWITCH_ID + 1);
	add_record(file, PERFDATA_RECORD_FEATURE, 0, &body);
}

static struct bytes make_stream(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {0};

	add_names(&file);
	add_moves(&file, moves, count);
	return perfdata_stream(&file);
}

/* With calls of the threads that leave their CPUs next. */
static struct bytes join_with_calls(struct perfdata_bytes *file, const struct move *moves,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		if (move->kind == MOVE_SWITCH)
			add_futex(file, move->time_ns - 1, move->cpu, move->tid, (int32_t)i % 16);
		add_move(file, move);
		if (i % 16 == 15)
			add_round(file);
	}
	return perfdata_join(file);
}

static struct bytes make_calls(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.with_calls = true};

	return join_with_calls(&file, moves, count);
}

/* The same, with the call stacks of threads. */
static struct bytes make_chains(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.with_calls = true, .with_chains = true};

	return join_with_calls(&file, moves, count);
}

/* Each thread begins a task when it gets a CPU; its parent is an earlier task. */
static struct bytes make_tasks(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.with_tasks = true, .with_blocks = true};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];
		struct step_bytes begin = {0, 1, i + 1, i / 2, (uint32_t)i};
		struct step_bytes next = {1, (int32_t)(i % 11), i / 2, 0, (uint32_t)i * 7919};

		add_move(&file, move);
		if (move->kind != MOVE_SWITCH)
			continue;
		add_step(&file, move->time_ns + 1, move->cpu, move->other, &begin);
		add_step(&file, move->time_ns + 2, move->cpu, move->other, &next);
		if (i % 16 == 15)
			add_round(&file);
	}
	return perfdata_join(&file);
}

/* With blocks of threads while they run, each another one. */
static struct bytes make_blocks(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.with_blocks = true, .target = "pscal 1\nblocks_every 3\n"};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		add_move(&file, move);
		if (move->kind != MOVE_SWITCH)
			continue;
		add_block(&file, move->time_ns + 1, move->cpu, move->tid, true, (int32_t)i % 3, i);
		add_block(&file, move->time_ns + 2, move->cpu, move->other, false, (int32_t)i % 3,
			  i);
		if (i % 16 == 15)
			add_round(&file);
	}
	return perfdata_join(&file);
}

/* With samples of threads, in the code of a program that every system has. */
static struct bytes make_samples(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.with_samples = true};

	add_mmap2(&file, moves->time_ns, SCHEDULE_FIRST_TID, 0x400000, 0x8000, "/bin/sh");
	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		if (move->kind == MOVE_SWITCH)
			add_sample(&file, move->time_ns - 1, move->cpu, move->tid,
				   0x405000 + move->time_ns % 0x2000);
		if (i % 32 == 31)
			add_mmap2(&file, move->time_ns, SCHEDULE_FIRST_TID, 0x400000 + i * 0x100,
				  0x8000, i % 64 == 63 ? "//anon" : "/bin/sh");
		add_move(&file, move);
		if (i % 16 == 15)
			add_round(&file);
	}
	return perfdata_join(&file);
}

static const char target[] = "pscal 1\nmode attach\ncollector perf\nroot 101\nself 999\n"
			     "affinity 0-1\nstart_ns 1000000100\nhidden 1\ncost_switch_ns 700\n"
			     "interrupts 1\n"
			     "thread 1000000000 101 101 S alpha\nthread 1000000000 101 102 R beta\n"
			     "paused 1001000000 1001100000\ncount sched:sched_waking 90\n"
			     "own_cpu_ns 12345\nend_ns 1009000000\n";

static struct bytes make_own_file(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.target = target};

	add_moves(&file, moves, count);
	return perfdata_join(&file);
}

static struct bytes make_own_stream(const struct move *moves, size_t count)
{
	static const char late[PERFDATA_TIME_BYTES] = "1000000000";
	struct perfdata_bytes file = {.target = "pscal 1\nmode command\nroot 101\n"};

	add_moves(&file, moves, count / 2);
	add_note(&file, PERFDATA_NOTE_TEXT_END, "\npaused 1001000000 1001100000\n");
	add_time_note(&file, PERFDATA_NOTE_ROUND, late);
	add_time_note(&file, PERFDATA_NOTE_REACHED, late);
	add_moves(&file, moves + count / 2, count - count / 2);
	add_note(&file, PERFDATA_NOTE_TEXT, "pscal 1\nmode command\nroot 101\n");
	add_note(&file, PERFDATA_NOTE_TEXT_END, "\nend_ns 1009000000\nwrapped 1\n");
	return perfdata_stream(&file);
}

/* PERF_RECORD_SWITCH and no tracepoint */
static struct bytes make_switches(const struct move *moves, size_t count)
{
	struct perfdata_bytes file = {.no_tracepoints = true};
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT;

	add_comm(&file, SCHEDULE_FIRST_TID, SCHEDULE_FIRST_TID, "alpha");
	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];
		bool preempted = move->state == 'R';

		if (move->kind != MOVE_SWITCH) {
			add_move(&file, move);
			continue;
		}
		add_context_switch(&file, move->time_ns, move->cpu, move->tid,
				   out | (preempted ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0));
		add_context_switch(&file, move->time_ns + 10, move->cpu, move->other, 0);
	}
	return perfdata_join(&file);
}

/* A recording whose recorder has died. */
static struct bytes make_killed(const struct move *moves, size_t count)
{
	struct bytes bytes = make_switches(moves, count);

	memset(bytes.at + offsetof(struct perfdata_header, data.size), 0, sizeof(uint64_t));
	return bytes;
}

/* A file of the other byte order. */
static struct bytes make_swapped_file(const struct move *moves, size_t count)
{
	struct bytes bytes = make_file(moves, count);

	swap_perfdata(bytes.at, bytes.count);
	return bytes;
}

static struct bytes make_swapped_stream(const struct move *moves, size_t count)
{
	struct bytes bytes = make_stream(moves, count);

	swap_perfdata(bytes.at, bytes.count);
	return bytes;
}

/* --- Compressed ---------------------------------------------------------------------------- */

/* Replaces bytes[begin..end). */
static void replace(struct bytes *bytes, size_t begin, size_t end, const struct bytes *by)
{
	struct bytes whole = {0};

	put(&whole, bytes->at, begin);
	put(&whole, by->at, by->count);
	put(&whole, bytes->at + end, bytes->count - end);
	free(bytes->at);
	*bytes = whole;
}

static void wrap_file(struct bytes *bytes, uint32_t type)
{
	struct perfdata_header header;
	struct perfdata_bytes inner = {0};

	if (bytes->count < sizeof(header))
		return;
	memcpy(&header, bytes->at, sizeof(header));
	if (header.data.offset < sizeof(header) || header.data.offset > bytes->count ||
	    !header.data.size || header.data.size > bytes->count - header.data.offset)
		return;
	put(&inner.data, bytes->at + header.data.offset, header.data.size);
	pack(&inner, type, 300);
	edit_move_sections(bytes, &header, inner.data.count - header.data.size);
	replace(bytes, header.data.offset, header.data.offset + header.data.size, &inner.data);
	header.data.size = inner.data.count;
	memcpy(bytes->at, &header, sizeof(header));
	free(inner.data.at);
}

/* From the first record of the kernel on. */
static void wrap_stream(struct bytes *bytes, uint32_t type)
{
	struct perfdata_bytes inner = {0};
	size_t at = PERFDATA_PIPE_HEADER_SIZE;
	struct perf_event_header header;

	for (; at + sizeof(header) + 4 <= bytes->count; at += header.size) {
		uint32_t behind = 0;

		memcpy(&header, bytes->at + at, sizeof(header));
		if (header.type < PERFDATA_RECORD_USER || header.size < sizeof(header))
			break;
		if (header.type == PERFDATA_RECORD_TRACING_DATA)
			memcpy(&behind, bytes->at + at + sizeof(header), sizeof(behind));
		at += behind;
	}
	if (at + sizeof(header) > bytes->count)
		return;
	put(&inner.data, bytes->at + at, bytes->count - at);
	pack(&inner, type, 300);
	replace(bytes, at, bytes->count, &inner.data);
	free(inner.data.at);
}

static void wrap(struct bytes *bytes, uint32_t type)
{
	uint64_t size = 0;

	if (bytes->count < sizeof(struct perfdata_header))
		return;
	memcpy(&size, bytes->at + 8, sizeof(size));
	if (size == PERFDATA_PIPE_HEADER_SIZE)
		wrap_stream(bytes, type);
	else
		wrap_file(bytes, type);
}

void wrap_records(struct bytes *bytes)
{
	wrap(bytes, PERFDATA_RECORD_COMPRESSED);
}

void wrap_records2(struct bytes *bytes)
{
	wrap(bytes, PERFDATA_RECORD_COMPRESSED2);
}

void wrap_zstd(struct bytes *bytes)
{
	struct bytes packed = {0};
	size_t room = ZSTD_compressBound(bytes->count);

	array_reserve(&packed.at, &packed.capacity, room);
	packed.count = ZSTD_compress(packed.at, room, bytes->at, bytes->count, 1);
	free(bytes->at);
	*bytes = packed;
}

static uint32_t crc32_of(const struct bytes *bytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes->count; i++) {
		crc ^= (unsigned char)bytes->at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

/* RFC 1952, in stored blocks of RFC 1951. */
void wrap_gzip(struct bytes *bytes)
{
	struct bytes packed = {0};
	const size_t block = 4000;

	put(&packed, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	for (size_t at = 0; at < bytes->count; at += block) {
		size_t left = bytes->count - at;
		uint16_t length = (uint16_t)(left < block ? left : block);
		uint16_t negated = (uint16_t)~length;

		put(&packed, left <= block ? "\1" : "\0", 1);
		put(&packed, &length, sizeof(length));
		put(&packed, &negated, sizeof(negated));
		put(&packed, bytes->at + at, length);
	}
	put_u32(&packed, crc32_of(bytes));
	put_u32(&packed, (uint32_t)bytes->count);
	free(bytes->at);
	*bytes = packed;
}

/* --- All of them --------------------------------------------------------------------------- */

static const struct seed seeds[] = {
	{"perf_file", SEED_PERFDATA, make_file, NULL},
	{"perf_stream", SEED_PERFDATA, make_stream, NULL},
	{"perf_file_z", SEED_PERFDATA, make_file, wrap_records},
	{"perf_stream_z2", SEED_PERFDATA, make_stream, wrap_records2},
	{"own_file", SEED_PERFDATA, make_own_file, NULL},
	{"own_stream", SEED_PERFDATA, make_own_stream, NULL},
	{"own_file_z", SEED_PERFDATA, make_own_file, wrap_records},
	{"swapped_file", SEED_PERFDATA, make_swapped_file, NULL},
	{"swapped_stream", SEED_PERFDATA, make_swapped_stream, NULL},
	{"switches", SEED_PERFDATA, make_switches, NULL},
	{"calls", SEED_PERFDATA, make_calls, NULL},
	{"chains", SEED_PERFDATA, make_chains, NULL},
	{"samples", SEED_PERFDATA, make_samples, NULL},
	{"blocks", SEED_PERFDATA, make_blocks, NULL},
	{"tasks", SEED_PERFDATA, make_tasks, NULL},
	{"killed", SEED_PERFDATA, make_killed, NULL},
	{"perf_file_gz", SEED_PERFDATA, make_file, wrap_gzip},
	{"script", SEED_TEXT, seed_script, NULL},
	{"script_plugin", SEED_TEXT, seed_script_plugin, NULL},
	{"script_records", SEED_TEXT, seed_script_records, NULL},
	{"script_chains", SEED_TEXT, seed_script_chains, NULL},
	{"script_hostile", SEED_TEXT, seed_script_hostile, NULL},
	{"script_calls", SEED_TEXT, seed_calls, NULL},
	{"script_blocks", SEED_TEXT, seed_script_blocks, NULL},
	{"script_tasks", SEED_TEXT, seed_script_tasks, NULL},
	{"script_sync", SEED_TEXT, seed_sync, NULL},
	{"ftrace_calls", SEED_TEXT, seed_ftrace_calls, NULL},
	{"sched_script", SEED_TEXT, seed_sched_script, NULL},
	{"ftrace", SEED_TEXT, seed_ftrace, NULL},
	{"trace_cmd", SEED_TEXT, seed_trace_cmd, NULL},
	{"timehist", SEED_TEXT, seed_timehist, NULL},
	{"enter_leave", SEED_TEXT, seed_enter_leave, NULL},
	{"paje", SEED_TEXT, seed_paje, NULL},
	{"script_gz", SEED_TEXT, seed_script, wrap_gzip},
	{"script_zst", SEED_TEXT, seed_script, wrap_zstd},
	{"levels_csv", SEED_CSV, seed_levels_csv, NULL},
	{"series_csv", SEED_CSV, seed_series_csv, NULL},
	{"log_csv", SEED_CSV, seed_log_csv, NULL},
};

const struct seed *seed_get(size_t number)
{
	return number < sizeof(seeds) / sizeof(seeds[0]) ? &seeds[number] : NULL;
}

struct bytes seed_make(const struct seed *seed)
{
	enum { MOVES = 80, THREADS = 7 };
	struct move *moves = schedule_new(MOVES, THREADS, 2, 1);
	struct bytes bytes = seed->make(moves, MOVES);

	free(moves);
	return bytes;
}
