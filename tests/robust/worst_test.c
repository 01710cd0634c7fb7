/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worst inputs that we know: their memory has a limit, and their time so wide a limit that only
 * growth beyond linear exceeds it.
 *
 *	worst_test			all of them, in a 16th of their sizes and in a 64th
 *	worst_test full			all of them, a few MB each
 *	worst_test NUMBER [PARTS]	writes this input to standard output, or one of a part of its size
 *	worst_test names		their names, in the order of their numbers
 */
#include "base/err.h"
#include "check/bytes_check.h"
#include "damage/batch.h"
#include "decode/perfdata_bytes.h"
#include "decode/step_bytes.h"
#include "seeds/seeds.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>

/* CPU_MS is for runs with sanitizers; linear work takes seconds. */
enum { CPU_MS = 120000, MB = 1 << 20, SMALL = 64, LARGE = 16 };

#define SWITCH_LINE                                                                       \
	"t %d [%03d] %d.%06d: sched:sched_switch: prev_comm=t prev_pid=%d prev_prio=120 " \
	"prev_state=S ==> next_comm=t next_pid=%d next_prio=120\n"

/* --- Texts --------------------------------------------------------------------------------- */

static struct bytes repeat(const char *text, int most)
{
	struct bytes bytes = {0};

	while (bytes.count < (size_t)most)
		put(&bytes, text, strlen(text));
	return bytes;
}

static struct bytes broken_lines(int parts)
{
	return repeat("a 1 [000] 1.000001: sched:sched_switch: prev_comm=x\n\ny prev_pid=1 "
		      "prev_prio=120 prev_state=S ==> next_comm=\nb\n next_pid=2 next_prio=120\n",
		      4 * MB / parts);
}

static struct bytes one_line(int parts)
{
	return repeat("a 1 [000] 1.000001: sched:sched_switch: prev_comm=x prev_pid=1 ",
		      4 * MB / parts);
}

static struct bytes record_words(int parts)
{
	return repeat("PERF_RECORD_SWITCH PERF_RECORD_ ", 4 * MB / parts);
}

/* Lines of 60 kB that repeat a word. */
static struct bytes long_lines(int parts, const char *head, const char *word)
{
	struct bytes bytes = {0};

	while (bytes.count < (size_t)(4 * MB / parts)) {
		struct bytes words = repeat(word, 60000);

		put(&bytes, head, strlen(head));
		put(&bytes, words.at, words.count);
		put(&bytes, "\n", 1);
		free(words.at);
	}
	return bytes;
}

static struct bytes many_blanks(int parts)
{
	return long_lines(parts, "", " ");
}

static struct bytes many_times(int parts)
{
	return long_lines(parts, "a ", "5 1.1: b: ");
}

static struct bytes many_dots(int parts)
{
	return long_lines(parts, "a ", "1. ");
}

static struct bytes many_pids(int parts)
{
	return long_lines(parts, "a 1 [000] 1.000001: sched:sched_switch: prev_comm=x",
			  " prev_pid=1 prev_prio=1 prev_state=S");
}

static struct bytes many_arrows(int parts)
{
	return long_lines(parts, "a 1 [000] 1.000001: sched:sched_switch: ", "x:1 [1] S ==> ");
}

static struct bytes many_digits(int parts)
{
	return long_lines(parts, "a 1 [000] ", "1");
}

/*
 * All threads have one name. The state of each is corrected once, back to the beginning, while all
 * earlier threads sleep.
 */
static struct bytes many_threads(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 40000 / parts; i++)
		put_line(&bytes, SWITCH_LINE, i, i % 8, 1 + i / 1000000, i % 1000000, i, i + 1);
	return bytes;
}

