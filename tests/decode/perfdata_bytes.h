/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf.data files made by hand: two tracepoints with different sample types, of two ids each, and a
 * clock on request.
 *
 *	struct perfdata_bytes file = {0};
 *	add_switch(&file, 2000, 0, 5, 1, 6);
 *	struct bytes whole = perfdata_join(&file);
 */
#ifndef PSCAL_TESTS_PERFDATA_BYTES_H
#define PSCAL_TESTS_PERFDATA_BYTES_H

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/recording_bytes.h"
#include "decode/trace_input.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <zstd.h>

/* The trailer of both has TID, TIME, ID and CPU. */
enum {
	SWITCH_TYPE = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
		      PERF_SAMPLE_RAW,
	WAKING_TYPE = SWITCH_TYPE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	CLOCK_TYPE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		     PERF_SAMPLE_CPU,
	SWITCH_ID = 11,
	WAKING_ID = 22,
	CLOCK_ID = 33,
};

struct perfdata_bytes {
	struct bytes data;
	const char *target; /* the text of PERFDATA_PSCAL, or NULL */
	bool with_fork;	    /* has sched_process_fork */
	bool with_calls;    /* has futex(2) */
	bool with_blocks;   /* has pscal:enter and pscal:leave of "f" and "g<int, 2>" */
	bool with_tasks;    /* has pscal:task at "fib fib.c:7" and "fib fib.c:9" */
	bool no_sched;	    /* ... and no other tracepoint */
	bool with_chains;   /* of calls, in samples of the first event */
	bool with_samples;  /* of a clock; not in a stream */
	bool no_trailers;
	bool directory;	     /* other files have more records */
	bool backward;	     /* rings were overwritten */
	bool other_clock;    /* the second event has times of its own */
	uint64_t lacks[2];   /* fields that samples of each event lack */
	uint64_t freq[2];    /* each event was sampled at so many Hz; 0: not sampled, ... */
	uint64_t period[2];  /* ... or one in so many is recorded */
	const char *cmdline; /* the command line of the recorder: words, with blanks between them */
	const char *release; /* of the kernel; 8 bytes */
	uint64_t span_ns[2]; /* times of the first and the last sample; zero: unknown */
	bool no_tracepoints; /* no tracing data; the first event has switch records ... */
	bool no_switches;    /* ... or has none */
	bool no_inherit;     /* events are of single threads, without their children */
};

static inline void put_pair(struct bytes *bytes, int32_t first, int32_t second)
{
	put(bytes, &first, sizeof(first));
	put(bytes, &second, sizeof(second));
}

static inline void add_record(struct perfdata_bytes *file, uint32_t type, uint16_t misc,
			      const struct bytes *body)
{
	const struct perf_event_header header = {type, misc,
						 (uint16_t)(sizeof(header) + body->count)};

	put(&file->data, &header, sizeof(header));
	put(&file->data, body->at, body->count);
	free(body->at);
}

static inline void put_head(struct bytes *body, uint64_t time_ns, int32_t cpu, int32_t tid,
			    uint64_t id)
{
	put_pair(body, 100, tid);
	put_u64(body, time_ns);
	put_u64(body, id);
	put_pair(body, cpu, 0);
}

static inline void put_raw(struct bytes *body, const struct bytes *payload)
{
	put_u32(body, (uint32_t)payload->count + 4);
	put(body, payload->at, payload->count);
	put_u32(body, 0); /* up to a multiple of 8 */
	free(payload->at);
}

static inline void put_comm(struct bytes *payload, int32_t tid)
{
	char comm[16] = "t";

	comm[1] = (char)('0' + tid % 10);
	put(payload, comm, sizeof(comm));
}

/* A frame of the kernel, then 0x401000 + tid, called from 0x402000; RAW follows. */
static inline void put_chain(struct bytes *body, const struct perfdata_bytes *file, int32_t tid)
{
	if (!file->with_chains)
		return;
	put_u64(body, 5);
	put_u64(body, (uint64_t)PERF_CONTEXT_KERNEL);
	put_u64(body, 0xffffffff81000000);
	put_u64(body, (uint64_t)PERF_CONTEXT_USER);
	put_u64(body, 0x401000 + (uint64_t)tid);
	put_u64(body, 0x402000);
}

/* `from` leaves with this prev_state, `to` comes; the name of a thread is "t" and its last
 * digit. */
