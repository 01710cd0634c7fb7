/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source.h"
#include "decode/kernel/perfdata_source_private.h"

#include "decode/perfdata_bytes.h"
#include "decode/trace_input.h"
#include "support.h"
#include "tools/swapped.h"

#include <fcntl.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct event_source *open_bytes(struct bytes bytes)
{
	struct err err = {.text = ""};
	char path[64];
	struct event_source *source = perfdata_open(&bytes, path, &err);

	if (!source)
		fail_msg("%s", err.text);
	free(bytes.at);
	return source;
}

static struct event_source *open_file(struct perfdata_bytes *file)
{
	return open_bytes(perfdata_join(file));
}

struct expected {
	uint64_t time_ns;
	enum event_kind kind;
	enum thread_state state;
	int32_t cpu, pid, tid, other_pid, other;
};

/* Reads all events and frees the source; returns its quality. */
static struct quality assert_events(struct event_source *source, const struct expected *want,
				    size_t count)
{
	struct quality quality;
	struct event event;
	struct err err;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		if (event.time_ns != want[i].time_ns || event.kind != want[i].kind ||
		    event.state != want[i].state || event.cpu != want[i].cpu ||
		    event.pid != want[i].pid || event.tid != want[i].tid ||
		    event.other_pid != want[i].other_pid || event.other != want[i].other)
			fail_msg("event %zu: time %d, kind %d, state %s, cpu %d, pid %d, tid %d, "
				 "other %d/%d",
				 i, (int)event.time_ns, (int)event.kind,
				 thread_state_name(event.state), event.cpu, event.pid, event.tid,
				 event.other_pid, event.other);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(event_source_next(source, &event, &err), 0);
	quality = source->quality;
	event_source_free(source);
	return quality;
}

#define ASSERT_EVENTS(source, want) assert_events((source), (want), COUNT(want))

static bool is_clean(const struct quality *quality)
{
	return !quality->lost && !quality->malformed && !quality->missed_wakes &&
	       !quality->truncated;
}

/* --- Content of a file --------------------------------------------------------------------- */

static void samples_of_two_cpus_come_in_the_order_of_their_times(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1500, EVENT_WAKE, STATE_NONE, 1, 100, 7, -1, 5},
		{2000, EVENT_SWITCH, STATE_RUNNABLE, 0, 100, 6, -1, 5},
		{2500, EVENT_SWITCH, STATE_NONE, 1, 100, 7, -1, 0},
		{3000, EVENT_WAKE, STATE_NONE, 0, 100, 5, -1, 6},
		{4000, EVENT_SWITCH, STATE_DISK, 1, 100, 8, -1, 9},
	};
	struct perfdata_bytes file = {0};
	struct quality quality;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_switch(&file, 2000, 0, 6, 0x100, 5);
	add_round(&file);
	add_waking(&file, 3000, 0, 5, 6);
	add_waking(&file, 1500, 1, 7, 5);
	add_switch(&file, 2500, 1, 7, 0x10, 0);
	add_round(&file);
	add_switch(&file, 4000, 1, 8, 2, 9);
	add_round(&file);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_true(is_clean(&quality));
}

/* perf record --per-thread mixes the rings of threads, whose events may be of any CPU. */
static void samples_of_impossible_times_are_counted_and_ignored(void **state)
{
	static const uint64_t second = 1000000000;
	static const struct {
		uint64_t times_s[4], first_s, last_s; /* `last_s` 0: unknown */
		const char *cmdline, *target;
		uint64_t malformed;
	} cases[] = {
		{{1, 2, 3, 4}, 0, 0, "", NULL, 0},
		{{1, 2, 900, 4}, 0, 0, "", NULL, 1},
		{{1, 2, 3, 900}, 0, 0, "", NULL, 0},
		{{1, 2, 3, 900}, 1, 4, "", NULL, 1},
		{{1, 900, 901, 902}, 900, 902, "", NULL, 1},
		{{1, 2, 900, 4}, 9, 1, "", NULL, 1},
		{{1, 2, 900, 4}, 0, 0, "perf record --per-thread x", NULL, 0},
		{{1, 2, 900, 4}, 0, 0, "", "pscal 1\nend_ns 4000000000\n", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_bytes file = {
			.span_ns = {cases[i].first_s * second, cases[i].last_s * second},
			.cmdline = cases[i].cmdline,
			.target = cases[i].target};
		struct event_source *source;
		struct event event;
		uint64_t events = 0;
		struct err err;

		for (size_t k = 0; k < 4; k++)
			add_switch(&file, cases[i].times_s[k] * second, 0, 5, 1, 6);
		source = open_file(&file);
		while (event_source_next(source, &event, &err) > 0)
			events += event.kind == EVENT_SWITCH;
		assert_int_equal(source->quality.malformed, cases[i].malformed);
		assert_int_equal(events, 4 - cases[i].malformed);
		event_source_free(source);
	}
}

/* A span that contradicts many samples is damaged itself. */
static void an_impossible_span_is_dropped_soon(void **state)
{
	struct perfdata_bytes file = {.span_ns = {1, 2}};
	struct event_source *source;
	struct event event;
	struct err err;
	int events = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		add_switch(&file, (100 + i) * 1000000000, 0, 5, 1, 6);
	source = open_file(&file);
	while (event_source_next(source, &event, &err) > 0)
		events++;
	assert_int_equal(events, 84);
	assert_int_equal(source->quality.malformed, 16);
	event_source_free(source);
}

/* A record in place of a round, with the time up to which it is one: 1500 is late. */
static void a_round_may_announce_older_events(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1500, EVENT_WAKE, STATE_NONE, 1, 100, 7, -1, 5},
		{2000, EVENT_SWITCH, STATE_RUNNABLE, 0, 100, 6, -1, 5},
	};
	static const char *const times[] = {"1500", "late", "-1", "99999999999999999999", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(times); i++) {
		char time[PERFDATA_TIME_BYTES] = "";
		struct perfdata_bytes file = {0};
		struct event_source *source;
		struct quality quality;

		snprintf(time, sizeof(time), "%s", times[i]);
		add_switch(&file, 1000, 0, 5, 1, 6);
		add_switch(&file, 2000, 0, 6, 0x100, 5);
		for (int round = 0; round < 3; round++)
			add_time_note(&file, PERFDATA_NOTE_ROUND, time);
		add_waking(&file, 1500, 1, 7, 5);
		add_time_note(&file, PERFDATA_NOTE_REACHED, time);
		add_round(&file);
		source = open_file(&file);
		quality = ASSERT_EVENTS(source, want);
		assert_true(is_clean(&quality));
	}
}

static void calls_are_at_the_time_of_their_begin(void **state)
{
	static const struct expected want[] = {
		{900, EVENT_CALL, STATE_NONE, 0, 100, 5, -1, -1},
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1500, EVENT_WAKE, STATE_NONE, 1, 100, 7, -1, 5},
	};
	struct perfdata_bytes file = {.with_calls = true};
	struct quality quality;

	(void)state;
	add_futex(&file, 900, 0, 5, 128);
	add_futex(&file, 950, 0, 5, 2); /* an unknown thread */
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_waking(&file, 1500, 1, 7, 5);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_true(is_clean(&quality));
}