/* Threads begin, run and end one after the other; those of odd numbers without a last switch. */
static struct bytes short_threads(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 20000 / parts; i++) {
		put_line(&bytes,
			 "t 1 [000] 1.%06d: sched:sched_process_fork: comm=t pid=1 child_comm=t "
			 "child_pid=%d\n",
			 10 * i, 2 + i);
		put_line(&bytes, SWITCH_LINE, 1, 0, 1, 10 * i + 1, 1, 2 + i);
		put_line(&bytes,
			 "t %d [000] 1.%06d: sched:sched_process_exit: comm=t pid=%d prio=120\n",
			 2 + i, 10 * i + 2, 2 + i);
		if (i % 2)
			put_line(&bytes, SWITCH_LINE, 2 + i, 0, 1, 10 * i + 3, 2 + i, 1);
	}
	return bytes;
}

/* Each thread creates the next one and waits for it: all live at once, and end in the reverse
 * order. */
static struct bytes nested_threads(int parts)
{
	const int depth = 20000 / parts;
	struct bytes bytes = {0};

	for (int i = 0; i < depth; i++) {
		put_line(&bytes,
			 "t %d [000] 1.%06d: sched:sched_process_fork: comm=t pid=%d child_comm=t "
			 "child_pid=%d\n",
			 1 + i, 2 * i, 1 + i, 2 + i);
		put_line(&bytes, SWITCH_LINE, 1 + i, 0, 1, 2 * i + 1, 1 + i, 2 + i);
	}
	for (int i = depth; i > 0; i--) {
		put_line(&bytes,
			 "t %d [000] 2.%06d: sched:sched_waking: comm=t pid=%d prio=120 "
			 "target_cpu=000\n",
			 1 + i, 3 * (depth - i), i);
		put_line(&bytes,
			 "t %d [000] 2.%06d: sched:sched_process_exit: comm=t pid=%d prio=120\n",
			 1 + i, 3 * (depth - i) + 1, 1 + i);
		put_line(&bytes, SWITCH_LINE, 1 + i, 0, 2, 3 * (depth - i) + 2, 1 + i, i);
	}
	return bytes;
}

/*
 * At about the same time many threads are found running, each on a CPU of its own; later events
 * tell since when each has run.
 */
static struct bytes many_witnesses(int parts)
{
	const int running = 40000 / parts;
	struct bytes bytes = {0};

	put_line(&bytes, "t 1 [000] 1.000000: sched:sched_stat_runtime: comm=t pid=1 "
			 "runtime=10 [ns]\n");
	for (int i = 0; i < running; i++)
		put_line(&bytes,
			 "t %d [%03d] 2.%09d: sched:sched_waking: comm=t pid=1 prio=120 "
			 "target_cpu=000\n",
			 2 + i, 1 + i, i);
	for (int i = 0; i < running; i++)
		put_line(&bytes,
			 "t %d [%03d] 2.%09d: sched:sched_stat_runtime: comm=t pid=%d runtime=%d "
			 "[ns]\n",
			 2 + i, 1 + i, running + i, 2 + i, running + 1);
	return bytes;
}

/*
 * One CPU loses its running thread again and again, beside many CPUs whose threads run on: for half a
 * millisecond, whatever the size, as their time slices are not under test.
 */
static struct bytes many_cpus(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 20000 / parts; i++)
		put_line(&bytes, SWITCH_LINE, 0, i, 1, i * parts / 100, 0, 100 + i);
	for (int i = 0; i < 30000 / parts; i++)
		put_line(&bytes, "t 1 [000] 1.%06d: PERF_RECORD_LOST lost 1\n",
			 200 + i * parts / 100);
	return bytes;
}

/* Each thread needs a page of its own in the table of threads. */
static struct bytes far_threads(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 20000 / parts; i++)
		put_line(&bytes, SWITCH_LINE, i, i % 8, 1, i, i % 2048 * 2048 + 2047,
			 (i + 1) % 2048 * 2048 + 2047);
	return bytes;
}

static struct bytes far_cpus(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 20000 / parts; i++)
		put_line(&bytes, SWITCH_LINE, i, i * 7919 % 70000, 1, i, i % 100, (i + 1) % 100);
	return bytes;
}

static struct bytes time_jumps(int parts)
{
	struct bytes bytes = {0};