static inline void add_switch(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			      int32_t from, uint64_t state, int32_t to)
{
	struct bytes body = {0}, payload = {0};

	put_head(&body, time_ns, cpu, from, SWITCH_ID + (uint64_t)cpu);
	put_chain(&body, file, from);
	put_pair(&payload, 372, from);
	put_comm(&payload, from);
	put_pair(&payload, from, 120);
	put_u64(&payload, state);
	put_comm(&payload, to);
	put_pair(&payload, to, 120);
	put_u32(&payload, 0);
	put_raw(&body, &payload);
	add_record(file, PERF_RECORD_SAMPLE, 0, &body);
}

/* The thread begins a call of this operation, at 0x1000 and 0x2000. */
static inline void add_futex(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			     int32_t tid, int32_t op)
{
	struct bytes body = {0}, payload = {0};

	put_head(&body, time_ns, cpu, tid, SWITCH_ID + (uint64_t)cpu);
	put_chain(&body, file, tid);
	put_pair(&payload, 522, tid);
	put_pair(&payload, 202, 0);
	put_u64(&payload, 0x1000);
	put_u64(&payload, (uint64_t)op);
	put_u64(&payload, 3);
	put_u64(&payload, 0);
	put_u64(&payload, 0x2000);
	put_u64(&payload, 0);
	put_u32(&payload, 0);
	put_raw(&body, &payload);
	add_record(file, PERF_RECORD_SAMPLE, 0, &body);
}

/* The thread enters block 0 or 1 with an argument, or leaves it and returns it. */
static inline void add_block(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			     int32_t tid, bool leave, int32_t block, uint64_t argument)
{
	struct bytes body = {0}, payload = {0};

	put_head(&body, time_ns, cpu, tid, SWITCH_ID + (uint64_t)cpu);
	put_chain(&body, file, tid);
	put_pair(&payload, leave ? 802 : 801, tid);
	put_pair(&payload, block, 8 << 16 | 16);
	put_u64(&payload, argument);
	put_u32(&payload, 0);
	put_raw(&body, &payload);
	add_record(file, PERF_RECORD_SAMPLE, 0, &body);
}

static inline void add_waking(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			      int32_t waker, int32_t woken)
{
	struct bytes body = {0}, payload = {0};

	put_head(&body, time_ns, cpu, waker, WAKING_ID + (uint64_t)cpu);
	put_u64(&body, 1); /* PERIOD */
	put_u64(&body, 2); /* CALLCHAIN */
	put_u64(&body, 0xa);
	put_u64(&body, 0xb);
	put_pair(&payload, 375, waker);
	put_comm(&payload, woken);
	put_pair(&payload, woken, 120);
	put_u32(&payload, 0);
	put_raw(&body, &payload);
	add_record(file, PERF_RECORD_SAMPLE, 0, &body);
}

/* The thread is at `ip` in a program; see with_samples. */
static inline void add_sample(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			      int32_t tid, uint64_t ip)
{
	struct bytes body = {0};

	put_u64(&body, ip);
	put_head(&body, time_ns, cpu, tid, CLOCK_ID + (uint64_t)cpu);
	add_record(file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body);
}

/* Any other record of the kernel: words, then a trailer. */
static inline void add_other(struct perfdata_bytes *file, uint32_t type, uint16_t misc,
			     const struct bytes *words, uint64_t time_ns, int32_t cpu, int32_t tid)
{
	struct bytes body = {0};

	put(&body, words->at, words->count);
	free(words->at);
	if (!file->no_trailers)
		put_head(&body, time_ns, cpu, tid, SWITCH_ID);
	add_record(file, type, misc, &body);
}

static inline void add_comm(struct perfdata_bytes *file, int32_t pid, int32_t tid, const char *comm)
{
	struct bytes words = {0};
	char padded[16] = "";

	memcpy(padded, comm, strlen(comm) < 15 ? strlen(comm) : 15);
	put_pair(&words, pid, tid);
	put(&words, padded, sizeof(padded));
	add_other(file, PERF_RECORD_COMM, 0, &words, 0, 0, 0);
}

static inline void add_fork_of_times(struct perfdata_bytes *file, uint64_t time_ns,
				     uint64_t behind_ns, int32_t ppid, int32_t pid, int32_t ptid,
				     int32_t tid)
{
	struct bytes words = {0};

	put_pair(&words, pid, ppid);
	put_pair(&words, tid, ptid);
	put_u64(&words, time_ns);
	add_other(file, PERF_RECORD_FORK, 0, &words, behind_ns, 0, ptid);
}