static void an_event_has_the_call_chain_of_its_thread(void **state)
{
	static const uint64_t want[][2] = {{0x401005, 0x402000}, {0x401006, 0x402000}};
	struct perfdata_bytes file = {.with_calls = true, .with_chains = true};
	struct bytes plain, swapped = {0};

	(void)state;
	add_futex(&file, 900, 0, 5, 128);
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_switch(&file, 1100, 0, 6, 1, 7);
	plain = perfdata_join(&file);
	put(&swapped, plain.at, plain.count);
	swap_perfdata(swapped.at, swapped.count);
	for (size_t round = 0; round < 3; round++) {
		struct bytes copy = {0};
		struct event_source *source;
		struct event event;
		struct err err;

		put(&copy, (round == 2 ? &swapped : &plain)->at, plain.count);
		source = open_bytes(copy);
		source->chains.wanted = source->samples.timed = round > 0;
		for (size_t i = 0; i < 3; i++) {
			struct chain chain;

			assert_int_equal(event_source_next(source, &event, &err), 1);
			chain = chains_get(&source->chains, event.chain);
			assert_int_equal(chain.count, round ? 2 : 0);
			if (round)
				assert_memory_equal(chain.frames, want[i > 1], sizeof(want[0]));
		}
		assert_int_equal(source->chains.count, round ? 2 : 0);
		assert_int_equal(source->samples.probes.count, 0); /* system calls have none */
		event_source_free(source);
	}
	free(plain.at);
	free(swapped.at);
}

static void names_come_with_payloads_and_comm_records(void **state)
{
	struct perfdata_bytes file = {0};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_comm(&file, 100, 101, "a name of 15 by");
	source = open_file(&file);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_TASK);
	assert_int_equal(event.time_ns, 0);
	assert_int_equal(event.pid, 100);
	assert_int_equal(event.tid, 101);
	assert_string_equal(event.comm, "a name of 15 by");
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_string_equal(event.comm, "t5");
	assert_string_equal(event.other_comm, "t6");
	event_source_free(source);
}

static void a_fork_is_a_birth_unless_the_tracepoint_tells_it(void **state)
{
	static const struct expected births[] = {
		{0, EVENT_TASK, STATE_NONE, 0, 200, 201, 100, 100},
		{1000, EVENT_FORK, STATE_NONE, 0, 100, 101, 200, 202},
	};
	static const struct expected tasks[] = {
		{0, EVENT_TASK, STATE_NONE, 0, 200, 201, 100, 100},
		{1000, EVENT_TASK, STATE_NONE, 0, 200, 202, 100, 101},
	};
	struct perfdata_bytes file = {0};

	(void)state;
	for (int with_fork = 0; with_fork < 2; with_fork++) {
		file.with_fork = with_fork;
		add_fork(&file, 0, 100, 200, 100, 201); /* it existed before */
		add_fork(&file, 1000, 100, 200, 101, 202);
		assert_events(open_file(&file), with_fork ? tasks : births, 2);
	}
}

/* Both are read at once: if they differ by more than 0.1 ms one is damaged. */
static void a_fork_of_two_times_is_counted_and_ignored(void **state)
{
	static const struct {
		uint64_t time_ns, behind_ns, malformed;
	} cases[] = {{1000, 1000, 0},
		     {1000, 0, 0},
		     {0, 1000, 0},
		     {500000000, 1499999999, 0},
		     {1499999999, 500000000, 0},
		     {500000000, 1700000000, 1},
		     {1700000000, 500000000, 1},
		     {1000, 1ULL << 63, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = {0};
		struct event_source *source;
		struct event event;
		struct err err;

		add_fork_of_times(&file, cases[i].time_ns, cases[i].behind_ns, 100, 200, 101, 202);
		source = open_file(&file);
		while (event_source_next(source, &event, &err) > 0)
			;
		assert_int_equal(source->quality.malformed, cases[i].malformed);
		event_source_free(source);
	}
}

static void switch_records_tell_which_thread_has_a_cpu(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH_IN, STATE_INACTIVE, 1, 100, 5, -1, -1},
		{2000, EVENT_SWITCH_OUT, STATE_RUNNABLE, 1, 100, 5, -1, -1},
		{3000, EVENT_SWITCH_OUT, STATE_INACTIVE, 1, 100, 6, -1, -1},
		{5000, EVENT_SWITCH_IN, STATE_INACTIVE, 1, 100, 5, 6, 6},
		{6000, EVENT_SWITCH_IN, STATE_INACTIVE, 1, 100, -1, 5, 5},
	};
	struct perfdata_bytes file = {0};

	(void)state;
	add_context_switch(&file, 1000, 1, 5, 0);
	add_context_switch(&file, 2000, 1, 5,
			   PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	add_context_switch(&file, 3000, 1, 6, PERF_RECORD_MISC_SWITCH_OUT);
	add_context_switch(&file, 0, 1, 7, 0);	   /* no time */
	add_context_switch(&file, 4000, 1, -1, 0); /* no thread */
	add_switch_in(&file, 5000, 1, 5, 6);
	add_switch_in(&file, 6000, 1, -1, 5); /* it has left its CPU idle */
	ASSERT_EVENTS(open_file(&file), want);
}

static void lost_records_leave_a_gap_from_the_last_record_before(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1000, EVENT_GAP, STATE_NONE, 0, 100, 0, -1, -1},
		{5000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	struct perfdata_bytes file = {0};
	struct quality quality;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_lost(&file, 4000, 0, 17); /* written when the ring had room again */
	add_switch(&file, 5000, 0, 6, 1, 5);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_int_equal(quality.lost, 17);
}

/* PERF_RECORD_LOST_SAMPLES, as perf writes it at the end: without a time and a CPU. */
static void add_lost_sum(struct perfdata_bytes *file, uint64_t lost)
{
	struct bytes words = {0};

	put_u64(&words, lost);
	add_other(file, PERF_RECORD_LOST_SAMPLES, 0, &words, 0, 0, 0);
}

static void lost_records_in_a_sum_at_the_end_count_once(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1000, EVENT_GAP, STATE_NONE, 0, 100, 0, -1, -1},
		{5000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	struct perfdata_bytes file = {0};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_lost(&file, 4000, 0, 17);
	add_switch(&file, 5000, 0, 6, 1, 5);
	add_lost_sum(&file, 10);
	add_lost_sum(&file, 7);
	assert_int_equal(ASSERT_EVENTS(open_file(&file), want).lost, 17);
}

static void records_lost_after_the_last_one_are_lost_on_any_cpu(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{1000, EVENT_GAP, STATE_NONE, 0, 100, 0, -1, -1},
		{5000, EVENT_SWITCH, STATE_SLEEPING, 1, 100, 7, -1, 8},
		{5000, EVENT_GAP, STATE_NONE, 1, 100, 0, -1, -1},
	};
	struct perfdata_bytes file = {0};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_switch(&file, 5000, 1, 7, 1, 8);
	add_lost_sum(&file, 10);
	add_lost_sum(&file, 7);
	assert_int_equal(ASSERT_EVENTS(open_file(&file), want).lost, 17);
}