	for (int i = 0; i < 20000 / parts; i++)
		put_line(&bytes,
			 "t %d [000] %s: sched:sched_switch: prev_comm=t prev_pid=%d "
			 "prev_prio=120 prev_state=S ==> next_comm=t next_pid=%d "
			 "next_prio=120\n",
			 i, i % 2 ? "9999999999.999999999" : "0.000000001", i % 100, (i + 1) % 100);
	return bytes;
}

/* --- Recordings ---------------------------------------------------------------------------- */

static void add_switches(struct perfdata_bytes *file, int count, int threads)
{
	for (int i = 0; i < count; i++)
		add_switch(file, 1000000 + (uint64_t)i * 1000, i % 2, 100 + i % threads, 1,
			   100 + (i + 2) % threads);
}

/* The reader may not give out any event before the end. */
static struct bytes one_round(int parts)
{
	struct perfdata_bytes file = {0};

	add_switches(&file, 30000 / parts, 100);
	return perfdata_join(&file);
}

/* Each event is older than all before it. */
static struct bytes backwards(int parts)
{
	struct perfdata_bytes file = {0};

	for (int i = 0; i < 30000 / parts; i++)
		add_switch(&file, 100000000 - (uint64_t)i * 1000, i % 2, 100 + i % 50, 1,
			   100 + (i + 2) % 50);
	return perfdata_join(&file);
}

static struct bytes last_times(int parts)
{
	struct perfdata_bytes file = {0};

	for (int i = 0; i < 10000 / parts; i++)
		add_switch(&file, UINT64_MAX - 10000 + (uint64_t)i * (i % 3 != 0), i % 2,
			   100 + i % 50, 1, 100 + (i + 2) % 50);
	return perfdata_join(&file);
}

static struct bytes far_ids(int parts)
{
	struct perfdata_bytes file = {0};

	for (int i = 0; i < 20000 / parts; i++)
		add_switch(&file, 1000000 + (uint64_t)i * 1000,
			   (int32_t)((unsigned)i * 2654435761U),
			   (int32_t)((unsigned)i * 2654435761U), 1,
			   (int32_t)((unsigned)i * 40503U * 65537U));
	return perfdata_join(&file);
}

/* The states of many threads are lost, again and again. */
static struct bytes many_losses(int parts)
{
	struct perfdata_bytes file = {0};

	add_switches(&file, 30000 / parts, 30000 / parts);
	for (int i = 0; i < 60000 / parts; i++)
		add_lost(&file, 40000000 + (uint64_t)i, i % 2, 1);
	return perfdata_join(&file);
}

static void add_exec(struct perfdata_bytes *file, uint64_t time_ns, int32_t pid)
{
	struct bytes words = {0};

	put_pair(&words, pid, pid);
	put(&words, "exec\0\0\0", 8);
	add_other(file, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &words, time_ns, 0, pid);
}

static struct bytes many_execs(int parts)
{
	struct perfdata_bytes file = {0};

	add_switches(&file, 15000 / parts, 15000 / parts);
	for (int i = 0; i < 60000 / parts; i++)
		add_exec(&file, 40000000 + (uint64_t)i, 40000);
	return perfdata_join(&file);
}

/* A process of many threads that are known only by name. */
static struct bytes execs_among_many(int parts)
{
	struct perfdata_bytes file = {0};

	for (int i = 0; i < 50000 / parts; i++)
		add_comm(&file, 40000, 50000 + i, "t");
	add_switches(&file, 1000 / parts, 10);
	for (int i = 0; i < 50000 / parts; i++)
		add_exec(&file, 40000000 + (uint64_t)i, 40000);
	return perfdata_join(&file);
}

/* The same, and each thread has an exit, but no last switch. */
static struct bytes execs_among_exits(int parts)
{
	struct bytes bytes = {0};