static inline void add_fork(struct perfdata_bytes *file, uint64_t time_ns, int32_t ppid,
			    int32_t pid, int32_t ptid, int32_t tid)
{
	add_fork_of_times(file, time_ns, time_ns, ppid, pid, ptid, tid);
}

/* So many bytes of a file, from its begin, as code; `path` has up to 15 bytes. */
static inline void add_mmap2(struct perfdata_bytes *file, uint64_t time_ns, int32_t pid,
			     uint64_t begin, uint64_t length, const char *path)
{
	struct bytes words = {0};
	char padded[16] = "";

	memcpy(padded, path, strlen(path) < 15 ? strlen(path) : 15);
	put_pair(&words, pid, pid);
	put_u64(&words, begin);
	put_u64(&words, length);
	put_u64(&words, 0); /* offset */
	put_u64(&words, 0); /* device */
	put_u64(&words, 0); /* inode: unknown */
	put_u64(&words, 0); /* its generation */
	put_pair(&words, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	put(&words, padded, sizeof(padded));
	add_other(file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &words, time_ns, 0, pid);
}

static inline void add_context_switch(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
				      int32_t tid, uint16_t misc)
{
	const struct bytes none = {0};

	add_other(file, PERF_RECORD_SWITCH, misc, &none, time_ns, cpu, tid);
}

/* ... after `before` has left the CPU. */
static inline void add_switch_in(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
				 int32_t tid, int32_t before)
{
	struct bytes words = {0};

	put_pair(&words, before, before);
	add_other(file, PERF_RECORD_SWITCH_CPU_WIDE, 0, &words, time_ns, cpu, tid);
}

static inline void add_lost(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu,
			    uint64_t lost)
{
	struct bytes words = {0};

	put_u64(&words, SWITCH_ID);
	put_u64(&words, lost);
	add_other(file, PERF_RECORD_LOST, 0, &words, time_ns, cpu, 0);
}

/* PERF_RECORD_EXIT */
static inline void add_exit(struct perfdata_bytes *file, uint64_t time_ns, int32_t pid, int32_t tid)
{
	struct bytes words = {0};

	put_pair(&words, pid, 1);
	put_pair(&words, tid, 1);
	put_u64(&words, time_ns);
	add_other(file, PERF_RECORD_EXIT, 0, &words, time_ns, 0, tid);
}

static inline void add_note(struct perfdata_bytes *file, uint16_t misc, const char *text)
{
	struct bytes body = {0};

	put(&body, text, strlen(text));
	while (body.count % 8)
		put(&body, "", 1);
	add_record(file, PERFDATA_RECORD_NOTE, misc, &body);
}

/*
 * Packs all records so far into COMPRESSED records (or COMPRESSED2) with payloads of `piece` bytes,
 * which may end anywhere in a record or a block of zstd.
 */
static inline void pack(struct perfdata_bytes *file, uint32_t type, size_t piece)
{
	struct bytes plain = file->data;
	size_t room = ZSTD_compressBound(plain.count);
	char *packed = xcalloc(room, 1);
	size_t size = ZSTD_compress(packed, room, plain.at, plain.count, 1);

	file->data = (struct bytes){0};
	for (size_t at = 0; at < size; at += piece) {
		struct bytes body = {0};
		size_t length = size - at < piece ? size - at : piece;

		if (type == PERFDATA_RECORD_COMPRESSED2)
			put_u64(&body, length);
		put(&body, packed + at, length);
		while (type == PERFDATA_RECORD_COMPRESSED2 && body.count % 8)
			put(&body, "", 1);
		add_record(file, type, 0, &body);
	}
	free(packed);
	free(plain.at);
}

static inline void add_round(struct perfdata_bytes *file)
{
	const struct bytes none = {0};

	add_record(file, PERFDATA_RECORD_FINISHED_ROUND, 0, &none);
}

static inline void add_time_note(struct perfdata_bytes *file, enum perfdata_note kind,
				 const char time[PERFDATA_TIME_BYTES])
{
	struct bytes body = {0};

	put(&body, time, PERFDATA_TIME_BYTES);
	add_record(file, PERFDATA_RECORD_NOTE, (uint16_t)kind, &body);
}

/* --- The whole file ------------------------------------------------------------------------ */

static inline struct perf_event_attr make_attr(const struct perfdata_bytes *file, uint64_t config,
					       uint64_t type)
{
	const uint32_t kind = file->no_tracepoints ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT;
	const int i = config == 375;
	const uint64_t more = file->with_chains && config == 372 ? PERF_SAMPLE_CALLCHAIN : 0;

	return (struct perf_event_attr){
		.type = kind,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.freq = file->freq[i] > 0,
		.sample_freq = file->freq[i] ? file->freq[i] : file->period[i],
		.sample_type = (type | more) & ~file->lacks[i],
		.context_switch = file->no_tracepoints && !file->no_switches,
		.inherit = !file->no_inherit,
		.sample_id_all = !file->no_trailers,
		.write_backward = file->backward,
		.use_clockid = file->other_clock && i,
		.clockid = file->other_clock && i};
}

static inline void put_attr(struct bytes *whole, const struct perf_event_attr *attr,
			    uint64_t ids_at)
{
	put(whole, attr, sizeof(*attr));
	put_u64(whole, ids_at);
	put_u64(whole, 16);
}

static inline void set_bit(struct perfdata_header *header, int bit)
{
	header->features[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline struct bytes tracing_data(const struct perfdata_bytes *file)
{
	static const char *const formats[] = {FORMAT_SWITCH, FORMAT_WAKING, FORMAT_FORK};
	static const char *const calls[] = {FORMAT_ENTER_FUTEX};
	static const char *const blocks[] = {
		FORMAT_BLOCK("enter", "801", "{0, \"f\"}, {1, \"g<int, 2>\"}"),
		FORMAT_BLOCK("leave", "802", "{0, \"f\"}, {1, \"g<int, 2>\"}")};
	static const char *const tasks[] = {
		FORMAT_TASK("803", "{0, \"fib fib.c:7\"}, {1, \"fib fib.c:9\"}")};
	struct bytes tracing = {0};

	if (file->no_tracepoints)
		return tracing;
	put_tracing_head(&tracing, 1U + file->with_calls + file->with_blocks + file->with_tasks -
					   file->no_sched);
	if (!file->no_sched)
		put_system(&tracing, "sched", formats, file->with_fork ? 3 : 2);
	if (file->with_calls)
		put_system(&tracing, "syscalls", calls, 1);
	if (file->with_blocks)
		put_system(&tracing, "pscal", blocks, 2);
	if (file->with_tasks)
		put_system(&tracing, "pscal", tasks, 1);
	put_tracing_data_end(&tracing);
	return tracing;
}

static inline void put_section(struct bytes *table, struct bytes *contents, uint64_t begin,
			       const void *bytes, size_t length)
{
	put_u64(table, begin + contents->count);
	put_u64(table, length);
	put(contents, bytes, length);
}

/* u32 size; text */
static inline struct bytes release_of(const struct perfdata_bytes *file)
{
	struct bytes release = {0};

	if (!file->release)
		return release;
	put_u32(&release, 8);
	put(&release, file->release, 8);
	return release;
}

/* u32 count; for each word: u32 size; text */
static inline struct bytes cmdline_of(const struct perfdata_bytes *file)
{
	struct bytes words = {0}, cmdline = {0};
	uint32_t count = 0;
	char text[64];
	int end = 0;

	for (const char *at = file->cmdline; at && sscanf(at, "%63s%n", text, &end) == 1;
	     at += end) {
		const size_t padded = (strlen(text) + 8) / 8 * 8;

		put_u32(&words, (uint32_t)padded);
		put(&words, text, strlen(text));
		put(&words, "\0\0\0\0\0\0\0", padded - strlen(text));
		count++;
	}
	put_u32(&cmdline, count);
	put(&cmdline, words.at, words.count);
	free(words.at);
	return cmdline;
}

static inline void put_features(struct bytes *whole, const struct perfdata_bytes *file)
{
	struct bytes tracing = tracing_data(file), table = {0}, contents = {0};
	size_t sections = 1 + (file->cmdline ? 1U : 0) + (file->target ? 1U : 0) +
			  (file->directory ? 1U : 0) + (file->span_ns[1] ? 1U : 0) +
			  (file->release ? 1U : 0);
	uint64_t begin = whole->count + 16 * sections, version = 1;
	struct bytes release = release_of(file), cmdline = cmdline_of(file);

	put_section(&table, &contents, begin, tracing.at, tracing.count);
	if (file->release)
		put_section(&table, &contents, begin, release.at, release.count);
	if (file->cmdline)
		put_section(&table, &contents, begin, cmdline.at, cmdline.count);
	if (file->span_ns[1])
		put_section(&table, &contents, begin, file->span_ns, sizeof(file->span_ns));
	if (file->directory)
		put_section(&table, &contents, begin, &version, sizeof(version));
	if (file->target)
		put_section(&table, &contents, begin, file->target, strlen(file->target));
	put(whole, table.at, table.count);
	put(whole, contents.at, contents.count);
	free(tracing.at);
	free(release.at);
	free(cmdline.at);
	free(table.at);
	free(contents.at);
}

/* Frees what `file` holds; the caller frees the result. */
static inline struct bytes perfdata_join(struct perfdata_bytes *file)
{
	const size_t attr_size = sizeof(struct perf_event_attr) + 16;
	const size_t count = file->with_samples ? 3 : 2;
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = attr_size,
		.attrs = {sizeof(header) + 16 * count, count * attr_size},
		.data = {sizeof(header) + count * (16 + attr_size), file->data.count},
	};
	static const uint64_t ids[] = {SWITCH_ID, WAKING_ID, CLOCK_ID};
	struct perf_event_attr attrs[] = {make_attr(file, 372, SWITCH_TYPE),
					  make_attr(file, 375, WAKING_TYPE),
					  make_attr(file, PERF_COUNT_SW_CPU_CLOCK, CLOCK_TYPE)};
	struct bytes whole = {0};

	attrs[2].type = PERF_TYPE_SOFTWARE;
	attrs[2].context_switch = 0;

	set_bit(&header, PERFDATA_TRACING_DATA);
	if (file->release)
		set_bit(&header, PERFDATA_OSRELEASE);
	if (file->cmdline)
		set_bit(&header, PERFDATA_CMDLINE);
	if (file->span_ns[1])
		set_bit(&header, PERFDATA_SAMPLE_TIME);
	if (file->directory)
		set_bit(&header, PERFDATA_DIR_FORMAT);
	if (file->target)
		set_bit(&header, PERFDATA_PSCAL);
	put(&whole, &header, sizeof(header));
	for (size_t i = 0; i < count; i++)
		for (uint64_t cpu = 0; cpu < 2; cpu++)
			put_u64(&whole, ids[i] + cpu);
	for (size_t i = 0; i < count; i++)
		put_attr(&whole, &attrs[i], sizeof(header) + 16 * i);
	put(&whole, file->data.at, file->data.count);
	put_features(&whole, file);
	free(file->data.at);
	file->data = (struct bytes){0};
	return whole;
}

/* The same file as perf record -o - writes it. */
static inline struct bytes perfdata_stream(struct perfdata_bytes *file)
{
	struct perfdata_bytes stream = {0};
	struct bytes data = file->data, tracing = tracing_data(file), size = {0};

	put_u64(&stream.data, PERFDATA_MAGIC);
	put_u64(&stream.data, PERFDATA_PIPE_HEADER_SIZE);
	for (int i = 0; i < 2; i++) {
		const struct perf_event_attr attr =
			make_attr(file, i ? 375 : 372, i ? WAKING_TYPE : SWITCH_TYPE);
		struct bytes body = {0};

		put(&body, &attr, sizeof(attr));
		for (uint64_t cpu = 0; cpu < 2; cpu++)
			put_u64(&body, (i ? WAKING_ID : SWITCH_ID) + cpu);
		add_record(&stream, PERFDATA_RECORD_ATTR, 0, &body);
	}
	if (file->release) {
		struct bytes body = {0}, release = release_of(file);

		put_u64(&body, PERFDATA_OSRELEASE);
		put(&body, release.at, release.count);
		free(release.at);
		add_record(&stream, PERFDATA_RECORD_FEATURE, 0, &body);
	}
	while (tracing.count % 8)
		put(&tracing, "", 1);
	if (tracing.count) {
		put_u32(&size, (uint32_t)tracing.count);
		add_record(&stream, PERFDATA_RECORD_TRACING_DATA, 0, &size);
		put(&stream.data, tracing.at, tracing.count);
	}
	if (file->target)
		add_note(&stream, PERFDATA_NOTE_TEXT_END, file->target);
	put(&stream.data, data.at, data.count);
	free(tracing.at);
	free(data.at);
	file->data = (struct bytes){0};
	return stream.data;
}

/* Opens the bytes without a file that stays, as tests do so thousands of times. `path` gets the
 * path. */
static inline struct event_source *perfdata_open(const struct bytes *bytes, char path[64],
						 struct err *err)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	struct event_source *source = NULL;
	struct input *input;

	if (write(fd, bytes->at, bytes->count) != (ssize_t)bytes->count)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	input = input_open(path, INPUT_OF_ANYONE, err);
	if (input)
		source = trace_input_read(input, err);
	close(fd);
	return source;
}

#endif