static void other_records_are_skipped_by_their_size(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{2000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	static const uint32_t types[] = {PERF_RECORD_MMAP, PERF_RECORD_EXIT, 63, 64, 79, 1000,
					 UINT16_MAX};
	struct perfdata_bytes file = {0};
	struct bytes body = {0};
	struct quality quality;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	for (size_t i = 0; i < COUNT(types); i++) {
		body = (struct bytes){0};
		for (uint64_t k = 0; k < 8; k++)
			put_u64(&body, k);
		add_record(&file, types[i], 0, &body);
	}
	body = (struct bytes){0};
	put_u64(&body, 13); /* so many bytes follow the record */
	put_u64(&body, 0);
	add_record(&file, PERFDATA_RECORD_AUXTRACE, 0, &body);
	put(&file.data, "thirteen byte", 13);
	add_switch(&file, 2000, 0, 6, 1, 5);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_true(is_clean(&quality));
}

/* One byte of a header is damaged, or all. */
static void records_of_no_kind_and_short_ones_are_counted_and_skipped(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{2000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	static const struct {
		uint32_t type;
		int words; /* before the trailer */
	} cases[] = {
		{UINT16_MAX + 1, 8},   {UINT32_MAX, 8},	      {PERF_RECORD_FORK, 2},
		{PERF_RECORD_EXIT, 2}, {PERF_RECORD_LOST, 1}, {PERF_RECORD_MMAP2, 7},
	};
	struct perfdata_bytes file = {0};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bytes words = {0};

		for (int k = 0; k < cases[i].words; k++)
			put_u64(&words, 100);
		add_other(&file, cases[i].type, 0, &words, 1500, 0, 100);
	}
	add_switch(&file, 2000, 0, 6, 1, 5);
	assert_int_equal(ASSERT_EVENTS(open_file(&file), want).malformed, COUNT(cases));
}

static void without_trailers_the_samples_still_count(void **state)
{
	static const struct expected want[] = {
		{0, EVENT_TASK, STATE_NONE, -1, 100, 5, -1, -1},
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
	};
	struct perfdata_bytes file = {.no_trailers = true};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_comm(&file, 100, 5, "x");
	add_context_switch(&file, 2000, 1, 5, 0);
	ASSERT_EVENTS(open_file(&file), want);
}

static void a_sample_of_an_unknown_event_is_counted_and_ignored(void **state)
{
	static const struct expected want[] = {
		{2000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	const size_t id_at = sizeof(struct perf_event_header) + 16;
	struct perfdata_bytes file = {0};
	struct quality quality;
	uint64_t id = 4711;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	memcpy(file.data.at + id_at, &id, sizeof(id));
	add_switch(&file, 2000, 0, 6, 1, 5);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_int_equal(quality.unknown_events, 1);
	assert_int_equal(quality.malformed, 0);
}

/* The sample at `at` gets the numbers of a namespace. */
static void put_inside(struct perfdata_bytes *file, size_t at, int32_t pid, int32_t tid)
{
	memcpy(file->data.at + at + sizeof(struct perf_event_header), &pid, sizeof(pid));
	memcpy(file->data.at + at + sizeof(struct perf_event_header) + 4, &tid, sizeof(tid));
}

static void add_inside(struct perfdata_bytes *file, uint64_t time_ns, int32_t inside, int32_t tid,
		       int32_t next)
{
	size_t at = file->data.count;

	add_switch(file, time_ns, 0, tid, 1, next);
	put_inside(file, at, inside ? 2 : 0, inside);
}

static void numbers_of_a_namespace_become_those_of_the_host(void **state)
{
	static const struct expected want[] = {
		{0, EVENT_TASK, STATE_NONE, 0, 502, 502, -1, -1},
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, -1, 40, -1, 502},
		{1500, EVENT_FORK, STATE_NONE, 0, 502, 502, 502, 503},
		{2000, EVENT_SWITCH, STATE_SLEEPING, 0, 502, 502, -1, 503},
		{3000, EVENT_SWITCH, STATE_SLEEPING, 0, 502, 503, -1, 40},
		{3500, EVENT_LAST, STATE_NONE, 0, 502, 503, -1, -1},
		{4000, EVENT_SWITCH_IN, STATE_INACTIVE, 0, -1, 502, 503, 503},
	};
	struct perfdata_bytes file = {0};
	struct quality quality;

	(void)state;
	add_comm(&file, 2, 2, "inside");
	add_comm(&file, 7, 7, "never seen again");
	add_inside(&file, 1000, 0, 40, 502);
	add_fork(&file, 1500, 2, 2, 2, 3);
	add_fork(&file, 1600, 0, 0, 0, 0); /* outside of the namespace */
	add_inside(&file, 2000, 2, 502, 503);
	add_inside(&file, 3000, 3, 503, 40);
	add_exit(&file, 3500, 2, 3);
	add_exit(&file, 3600, 0, 0);
	add_switch_in(&file, 4000, 0, 2, 3);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_int_equal(quality.strange_numbers, 3);
}

static void in_a_container_the_payload_is_right_and_the_process_unknown(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, -1, 5, -1, 6},
		{2000, EVENT_WAKE, STATE_NONE, 0, -1, 6, -1, 5},
		{3000, EVENT_WAKE, STATE_NONE, 0, -1, 6, -1, 5},
	};
	struct perfdata_bytes file = {0};
	struct quality quality;
	size_t second;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	second = file.data.count;
	add_waking(&file, 2000, 0, 6, 5);
	put_inside(&file, 0, 1, 2);
	put_inside(&file, second, 1, 2);
	add_waking(&file, 3000, 0, 6, 5);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_int_equal(quality.strange_numbers, 0);
}

/* These events have no read_format, so a value follows pid and tid. */
static void counts_of_threads_come_beside_the_events(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6}};
	struct perfdata_bytes file = {0};
	struct event_source *source;
	struct bytes words = {0};
	struct event event;
	struct err err;

	(void)state;
	put_pair(&words, 100, 5);
	put_u64(&words, 42);
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_other(&file, PERF_RECORD_READ, 0, &words, 1500, 1, 5);
	source = open_file(&file);
	while (event_source_next(source, &event, &err) > 0)
		;
	assert_int_equal(source->counts.row_count, 1);
	assert_int_equal(source->counts.rows[0].tid, 5);
	assert_int_equal(source->counts.rows[0].time_ns, 1500);
	assert_int_equal(source->counts.rows[0].value, 42);
	event_source_free(source);
	file = (struct perfdata_bytes){0};
	words = (struct bytes){0};
	put_pair(&words, 100, 5);
	add_switch(&file, 1000, 0, 5, 1, 6);
	file.no_trailers = true; /* so that the record ends before its value */
	add_other(&file, PERF_RECORD_READ, 0, &words, 1500, 1, 5);
	assert_int_equal(ASSERT_EVENTS(open_file(&file), want).malformed, 1);
}

/* PERFDATA_EVENT_DESC of one event: see decode/event/counts.c. */
static void add_name(struct perfdata_bytes *file, const char *name)
{
	const struct perf_event_attr attr = {.size = sizeof(attr)};
	struct bytes body = {0};

	put_u64(&body, PERFDATA_EVENT_DESC);
	put_u32(&body, 1);
	put_u32(&body, sizeof(attr));
	put(&body, &attr, sizeof(attr));
	put_u32(&body, 0);
	put_u32(&body, (uint32_t)strlen(name));
	put(&body, name, strlen(name));
	add_record(file, PERFDATA_RECORD_FEATURE, 0, &body);
}

/* Otherwise each of many names would sort all earlier events. */
static void events_are_named_once(void **state)
{
	struct perfdata_bytes file = {0};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_name(&file, "first");
	add_name(&file, "second");
	add_switch(&file, 1000, 0, 5, 1, 6);
	source = open_file(&file);
	while (event_source_next(source, &event, &err) > 0)
		;
	assert_int_equal(source->counts.counter_count, 1);
	assert_string_equal(source->counts.counters[0].name, "first");
	event_source_free(source);
}

static void the_target_is_that_of_the_recorder(void **state)
{
	static const struct expected want[] = {
		{900, EVENT_STATE, STATE_DISK, -1, 7, 8, -1, -1},
		{1000, EVENT_WAKE, STATE_NONE, 0, 100, 5, -1, 6},
	};
	struct perfdata_bytes file = {.target = "pscal 1\nmode attach\nroot 7\naffinity 0-3\n"
						"start_ns 950\nend_ns 5000\n"
						"count sched:sched_waking 4\n"
						"count sched:sched_switch 9\n"
						"thread 900 7 8 D work\n"};
	struct event_source *source;
	struct quality quality;

	(void)state;
	add_waking(&file, 1000, 0, 5, 6);
	source = open_file(&file);
	assert_true(source->target.attached);
	assert_int_equal(source->target.root_count, 1);
	assert_int_equal(source->target.roots[0], 7);
	assert_int_equal(source->target.affinity_count, 4);
	assert_int_equal(source->target.start_ns, 950);
	assert_int_equal(source->target.end_ns, 5000);
	quality = ASSERT_EVENTS(source, want);
	assert_int_equal(quality.missed_wakes, 3);
}