	put_line(&bytes, SWITCH_LINE, 0, 0, 1, 0, 0, 40);
	for (int i = 0; i < 30000 / parts; i++) {
		put_line(&bytes,
			 "t 40 [000] 1.%06d: sched:sched_process_fork: comm=t pid=40 child_comm=t "
			 "child_pid=%d\n",
			 10 * i + 1, 1000 + i);
		put_line(&bytes, "t 40 [000] 1.%06d: PERF_RECORD_FORK(40:%d):(40:40)\n", 10 * i + 2,
			 1000 + i);
		put_line(&bytes, "t %d [000] 1.%06d: PERF_RECORD_EXIT(40:%d):(40:40)\n", 1000 + i,
			 10 * i + 3, 1000 + i);
	}
	for (int i = 0; i < 200000 / parts; i++)
		put_line(&bytes, "t 40 [000] 2.%06d: PERF_RECORD_COMM exec: t:40/40\n", i);
	return bytes;
}

/* A target of many processes, and threads that belong to none of them. */
static struct bytes many_roots(int parts)
{
	struct perfdata_bytes file = {0};
	struct bytes text = {0}, whole;

	put_line(&text, "pscal 1\nmode attach\nself 7\n");
	for (int i = 0; i < 100000 / parts; i++)
		put_line(&text, "root %d\n", 1000000 + i);
	put_line(&text, "start_ns 1000\nend_ns 90000000\n");
	put(&text, "", 1);
	file.target = text.at;
	add_switches(&file, 20000 / parts, 50);
	whole = perfdata_join(&file);
	free(text.at);
	return whole;
}

/* Each pause concerns all CPUs, one of which has the largest number. */
static struct bytes many_pauses(int parts)
{
	struct perfdata_bytes file = {0};
	struct bytes text = {0}, whole;

	put_line(&text, "pscal 1\nmode command\n");
	for (int i = 0; i < 40000 / parts; i++)
		put_line(&text, "paused %d %d\n", 2000000 + i * 1000, 2000000 + i * 1000 + 1);
	put(&text, "", 1);
	file.target = text.at;
	add_switch(&file, 1000, CPU_MAX - 1, 90, 1, 91);
	add_switches(&file, 20000 / parts, 10000 / parts);
	whole = perfdata_join(&file);
	free(text.at);
	return whole;
}

/* Threads begin and end on two CPUs; each has an event of another kind: a call, a task, a
 * sample. */
static void add_lives(struct perfdata_bytes *file, int parts)
{
	add_mmap2(file, 1000000, 100, 0x400000, 0x8000, "/bin/sh");
	for (int i = 0; i < 20000 / parts; i++) {
		const uint64_t at_ns = 1000000 + (uint64_t)i * 10000;
		const int32_t cpu = i % 2, tid = 101 + i;
		struct step_bytes begin = {0, 1, (uint64_t)i + 1, (uint64_t)i / 2, (uint32_t)i};

		add_switch(file, at_ns, cpu, i < 2 ? 100 : tid - 2, 0x20, tid);
		if (file->with_samples)
			add_sample(file, at_ns + 100, cpu, tid, 0x405000 + (uint64_t)i % 0x2000);
		if (file->with_tasks)
			add_step(file, at_ns + 200, cpu, tid, &begin);
		if (file->with_blocks) {
			add_block(file, at_ns + 300, cpu, tid, true, i % 2, (uint64_t)i);
			add_block(file, at_ns + 4000, cpu, tid, false, i % 2, (uint64_t)i);
		}
		if (i % 16 == 15)
			add_round(file);
	}
}

static struct bytes many_blocks(int parts)
{
	struct perfdata_bytes file = {.with_blocks = true};

	add_lives(&file, parts);
	return perfdata_join(&file);
}

static struct bytes many_tasks(int parts)
{
	struct perfdata_bytes file = {.with_tasks = true, .with_blocks = true};

	add_lives(&file, parts);
	return perfdata_join(&file);
}

static struct bytes many_samples(int parts)
{
	struct perfdata_bytes file = {.with_samples = true};

	add_lives(&file, parts);
	return perfdata_join(&file);
}

/* --- Events and their ids ------------------------------------------------------------------ */