static void data_that_end_in_a_record_are_read_up_to_it(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
	};
	static const uint16_t sizes[] = {0, 7, 9, UINT16_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct perfdata_bytes file = {0};
		struct quality quality;
		size_t second;

		add_switch(&file, 1000, 0, 5, 1, 6);
		second = file.data.count;
		add_round(&file);
		memcpy(file.data.at + second + 6, &sizes[i], sizeof(sizes[i]));
		quality = ASSERT_EVENTS(open_file(&file), want);
		assert_true(quality.truncated);
	}
}

/* --- Streams ------------------------------------------------------------------------------- */

static const struct expected two_switches[] = {
	{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
	{1500, EVENT_WAKE, STATE_NONE, 1, 100, 7, -1, 5},
	{2000, EVENT_SWITCH, STATE_RUNNABLE, 0, 100, 6, -1, 5},
};

static void add_two_switches(struct perfdata_bytes *file)
{
	add_switch(file, 1000, 0, 5, 1, 6);
	add_switch(file, 2000, 0, 6, 0x100, 5);
	add_waking(file, 1500, 1, 7, 5);
}

static void a_stream_has_records_in_place_of_sections(void **state)
{
	struct perfdata_bytes file = {0};
	struct quality quality;

	(void)state;
	add_two_switches(&file);
	quality = ASSERT_EVENTS(open_bytes(perfdata_stream(&file)), two_switches);
	assert_true(is_clean(&quality));
}

/* As from a shell pipe: in parts, and without a size. */
static void a_stream_is_read_from_a_pipe(void **state)
{
	struct perfdata_bytes file = {0};
	struct bytes bytes;
	struct err err = {.text = ""};
	struct quality quality;
	char path[32];
	int ends[2];

	(void)state;
	add_two_switches(&file);
	bytes = perfdata_stream(&file);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes.at, bytes.count), bytes.count);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	quality = ASSERT_EVENTS(trace_input_read(input_open(path, INPUT_OF_ANYONE, &err), &err),
				two_switches);
	assert_true(is_clean(&quality));
	close(ends[0]);
	free(bytes.at);
}

static void the_text_at_the_end_of_a_stream_adds_facts(void **state)
{
	static const struct expected want[] = {
		{900, EVENT_STATE, STATE_DISK, -1, 7, 8, -1, -1},
		{1000, EVENT_WAKE, STATE_NONE, 0, 100, 5, -1, 6},
	};
	static const char *const early = "pscal 1\nmode attach\nroot 7\naffinity 0\n"
					 "start_ns 950\ncount sched:sched_waking 0\n"
					 "thread 900 7 8 D work\n";
	static const char *const late[] = {"pscal 1\nmode attach\nroot 7\naffinity 0-3\n"
					   "start_ns 950\nend_ns 5000\n",
					   "count sched:sched_waking 4\nwrapped 1\n"
					   "thread 900 7 8 D work\n"};
	struct perfdata_bytes file = {.target = early};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_waking(&file, 1000, 0, 5, 6);
	add_note(&file, PERFDATA_NOTE_TEXT, late[0]);
	add_note(&file, PERFDATA_NOTE_TEXT_END, late[1]);
	source = open_bytes(perfdata_stream(&file));
	assert_true(source->target.attached);
	assert_int_equal(source->target.root_count, 1);
	assert_int_equal(source->target.start_ns, 950);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.time_ns, want[i].time_ns);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->target.affinity_count, 4);
	assert_int_equal(source->target.end_ns, 5000);
	assert_int_equal(source->quality.missed_wakes, 3);
	assert_true(source->quality.wrapped);
	assert_false(source->quality.truncated);
	event_source_free(source);
}

static void a_recording_without_a_time_of_its_end_was_interrupted(void **state)
{
	struct perfdata_bytes file = {.target = "pscal 1\nmode command\nroot 5\n"
						"count sched:sched_waking 7\n"};

	(void)state;
	for (int stream = 0; stream < 2; stream++) {
		struct quality quality;

		add_two_switches(&file);
		quality = ASSERT_EVENTS(stream ? open_bytes(perfdata_stream(&file))
					       : open_file(&file),
					two_switches);
		assert_true(quality.truncated);
		assert_int_equal(quality.missed_wakes, 0); /* the count is that of its begin */
	}
}

static void a_stream_has_the_text_of_a_pause_after_it(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{2000, EVENT_GAP, STATE_NONE, -1, -1, 0, -1, 0},
		{4000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	struct perfdata_bytes file = {.target = "pscal 1\nmode attach\nroot 5\nstart_ns 500\n"};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_round(&file);
	add_note(&file, PERFDATA_NOTE_TEXT_END, "paused 2000 3000\n");
	add_switch(&file, 4000, 0, 6, 1, 5);
	add_round(&file);
	add_note(&file, PERFDATA_NOTE_TEXT_END,
		 "pscal 1\nmode attach\nroot 5\nstart_ns 500\nend_ns 9000\npaused 2000 3000\n");
	source = open_bytes(perfdata_stream(&file));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.kind, want[i].kind);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.paused_ns, 1000);
	assert_false(source->quality.truncated);
	event_source_free(source);
}

static void an_early_end_of_calls_is_reported(void **state)
{
	static const char *const whole = "pscal 1\nroot 5\nend_ns 9000\ncalls_end_ns 2500\n";
	static const struct {
		const char *first, *note, *last;
	} cases[] = {
		{whole, NULL, NULL}, /* of a file, and of the end of a stream: */
		{"pscal 1\nroot 5\n", "calls_end_ns 2500\n", whole},
		{"pscal 1\nroot 5\n", "calls_end_ns 2500\n", NULL}, /* a recorder that was killed */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_bytes file = {.target = cases[i].first};
		struct quality quality;

		add_two_switches(&file);
		if (cases[i].note)
			add_note(&file, PERFDATA_NOTE_TEXT_END, cases[i].note);
		if (cases[i].last)
			add_note(&file, PERFDATA_NOTE_TEXT_END, cases[i].last);
		quality = ASSERT_EVENTS(cases[i].note ? open_bytes(perfdata_stream(&file))
						      : open_file(&file),
					two_switches);
		assert_true(quality.calls_ended);
	}
}

/* A file as perfdata_write_mark() leaves it: an old table among the data, and no text in a
 * section. */
static void an_interrupted_file_is_described_by_its_notes(void **state)
{
	struct perfdata_bytes file = {0};
	struct event_source *source;
	struct bytes table = {0};
	struct quality quality;

	(void)state;
	add_note(&file, PERFDATA_NOTE_TEXT_END, "pscal 1\nmode command\nroot 5\n");
	put_u64(&table, 0);
	put_u64(&table, 4711);
	add_record(&file, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TABLE, &table);
	add_two_switches(&file);
	source = open_file(&file);
	assert_int_equal(source->target.root_count, 1);
	assert_int_equal(source->target.roots[0], 5);
	quality = ASSERT_EVENTS(source, two_switches);
	assert_true(quality.truncated);
}

static void a_section_replaces_notes(void **state)
{
	struct perfdata_bytes file = {.target = "pscal 1\nroot 5\nend_ns 9000\n"};
	struct event_source *source;
	struct quality quality;

	(void)state;
	add_note(&file, PERFDATA_NOTE_TEXT_END, "pscal 1\nroot 6\n");
	add_note(&file, 0, "an event type of perf 3.9");
	add_two_switches(&file);
	source = open_file(&file);
	assert_int_equal(source->target.root_count, 1);
	assert_int_equal(source->target.roots[0], 5);
	quality = ASSERT_EVENTS(source, two_switches);
	assert_true(is_clean(&quality));
}

/* --- Compressed ---------------------------------------------------------------------------- */

static void compressed_records_are_read_wherever_they_are_cut(void **state)
{
	static const uint32_t types[] = {PERFDATA_RECORD_COMPRESSED, PERFDATA_RECORD_COMPRESSED2};

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		for (size_t piece = 1; piece < 200; piece += 7) {
			struct perfdata_bytes file = {0};
			struct quality quality;

			add_two_switches(&file);
			pack(&file, types[i], piece);
			quality = ASSERT_EVENTS(open_file(&file), two_switches);
			assert_true(is_clean(&quality));
		}
	}
}

static void records_that_cannot_be_unpacked_end_the_data(void **state)
{
	static const struct expected want[] = {
		{500, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 8, -1, 5},
	};
	struct perfdata_bytes packed = {0}, file = {0};
	struct quality quality;

	(void)state;
	add_two_switches(&packed);
	pack(&packed, PERFDATA_RECORD_COMPRESSED, 60000);
	memset(packed.data.at + 20, 0xff, 16);
	add_switch(&file, 500, 0, 8, 1, 5);
	put(&file.data, packed.data.at, packed.data.count);
	free(packed.data.at);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_true(quality.truncated);
}

/* --- Without tracepoints ------------------------------------------------------------------- */

static void without_tracepoints_switch_records_and_ends_tell(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_FORK, STATE_NONE, 0, 100, 101, 200, 202},
		{1500, EVENT_SWITCH_IN, STATE_INACTIVE, 1, 100, 202, -1, -1},
		{2000, EVENT_END, STATE_NONE, 0, 200, 202, -1, -1},
	};

	(void)state;
	for (int stream = 0; stream < 2; stream++) {
		struct perfdata_bytes file = {.no_tracepoints = true};
		struct quality quality;

		add_fork(&file, 1000, 100, 200, 101, 202);
		add_context_switch(&file, 1500, 1, 202, 0);
		add_exit(&file, 2000, 200, 202);
		quality = ASSERT_EVENTS(
			stream ? open_bytes(perfdata_stream(&file)) : open_file(&file), want);
		assert_true(is_clean(&quality));
	}
}

/* Unless a switch is marked, as the recording may be of a later kernel. */
static void kernels_before_4_17_do_not_tell_preemptions(void **state)
{
	static const struct {
		const char *release;
		uint16_t misc; /* of the switch-out before it */
		enum thread_state left_as;
	} cases[] = {
		{NULL, 0, STATE_INACTIVE},
		{"4.17.0-1", 0, STATE_INACTIVE},
		{"4.16.9-1", 0, STATE_UNKNOWN},
		{"3.10.0-9", 0, STATE_UNKNOWN},
		{"3.10.0-9", PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, STATE_INACTIVE},
		{"5.4.0\0--", 0, STATE_INACTIVE},
		{"release ", 0, STATE_INACTIVE},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		struct perfdata_bytes file = {.no_tracepoints = true,
					      .release = cases[i / 2].release};
		struct event_source *source;
		struct event event;
		struct err err;

		add_context_switch(&file, 1000, 1, 202,
				   PERF_RECORD_MISC_SWITCH_OUT | cases[i / 2].misc);
		add_context_switch(&file, 1500, 1, 202, PERF_RECORD_MISC_SWITCH_OUT);
		source = i % 2 ? open_bytes(perfdata_stream(&file)) : open_file(&file);
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.state, cases[i / 2].left_as);
		event_source_free(source);
	}
}

static void samples_alone_tell_which_threads_there_are(void **state)
{
	static const struct expected want[] = {
		{0, EVENT_GAP, STATE_NONE, -1, -1, -1, -1, -1},
		{0, EVENT_TASK, STATE_NONE, 0, 100, 101, -1, -1},
		{1000, EVENT_SAMPLED, STATE_NONE, 1, 100, 101, -1, -1},
		{2000, EVENT_FORK, STATE_NONE, 0, 100, 101, 100, 102},
		{2000, EVENT_GAP, STATE_NONE, -1, 100, 101, 100, 102},
		{2500, EVENT_SAMPLED, STATE_NONE, 1, 100, 102, -1, -1},
		{3000, EVENT_SAMPLED, STATE_NONE, 0, 100, 102, -1, -1},
		{3000, EVENT_END, STATE_NONE, 0, 100, 102, -1, -1},
	};
	struct perfdata_bytes file = {
		.no_tracepoints = true, .no_switches = true, .with_samples = true};
	struct event_source *source;
	struct quality quality;

	(void)state;
	add_comm(&file, 100, 101, "w");
	add_sample(&file, 1000, 1, 101, 0x1000);
	add_fork(&file, 2000, 100, 100, 101, 102);
	add_sample(&file, 2500, 1, 102, 0x1000);
	add_exit(&file, 3000, 100, 102);
	add_sample(&file, 3200, 1, -1, 0x1000);
	source = open_file(&file);
	source->samples.suffice = source->samples.timed = true;
	quality = ASSERT_EVENTS(source, want);
	assert_true(is_clean(&quality));
	assert_int_equal(quality.nameless_samples, 1);
}

static void with_tracepoints_an_exit_is_not_the_end(void **state)
{
	const struct expected want[] = {two_switches[0],
					two_switches[1],
					{1700, EVENT_LAST, STATE_NONE, 0, 100, 6, -1, -1},
					two_switches[2]};
	struct perfdata_bytes file = {0};

	(void)state;
	add_two_switches(&file);
	add_exit(&file, 1700, 100, 6); /* its last switch is still to come */
	ASSERT_EVENTS(open_file(&file), want);
}

static void if_a_filter_may_drop_the_last_switch_an_exit_is_the_end(void **state)
{
	static const struct {
		const char *command;
		enum event_kind kind;
	} cases[] = {
		{"perf record -a -e sched:sched_switch --filter prev_state!=16 x", EVENT_END},
		{"perf record -a -e sched:sched_waking --filter comm~x x", EVENT_LAST},
		{"perf record -C 0 -e sched:sched_switch x", EVENT_LAST},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct expected want[] = {
			two_switches[0],
			two_switches[1],
			{1700, cases[i].kind, STATE_NONE, 0, 100, 6, -1, -1},
			two_switches[2]};
		struct perfdata_bytes file = {.cmdline = cases[i].command};

		add_two_switches(&file);
		add_exit(&file, 1700, 100, 6);
		ASSERT_EVENTS(open_file(&file), want);
	}
}

static void add_thread_map(struct perfdata_bytes *file, const int64_t *tids, size_t count)
{
	static const char comm[16] = "a";
	struct bytes body = {0};

	put_u64(&body, count);
	for (size_t i = 0; i < count; i++) {
		put_u64(&body, (uint64_t)tids[i]);
		put(&body, comm, sizeof(comm));
	}
	add_record(file, PERFDATA_RECORD_THREAD_MAP, 0, &body);
}

/* perf record without -a: a thread has no record after its end. */
static void the_threads_that_perf_was_told_to_record_are_the_target(void **state)
{
	const struct expected ends[] = {two_switches[0],
					two_switches[1],
					{1700, EVENT_END, STATE_NONE, 0, 100, 6, -1, -1},
					two_switches[2]};
	struct perfdata_bytes file = {.no_inherit = true};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_thread_map(&file, (const int64_t[]){9, 6}, 2);
	add_two_switches(&file);
	add_exit(&file, 1700, 100, 6);
	source = open_file(&file);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(source->target.tid_count, 2);
	assert_int_equal(source->target.tids[0], 6);
	assert_int_equal(source->target.tids[1], 9);
	assert_true(source->target.alone); /* the events are not inherited */
	assert_events(source, ends + 1, 3);
}