/* `attrs` events; all have the same list of ids. */
static struct bytes with_ids(size_t attrs, const uint64_t *ids, size_t count)
{
	const size_t attr_size = sizeof(struct perf_event_attr) + 16;
	const struct perfdata_bytes file = {0};
	const struct perf_event_attr attr = make_attr(&file, 372, SWITCH_TYPE);
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = attr_size,
		.attrs = {sizeof(header), attrs * attr_size},
		.data = {sizeof(header) + attrs * attr_size + 8 * count, 0},
	};
	struct bytes whole = {0};

	put(&whole, &header, sizeof(header));
	for (size_t i = 0; i < attrs; i++) {
		put(&whole, &attr, sizeof(attr));
		put_u64(&whole, header.data.offset - 8 * count);
		put_u64(&whole, 8 * count);
	}
	put(&whole, ids, 8 * count);
	put(&whole, "\x44\0\0\0\0\0\x08", 8);
	return whole;
}

/* number(i) for `count` numbers */
static struct bytes with_numbers(size_t attrs, uint64_t (*number)(size_t i), size_t count)
{
	uint64_t *ids = xcalloc(count, sizeof(*ids));
	struct bytes whole;

	for (size_t i = 0; i < count; i++)
		ids[i] = number(i);
	whole = with_ids(attrs, ids, count);
	free(ids);
	return whole;
}

static uint64_t same(size_t i)
{
	(void)i;
	return 7;
}

static uint64_t itself(size_t i)
{
	return i;
}

/* Times 0x9e3779b97f4a7c15, a common hash, these numbers are 0, 1, 2, ... */
static uint64_t aimed(size_t i)
{
	return i * 0xf1de83e19937733d;
}

static struct bytes same_id(int parts)
{
	return with_numbers(1, same, 300000 / (size_t)parts);
}

static struct bytes aimed_ids(int parts)
{
	return with_numbers(1, aimed, 300000 / (size_t)parts);
}

static struct bytes shared_ids(int parts)
{
	return with_numbers(10000 / (size_t)parts, itself, 5000 / (size_t)parts);
}

static struct bytes many_attrs(int parts)
{
	return with_numbers(30000 / (size_t)parts, itself, 1);
}

static struct bytes many_formats(int parts)
{
	static const char *formats[3000];
	const uint32_t count = 3000 / (uint32_t)parts;
	struct perfdata_bytes file = {0};
	struct bytes tracing = {0}, size = {0};

	for (size_t i = 0; i < count; i++)
		formats[i] = FORMAT_SWITCH;
	put_tracing_data(&tracing, "sched", formats, count);
	put_u64(&file.data, PERFDATA_MAGIC);
	put_u64(&file.data, PERFDATA_PIPE_HEADER_SIZE);
	put_u32(&size, (uint32_t)tracing.count);
	add_record(&file, PERFDATA_RECORD_TRACING_DATA, 0, &size);
	put(&file.data, tracing.at, tracing.count);
	free(tracing.at);
	return file.data;
}

/* One format of many fields. */
static struct bytes large_format(int parts)
{
	struct perfdata_bytes file = {0};
	struct bytes tracing = {0}, size = {0}, format = {0};
	const char *list[1];

	put_line(&format, "name: sched_switch\nID: 372\nformat:\n");
	for (int i = 0; i < 30000 / parts; i++)
		put_line(&format, "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n", i, 4 * i);
	put_line(&format, "\nprint fmt: \"\"\n");
	put(&format, "", 1);
	list[0] = format.at;
	put_tracing_data(&tracing, "sched", list, 1);
	put_u64(&file.data, PERFDATA_MAGIC);
	put_u64(&file.data, PERFDATA_PIPE_HEADER_SIZE);
	put_u32(&size, (uint32_t)tracing.count);
	add_record(&file, PERFDATA_RECORD_TRACING_DATA, 0, &size);
	put(&file.data, tracing.at, tracing.count);
	free(tracing.at);
	free(format.at);
	return file.data;
}

/* --- All of them --------------------------------------------------------------------------- */