static void threads_to_record_in_a_namespace_are_those_of_the_host(void **state)
{
	struct perfdata_bytes file = {0};
	struct event_source *source;
	const int32_t *tids;
	struct event event;
	struct err err;

	(void)state;
	add_thread_map(&file, (const int64_t[]){2, 7, 9}, 3);
	add_inside(&file, 2000, 2, 502, 503);
	for (int round = 0; round < 3; round++)
		add_round(&file);
	add_inside(&file, 3000, 7, 507, 502);
	source = open_file(&file);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	tids = source->target.tids;
	assert_int_equal(source->target.tid_count, 3);
	assert_int_equal(tids[2], 502);
	assert_true(tids[0] < 0 && tids[1] < 0); /* not known yet */
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.tid, 507);
	assert_ptr_equal(source->target.tids, tids); /* a timeline borrows them */
	assert_true(tids[0] < 0);		     /* never known */
	assert_int_equal(tids[1], 502);
	assert_int_equal(tids[2], 507);
	event_source_free(source);
}

static void if_perf_recorded_all_threads_no_thread_is_the_target(void **state)
{
	struct perfdata_bytes file = {0};
	struct event_source *source;
	struct event event;
	struct err err;

	(void)state;
	add_thread_map(&file, (const int64_t[]){-1}, 1);
	add_two_switches(&file);
	source = open_file(&file);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(source->target.tid_count, 0);
	assert_false(source->quality.partial);
	event_source_free(source);
}