static const struct worst {
	const char *name;
	struct bytes (*make)(int parts); /* one of so many parts of its size */
	uint64_t mb_max;
} cases[] = {
	{"broken lines", broken_lines, 16},
	{"one line", one_line, 16},
	{"words of records", record_words, 16},
	{"many blanks", many_blanks, 16},
	{"many times", many_times, 16},
	{"many dots", many_dots, 16},
	{"many pids", many_pids, 16},
	{"many arrows", many_arrows, 16},
	{"many digits", many_digits, 16},
	{"many threads", many_threads, 64},
	{"short threads", short_threads, 40},
	{"nested threads", nested_threads, 48},
	{"many witnesses", many_witnesses, 64},
	{"many CPUs", many_cpus, 40},
	{"far threads", far_threads, 56},
	{"far CPUs", far_cpus, 32},
	{"jumps of time", time_jumps, 16},
	{"one round", one_round, 32},
	{"backwards", backwards, 32},
	{"last times", last_times, 32},
	{"far ids", far_ids, 80},
	{"many losses", many_losses, 64},
	{"many execs", many_execs, 40},
	{"execs among many", execs_among_many, 40},
	{"execs among exits", execs_among_exits, 40},
	{"many roots", many_roots, 32},
	{"many pauses", many_pauses, 24},
	{"many blocks", many_blocks, 40},
	{"many tasks", many_tasks, 40},
	{"many samples", many_samples, 32},
	{"the same id", same_id, 64},
	{"ids aimed at the hash", aimed_ids, 64},
	{"shared ids", shared_ids, 256},
	{"many attrs", many_attrs, 64},
	{"many formats", many_formats, 64},
	{"a large format", large_format, 64},
};

static int check_case(void *context, uint64_t number, bool *read, struct err *err)
{
	const struct bytes *bytes = context;

	(void)number;
	return bytes_check_trace(read, bytes->at, bytes->count, err);
}

/* Tries the case in one of so many parts of its size. Returns its microseconds, or 0 if it
 * failed. */
static uint64_t try_case(size_t number, int parts)
{
	const struct worst *worst = &cases[number];
	struct bytes bytes = worst->make(parts);
	struct batch batch = {worst->name, check_case, &bytes, CPU_MS,
			      worst->mb_max * MB / (parts > 1 ? 2 : 1)};
	struct batch_result result = {0};

	batch_run(&result, &batch, number, number + 1);
	printf("  %-24s %5.2f MB: %s, %5.1f MB, %6.0f ms\n", worst->name, (double)bytes.count / MB,
	       result.failed ? "FAILED"
	       : result.read ? "read"
			     : "refused",
	       (double)result.most_bytes / MB, (double)result.most_us / 1000);
	free(bytes.at);
	return result.failed ? 0 : result.most_us + 1;
}

/* Linear work takes 4 times as long for 4 times as much input, quadratic work 16 times. */
static void the_worst_inputs_take_limited_memory_and_linear_time(void **state)
{
	const uint64_t start_us = 300000; /* shorter times are too noisy */
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t small_us = try_case(i, SMALL), large_us = try_case(i, LARGE);

		if (small_us && large_us && large_us <= 8 * small_us + start_us)
			continue;
		print_error("%s: %.3f s for 4 times as much as takes %.3f s\n", cases[i].name,
			    (double)large_us / 1e6, (double)small_us / 1e6);
		failed++;
	}
	assert_int_equal(failed, 0);
}

static void the_worst_inputs_of_full_size_take_limited_memory(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		failed += !try_case(i, 1);
	assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_inputs_take_limited_memory_and_linear_time),
	};
	const struct CMUnitTest full_tests[] = {
		cmocka_unit_test(the_worst_inputs_of_full_size_take_limited_memory),
	};
	const size_t count = sizeof(cases) / sizeof(cases[0]);
	bool full = argc == 2 && strcmp(argv[1], "full") == 0;
	size_t number = argc >= 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "names") == 0) {
		for (size_t i = 0; i < count; i++)
			puts(cases[i].name);
		return 0;
	}
	if (argc >= 2 && !full && number < count) {
		struct bytes bytes = cases[number].make(argc > 2 ? atoi(argv[2]) : 1);

		fwrite(bytes.at, 1, bytes.count, stdout);
		free(bytes.at);
		return 0;
	}
	return full ? RUN_TESTS(full_tests) : RUN_TESTS(tests);
}