static void the_command_tells_if_switches_were_left_out(void **state)
{
	static const struct {
		const char *command;
		bool filtered, partial;
	} cases[] = {
		{"perf record -a -e sched:sched_switch", false, false},
		{"perf record -a -e sched:sched_switch --filter prev_comm~x* x", true, true},
		{"perf record -a -e sched:sched_switch --filter=common_pid==5", true, true},
		{"perf record -a -e sched:sched_wakeup --filter comm~x* prev_x", false, false},
		{"/usr/bin/perf record -C 0 -e sched:sched_switch x", true, true},
		{"perf record -ie sched:sched_switch -aC0-2", true, true},
		{"perf record --cpu=0", true, true},
		{"perf record -a -G one -e sched:sched_switch", true, true},
		{"perf sched record --cgroup one", true, true},
		{"perf record -a --exclude-perf sleep 1", false, true},
		{"perf record -a -o -C sleep 1", false, false},
		{"perf record -oC -eG -ag x -C 1 --exclude-perf", false, false},
		{"perf record -a -- x -C 1", false, false},
		{"perf record -p 5 x -G one", false, false},
		{"perf record -a --switch-events ./x -C 1", false, false},
		{"perf record -a --no-buffering ./x -C 1", false, false},
		{"perf record -a --switch-output ./x -C 1", false, false},
		{"perf record -a --switch-output-event e -C 1 x", true, true},
		{"perf record -a --output x -C 1", true, true},
		{"perf record -a --out --exclude-perf x", false, false},
		{"perf record -a --call-graph dwarf ./x --cgroup one", false, false},
		{"perf record -a --call dwarf --cpu 1 ./x", true, true},
		{"perf record -a --filt next_pid==5 x", true, true},
		{"pscal record --cgroup one", false, false},
		{"perf -C", false, false},
		{"", false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_bytes file = {.cmdline = cases[i].command};
		struct event_source *source;

		add_two_switches(&file);
		source = open_file(&file);
		assert_int_equal(source->target.filtered, cases[i].filtered);
		assert_int_equal(source->quality.partial, cases[i].partial);
		event_source_free(source);
	}
}

/* The words of a recorder's command line, as in the section CMDLINE; returns its size. */
static size_t put_words(char bytes[256], const char *const *words)
{
	uint32_t count = 0;
	size_t at = sizeof(count);

	for (; words[count]; count++) {
		uint32_t size = (uint32_t)strlen(words[count]) + 1;

		assert_in_range(at + sizeof(size) + size, 0, 255);
		memcpy(bytes + at, &size, sizeof(size));
		memcpy(bytes + at + sizeof(size), words[count], size);
		at += sizeof(size) + size;
	}
	memcpy(bytes, &count, sizeof(count));
	return at;
}

static void the_recorded_command_follows_the_options_of_the_recorder(void **state)
{
	static const struct {
		const char *words[8], *text;
	} cases[] = {
		{{"/usr/bin/perf", "record", "-o", "x", "./a", "-b"}, "./a -b"},
		{{"perf", "sched", "record", "--", "./a"}, "./a"},
		{{"pscal", "record", "-o", "x", "--", "./a", "b c"}, "./a 'b c'"},
		{{"pscal record", "-o", "x", "--", "./a", "--", "b"}, "./a -- b"},
		{{"/opt/bin/pscal run", "--", "./a"}, "./a"},
		{{"pscal record", "-p", "5"}, "'pscal record' -p 5"},
		{{"pscalar", "--", "./a"}, "pscalar -- ./a"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char bytes[256], *text;

		text = perfdata_command_text(bytes, put_words(bytes, cases[i].words), false);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* --- Overwritten rings --------------------------------------------------------------------- */

/* Each flush of a ring has its newest record first, and tells nothing about other rings. */
static void overwritten_rings_are_put_in_order(void **state)
{
	static const struct expected want[] = {
		{1000, EVENT_SWITCH, STATE_SLEEPING, 1, 100, 7, -1, 8},
		{2000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 5, -1, 6},
		{3000, EVENT_SWITCH, STATE_SLEEPING, 1, 100, 8, -1, 7},
		{4000, EVENT_SWITCH, STATE_SLEEPING, 0, 100, 6, -1, 5},
	};
	struct perfdata_bytes file = {.backward = true};
	struct quality quality;

	(void)state;
	add_switch(&file, 4000, 0, 6, 1, 5);
	add_round(&file);
	add_switch(&file, 2000, 0, 5, 1, 6);
	add_round(&file);
	add_round(&file);
	add_switch(&file, 3000, 1, 8, 1, 7);
	add_round(&file);
	add_round(&file);
	add_switch(&file, 1000, 1, 7, 1, 8);
	quality = ASSERT_EVENTS(open_file(&file), want);
	assert_true(is_clean(&quality));
}

/* --- Partial copies ------------------------------------------------------------------------ */

/* Recordings of pscal tell the place of their sections at their begin, and from time to time. */
static void a_recording_that_was_cut_off_is_read_as_far_as_it_goes(void **state)
{
	struct perfdata_bytes file = {.target = "pscal 1\nroot 5\nend_ns 9000\n"};
	struct perfdata_header header;
	struct bytes note = {0}, whole;
	size_t note_at, data_end;

	(void)state;
	add_note(&file, PERFDATA_NOTE_TEXT_END, "pscal 1\nroot 5\n");
	note_at = file.data.count;
	for (int i = 0; i < 3; i++)
		put_u64(&note, 0);
	add_record(&file, PERFDATA_RECORD_NOTE, PERFDATA_NOTE_TABLE, &note);
	add_two_switches(&file);
	whole = perfdata_join(&file);
	memcpy(&header, whole.at, sizeof(header));
	data_end = header.data.offset + header.data.size;
	/* The section comes before the data in such a file; here it is after them. */
	memcpy(whole.at + header.data.offset + note_at + 16, whole.at + data_end, 16);
	header.data.size = whole.count; /* so the file seems to end in its data */
	memcpy(whole.at, &header, sizeof(header));
	{
		struct event_source *source = open_bytes(whole);
		struct event event;
		struct err err;

		assert_int_equal(source->target.root_count, 1);
		for (size_t i = 0; i < COUNT(two_switches); i++) {
			assert_int_equal(event_source_next(source, &event, &err), 1);
			assert_int_equal(event.time_ns, two_switches[i].time_ns);
		}
		while (event_source_next(source, &event, &err) > 0)
			;
		assert_true(source->quality.truncated);
		event_source_free(source);
	}
}

/* --- The other byte order ------------------------------------------------------------------ */

/* One record of each known kind. */
static void add_all_kinds(struct perfdata_bytes *file)
{
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct bytes words = {0};

	add_comm(file, 100, 101, "a name of 15 by");
	add_fork(file, 900, 100, 200, 101, 202);
	add_two_switches(file);
	add_round(file);
	add_context_switch(file, 2100, 1, 5, out);
	add_lost(file, 2200, 0, 17);
	put_u64(&words, 4); /* LOST_SAMPLES */
	add_other(file, PERF_RECORD_LOST_SAMPLES, 0, &words, 2300, 0, 5);
	words = (struct bytes){0};
	put_pair(&words, 100, 5);
	add_other(file, PERF_RECORD_SWITCH_CPU_WIDE, 0, &words, 2400, 1, 5);
	words = (struct bytes){0};
	put_pair(&words, 100, 5);
	put_u64(&words, 42);
	add_other(file, PERF_RECORD_READ, 0, &words, 2500, 1, 5);
	add_round(file);
	add_exit(file, 2600, 100, 5);
	add_waking(file, 2700, 1, 7, 5);
}

static bool is_same(const struct event *a, const struct event *b)
{
	return a->time_ns == b->time_ns && a->kind == b->kind && a->state == b->state &&
	       a->cpu == b->cpu && a->pid == b->pid && a->tid == b->tid &&
	       a->other_pid == b->other_pid && a->other == b->other && a->ran_ns == b->ran_ns &&
	       a->place == b->place && strcmp(a->comm, b->comm) == 0 &&
	       strcmp(a->other_comm, b->other_comm) == 0;
}

/* Reads both sources to the end and frees them. Returns the number of events. */
static size_t assert_same_events(struct event_source *one, struct event_source *other)
{
	size_t count = 0;
	struct event a, b;
	struct err err;

	while (event_source_next(one, &a, &err) > 0) {
		assert_int_equal(event_source_next(other, &b, &err), 1);
		if (!is_same(&a, &b))
			fail_msg("event %zu: kind %d and %d, tid %d and %d, cpu %d and %d", count,
				 (int)a.kind, (int)b.kind, a.tid, b.tid, a.cpu, b.cpu);
		count++;
	}
	assert_int_equal(event_source_next(other, &b, &err), 0);
	assert_memory_equal(&one->quality, &other->quality, sizeof(one->quality));
	assert_int_equal(one->target.root_count, other->target.root_count);
	assert_int_equal(one->counts.row_count, other->counts.row_count);
	assert_int_equal(one->counts.rows[0].value, other->counts.rows[0].value);
	event_source_free(one);
	event_source_free(other);
	return count;
}

static void a_file_of_the_other_byte_order_has_the_same_events(void **state)
{
	(void)state;
	for (int shape = 0; shape < 4; shape++) {
		struct perfdata_bytes file = {.target = "pscal 1\nroot 5\nend_ns 9000\n",
					      .no_tracepoints = shape & 1};
		struct bytes native, swapped = {0};

		add_all_kinds(&file);
		native = shape & 2 ? perfdata_stream(&file) : perfdata_join(&file);
		put(&swapped, native.at, native.count);
		swap_perfdata(swapped.at, swapped.count);
		assert_memory_not_equal(native.at, swapped.at, 16);
		assert_true(assert_same_events(open_bytes(native), open_bytes(swapped)) >= 7);
	}
}

/* Threads that existed before come last, after many rounds. */
static struct bytes make_file(const char *cmdline)
{
	struct perfdata_bytes file = {.cmdline = cmdline};

	for (uint64_t i = 0; i < 4; i++) {
		add_switch(&file, 1000 + i, 0, 5, 1, 6);
		add_round(&file);
	}
	add_fork(&file, 1500, 5, 5, 5, 7); /* this thread is new, so its fork stays in place */
	add_fork(&file, 0, 1, 50, 1, 5);
	add_comm(&file, 50, 5, "late");
	return perfdata_join(&file);
}

/* The kinds of events as letters; lower case for events that name threads. */
static void check_input(const char *path, const char *want)
{
	static const char letters[] = {
		[EVENT_SWITCH] = 'S', [EVENT_FORK] = 'F', [EVENT_TASK] = 't'};
	struct event_source *source;
	char got[32] = "", *at = got;
	struct err err = {.text = ""};
	struct event event;

	source = trace_input_read(input_open(path, INPUT_OF_ANYONE, &err), &err);
	assert_non_null(source);
	while (event_source_next(source, &event, &err) > 0 && at < got + sizeof(got) - 1)
		*at++ = letters[event.kind];
	assert_string_equal(got, want);
	assert_int_equal(source->quality.malformed, 0);
	event_source_free(source);
}

static void check(const char *cmdline, const char *want)
{
	struct bytes bytes = make_file(cmdline);

	check_input(file_with(bytes.at, bytes.count), want);
	free(bytes.at);
}

static void names_at_the_end_of_a_file_come_first(void **state)
{
	(void)state;
	check("perf record --tail-synthesize", "ttSSSSF");
}

static void a_file_is_not_read_twice_without_need(void **state)
{
	(void)state;
	check("perf record", "SSSttSF");
	check(NULL, "SSSttSF");
}

/* `pscal profile < perf.data`: a file without a name. */
static void standard_input_is_read_twice_too(void **state)
{
	struct bytes bytes = make_file("perf record --tail-synthesize");
	int own = dup(STDIN_FILENO), fd = open(file_with(bytes.at, bytes.count), O_RDONLY);

	(void)state;
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	check_input("-", "ttSSSSF");
	if (own >= 0)
		dup2(own, STDIN_FILENO);
	close(own);
	close(fd);
	free(bytes.at);
}

/* Refused with this sentence, both as a file and as a stream. */
static void assert_refused(const struct perfdata_bytes *what, const char *why)
{
	for (int stream = 0; stream < 2; stream++) {
		struct perfdata_bytes file = *what;
		struct bytes whole;
		struct err err = {.text = ""};
		char path[64];

		file.data = (struct bytes){0};
		put(&file.data, what->data.at, what->data.count);
		whole = stream ? perfdata_stream(&file) : perfdata_join(&file);
		assert_null(perfdata_open(&whole, path, &err));
		if (!strstr(err.text, why))
			fail_msg("said '%s', not '%s'", err.text, why);
		free(whole.at);
	}
	free(what->data.at);
}

static void times_of_different_clocks_are_refused(void **state)
{
	struct perfdata_bytes file = {.other_clock = true};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	assert_refused(&file, "different clocks, that of perf and CLOCK_MONOTONIC");
}

static void aux_traces_alone_are_refused_by_their_name(void **state)
{
	static const struct {
		uint32_t type;
		const char *said;
	} cases[] = {
		{PERFDATA_AUX_INTEL_PT, "AUX traces (of intel_pt)"},
		{PERFDATA_AUX_CS_ETM, "AUX traces (of cs_etm)"},
		{UINT32_MAX, "AUX traces (of an unknown kind)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = {.no_tracepoints = true, .no_trailers = true};
		struct bytes info = {0}, aux = {0};

		put_u32(&info, cases[i].type);
		put_u32(&info, 0);
		add_record(&file, PERFDATA_RECORD_AUXTRACE_INFO, 0, &info);
		put_u64(&aux, 5);
		add_record(&file, PERFDATA_RECORD_AUXTRACE, 0, &aux);
		put(&file.data, "trace", 5);
		assert_refused(&file, cases[i].said);
	}
}

static void a_file_without_switches_is_refused_with_a_way_to_record_them(void **state)
{
	struct perfdata_bytes file = {.no_tracepoints = true, .no_trailers = true};

	(void)state;
	add_comm(&file, 100, 5, "x");
	assert_refused(&file, "holds no scheduling events; record some with 'pscal record'");
}

static void samples_of_other_events_than_clocks_are_named_as_the_reason(void **state)
{
	struct perfdata_bytes file = {.no_tracepoints = true,
				      .no_switches = true,
				      .no_trailers = true,
				      .period = {1000000}};

	(void)state;
	add_comm(&file, 100, 5, "x");
	assert_refused(&file, "holds no scheduling events, and its samples are not of a clock");
}

/* A proper end can only add what an interrupted file with tracepoints lacks. */
static void an_interrupted_file_needs_another_end_for_tracepoints_only(void **state)
{
	static const struct {
		bool no_tracepoints;
		const char *why;
	} cases[] = {{false, "or end perf with Ctrl-C"},
		     {true, "holds no scheduling events; record some with 'pscal record'"}};
	const size_t data_size_at = 48; /* perf_file_header, data.size */

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_bytes file = {.no_tracepoints = cases[i].no_tracepoints,
					      .no_switches = true,
					      .no_trailers = cases[i].no_tracepoints};
		struct err err = {.text = ""};
		struct bytes whole;
		char path[64];

		add_comm(&file, 100, 5, "x");
		whole = perfdata_join(&file);
		memset(whole.at + data_size_at, 0, sizeof(uint64_t));
		assert_null(perfdata_open(&whole, path, &err));
		if (!strstr(err.text, cases[i].why))
			fail_msg("said '%s', not '%s'", err.text, cases[i].why);
		free(whole.at);
	}
}

static void only_switches_need_all_fields(void **state)
{
	struct perfdata_bytes file = {.lacks = {PERF_SAMPLE_RAW, 0}};
	struct perfdata_bytes other = {.lacks = {0, PERF_SAMPLE_RAW}};
	struct event_source *source;
	struct err err = {.text = ""};
	struct event event;
	struct bytes whole;
	char path[64];

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	assert_refused(&file, "has switches without times or fields");
	add_waking(&other, 900, 0, 5, 6);
	add_switch(&other, 1000, 0, 5, 1, 6);
	whole = perfdata_join(&other);
	source = perfdata_open(&whole, path, &err);
	assert_non_null(source);
	assert_true(source->quality.no_wakes);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_SWITCH);
	assert_int_equal(event_source_next(source, &event, &err), 0);
	event_source_free(source);
	free(whole.at);
}

static void switches_that_were_only_sampled_are_refused(void **state)
{
	static const struct {
		struct perfdata_bytes file;
		const char *said;
	} cases[] = {
		{{.freq = {99, 0}}, "(-F 99): switches are missing"},
		{{.period = {100, 0}}, "(-c 100): switches are missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = cases[i].file;

		add_switch(&file, 1000, 0, 5, 1, 6);
		assert_refused(&file, cases[i].said);
	}
}

static void sampled_wakes_are_ignored_and_counted(void **state)
{
	static const struct {
		struct perfdata_bytes file;
		uint64_t passed_over;
	} cases[] = {{{.period = {1, 1}}, 0}, {{.period = {1, 2}}, 1}, {{.freq = {0, 99}}, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = cases[i].file;
		struct event_source *source;
		struct err err = {.text = ""};
		struct event event;
		struct bytes whole;
		char path[64];

		add_waking(&file, 900, 0, 5, 6);
		add_switch(&file, 1000, 0, 5, 1, 6);
		whole = perfdata_join(&file);
		source = perfdata_open(&whole, path, &err);
		assert_non_null(source);
		assert_int_equal(source->quality.no_wakes, cases[i].passed_over > 0);
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, cases[i].passed_over ? EVENT_SWITCH : EVENT_WAKE);
		assert_int_equal(source->quality.sampled_events, cases[i].passed_over);
		event_source_free(source);
		free(whole.at);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_of_impossible_times_are_counted_and_ignored),
	cmocka_unit_test(an_impossible_span_is_dropped_soon),
	cmocka_unit_test(samples_of_two_cpus_come_in_the_order_of_their_times),
	cmocka_unit_test(a_round_may_announce_older_events),
	cmocka_unit_test(calls_are_at_the_time_of_their_begin),
	cmocka_unit_test(an_event_has_the_call_chain_of_its_thread),
	cmocka_unit_test(names_come_with_payloads_and_comm_records),
	cmocka_unit_test(a_fork_is_a_birth_unless_the_tracepoint_tells_it),
	cmocka_unit_test(a_fork_of_two_times_is_counted_and_ignored),
	cmocka_unit_test(switch_records_tell_which_thread_has_a_cpu),
	cmocka_unit_test(lost_records_leave_a_gap_from_the_last_record_before),
	cmocka_unit_test(lost_records_in_a_sum_at_the_end_count_once),
	cmocka_unit_test(records_lost_after_the_last_one_are_lost_on_any_cpu),
	cmocka_unit_test(other_records_are_skipped_by_their_size),
	cmocka_unit_test(records_of_no_kind_and_short_ones_are_counted_and_skipped),
	cmocka_unit_test(without_trailers_the_samples_still_count),
	cmocka_unit_test(a_sample_of_an_unknown_event_is_counted_and_ignored),
	cmocka_unit_test(numbers_of_a_namespace_become_those_of_the_host),
	cmocka_unit_test(in_a_container_the_payload_is_right_and_the_process_unknown),
	cmocka_unit_test(counts_of_threads_come_beside_the_events),
	cmocka_unit_test(events_are_named_once),
	cmocka_unit_test(the_target_is_that_of_the_recorder),
	cmocka_unit_test(data_that_end_in_a_record_are_read_up_to_it),
	cmocka_unit_test(a_stream_has_records_in_place_of_sections),
	cmocka_unit_test(a_stream_is_read_from_a_pipe),
	cmocka_unit_test(the_text_at_the_end_of_a_stream_adds_facts),
	cmocka_unit_test(a_recording_without_a_time_of_its_end_was_interrupted),
	cmocka_unit_test(a_stream_has_the_text_of_a_pause_after_it),
	cmocka_unit_test(an_early_end_of_calls_is_reported),
	cmocka_unit_test(an_interrupted_file_is_described_by_its_notes),
	cmocka_unit_test(a_section_replaces_notes),
	cmocka_unit_test(compressed_records_are_read_wherever_they_are_cut),
	cmocka_unit_test(records_that_cannot_be_unpacked_end_the_data),
	cmocka_unit_test(without_tracepoints_switch_records_and_ends_tell),
	cmocka_unit_test(kernels_before_4_17_do_not_tell_preemptions),
	cmocka_unit_test(samples_alone_tell_which_threads_there_are),
	cmocka_unit_test(with_tracepoints_an_exit_is_not_the_end),
	cmocka_unit_test(if_a_filter_may_drop_the_last_switch_an_exit_is_the_end),
	cmocka_unit_test(the_threads_that_perf_was_told_to_record_are_the_target),
	cmocka_unit_test(threads_to_record_in_a_namespace_are_those_of_the_host),
	cmocka_unit_test(if_perf_recorded_all_threads_no_thread_is_the_target),
	cmocka_unit_test(the_command_tells_if_switches_were_left_out),
	cmocka_unit_test(the_recorded_command_follows_the_options_of_the_recorder),
	cmocka_unit_test(overwritten_rings_are_put_in_order),
	cmocka_unit_test(a_recording_that_was_cut_off_is_read_as_far_as_it_goes),
	cmocka_unit_test(a_file_of_the_other_byte_order_has_the_same_events),
	cmocka_unit_test(names_at_the_end_of_a_file_come_first),
	cmocka_unit_test(standard_input_is_read_twice_too),
	cmocka_unit_test(a_file_is_not_read_twice_without_need),
	cmocka_unit_test(times_of_different_clocks_are_refused),
	cmocka_unit_test(aux_traces_alone_are_refused_by_their_name),
	cmocka_unit_test(only_switches_need_all_fields),
	cmocka_unit_test(a_file_without_switches_is_refused_with_a_way_to_record_them),
	cmocka_unit_test(samples_of_other_events_than_clocks_are_named_as_the_reason),
	cmocka_unit_test(an_interrupted_file_needs_another_end_for_tracepoints_only),
	cmocka_unit_test(switches_that_were_only_sampled_are_refused),
	cmocka_unit_test(sampled_wakes_are_ignored_and_counted),
};

TEST_FILE(tests);
