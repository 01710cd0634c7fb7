/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "support.h"

#include "decode/event/quality.h"
#include "decode/event/samples.h"
#include "decode/kernel/order.h"
#include "decode/recording_bytes.h"
#include "perfdata/perfdata_file.h"

#include <stdio.h>

enum {
	SWITCH_ID = 11,
	START_ID = 12,
	SWITCH_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	CLOCK_TYPE = SWITCH_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		     PERF_SAMPLE_STACK_USER,
	CPU = 1,
};

static void add_attr(struct perfdata_source *source, const struct perf_event_attr *attr,
		     uint64_t id)
{
	struct bytes body = {0};

	put(&body, attr, sizeof(*attr));
	put_u64(&body, id);
	assert_int_equal(perfdata_file_add(&source->file, body.at, body.count), 0);
	free(body.at);
}

static void add_event(struct perfdata_source *source, uint64_t sample_type, uint64_t id,
		      uint64_t config)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = config,
					     .sample_type = sample_type,
					     .sample_id_all = 1};

	add_attr(source, &attr, id);
}

static void make(struct perfdata_source *source)
{
	*source = (struct perfdata_source){.order = order_new()};
	add_event(source, SWITCH_TYPE, SWITCH_ID, PERF_COUNT_SW_DUMMY);
	add_event(source, CLOCK_TYPE, PERFDATA_ASIDE_ID, PERF_COUNT_SW_CPU_CLOCK);
}

static void release(struct perfdata_source *source)
{
	perfdata_events_release(source);
	samples_release(&source->base.samples);
	perfdata_file_release(&source->file);
	order_free(source->order);
}

static void read_record(struct perfdata_source *source, uint32_t type, struct bytes *body)
{
	const struct perfdata_record record = {
		.header = {.type = type, .size = (uint16_t)(8 + body->count)},
		.body = body->at,
		.length = body->count,
	};

	perfdata_events_read(source, &record);
	free(body->at);
}

static void put_trailer(struct bytes *body, uint64_t time_ns, uint64_t id)
{
	put_u32(body, 100);
	put_u32(body, 101);
	put_u64(body, time_ns);
	put_u64(body, CPU);
	put_u64(body, id);
}

static void read_switch(struct perfdata_source *source, uint64_t time_ns)
{
	struct bytes body = {0};

	put_trailer(&body, time_ns, SWITCH_ID);
	read_record(source, PERF_RECORD_SWITCH, &body);
}

static void read_lost(struct perfdata_source *source, uint64_t time_ns, uint64_t id, uint64_t lost)
{
	struct bytes body = {0};

	put_u64(&body, id);
	put_u64(&body, lost);
	put_trailer(&body, time_ns, id);
	read_record(source, PERF_RECORD_LOST, &body);
}

/* A sample as of --call-graph dwarf. */
static void read_clock(struct perfdata_source *source, uint64_t time_ns)
{
	struct bytes body = {0};

	put_u64(&body, PERFDATA_ASIDE_ID);
	put_u64(&body, 0xdead); /* IP */
	put_u32(&body, 100);
	put_u32(&body, 101);
	put_u64(&body, time_ns);
	put_u64(&body, CPU);
	put_u64(&body, 1); /* CALLCHAIN */
	put_u64(&body, PERF_CONTEXT_USER);
	put_u64(&body, PERF_SAMPLE_REGS_ABI_64);
	put_u64(&body, 0xb0);
	put_u64(&body, 8); /* STACK_USER: size, bytes, size of the copied part */
	put_u64(&body, 0x1234);
	put_u64(&body, 8);
	read_record(source, PERF_RECORD_SAMPLE, &body);
}

/* A sample of the kernel's three events of page faults, see collect/samples/sampler_events.h. */
static void read_fault(struct perfdata_source *source, uint64_t time_ns, uint64_t config)
{
	struct bytes body = {0};

	put_u64(&body, PERFDATA_ASIDE_ID + config);
	put_u64(&body, 0xdead);
	put_u32(&body, 100);
	put_u32(&body, 101);
	put_u64(&body, time_ns);
	put_u64(&body, CPU);
	read_record(source, PERF_RECORD_SAMPLE, &body);
}

/* The resulting events, each as its time and kind: "1000i 1000g". */
static void check_events(struct perfdata_source *source, const char *want)
{
	char text[256] = "";
	struct event event;

	order_finish(source->order);
	while (order_pop(source->order, &event)) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%llu%c", used ? " " : "",
			 (unsigned long long)event.time_ns,
			 event.kind == EVENT_SWITCH_IN	 ? 'i'
			 : event.kind == EVENT_GAP	 ? 'g'
			 : event.kind == EVENT_FAULT	 ? 'f'
			 : event.kind == EVENT_FAULT_END ? 'e'
							 : '?');
	}
	assert_string_equal(text, want);
}

static void samples_of_running_threads_are_no_events(void **state)
{
	struct perfdata_source source;

	(void)state;
	make(&source);
	read_switch(&source, 1000);
	read_clock(&source, 2000);
	check_events(&source, "1000i");
	assert_int_equal(source.base.quality.malformed, 0);
	release(&source);
}

static void lost_samples_leave_no_gap(void **state)
{
	struct perfdata_source source;

	(void)state;
	make(&source);
	read_switch(&source, 1000);
	read_lost(&source, 2000, PERFDATA_ASIDE_ID, 17);
	check_events(&source, "1000i");
	assert_int_equal(source.base.quality.lost, 0);
	release(&source);
}

static void samples_do_not_tell_the_time_of_the_switches(void **state)
{
	struct perfdata_source source;

	(void)state;
	make(&source);
	read_switch(&source, 1000);
	read_clock(&source, 2000);
	read_lost(&source, 2500, PERFDATA_ASIDE_ID, 1);
	read_lost(&source, 3000, SWITCH_ID, 5);
	check_events(&source, "1000i 1000g");
	assert_int_equal(source.base.quality.lost, 5);
	release(&source);
}

static void samples_without_room_are_counted_in_the_quality(void **state)
{
	struct perfdata_source source;

	(void)state;
	make(&source);
	source.base.samples = (struct samples){.timed = true, .row_count = SAMPLES_ROWS_MAX};
	read_clock(&source, 1000);
	read_clock(&source, 2000);
	assert_int_equal(source.base.quality.dropped_samples, 2);
	release(&source);
}

static void page_faults_are_events_on_request(void **state)
{
	static const uint64_t configs[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
					   PERF_COUNT_SW_PAGE_FAULTS_MAJ,
					   PERF_COUNT_SW_CONTEXT_SWITCHES};

	(void)state;
	for (int wanted = 0; wanted < 2; wanted++) {
		struct perfdata_source source;

		make(&source);
		for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++)
			add_event(&source, SWITCH_TYPE | PERF_SAMPLE_IP,
				  PERFDATA_ASIDE_ID + configs[i], configs[i]);
		source.base.wants_faults = wanted;
		read_fault(&source, 1000, PERF_COUNT_SW_PAGE_FAULTS);
		read_fault(&source, 1700, PERF_COUNT_SW_PAGE_FAULTS_MIN);
		read_fault(&source, 2000, PERF_COUNT_SW_PAGE_FAULTS);
		read_fault(&source, 2500, PERF_COUNT_SW_CONTEXT_SWITCHES);
		read_fault(&source, 9000, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
		check_events(&source, wanted ? "1000f 1700e 2000f 9000e" : "");
		release(&source);
	}
}

/* --- Overwritten rings --------------------------------------------------------------------- */

/* Rings of two pages. */
enum { RING_ID = 12, RECORD = 8 + 32, PAGE = 4096 / RECORD, FULL = 8192 / RECORD, SOME = 30 };

/* A record of `bytes`, including its header. */
static void read_backward(struct perfdata_source *source, int32_t cpu, uint64_t time_ns,
			  size_t bytes)
{
	struct bytes body = {0};

	put_u64(&body, RING_ID);
	put_u32(&body, 100);
	put_u32(&body, 101);
	put_u64(&body, time_ns);
	put_u64(&body, (uint32_t)cpu);
	while (body.count < bytes - 8)
		put_u64(&body, 0);
	read_record(source, PERF_RECORD_SAMPLE, &body);
}

/* `count` records, one each nanosecond, the newest first as in such rings. */
static void fill(struct perfdata_source *source, int32_t cpu, uint64_t begin_ns, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		read_backward(source, cpu, begin_ns + i, RECORD);
}

static void make_overwritten(struct perfdata_source *source)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_DUMMY,
					     .sample_type = SWITCH_TYPE,
					     .sample_id_all = 1,
					     .write_backward = 1};

	*source = (struct perfdata_source){.order = order_new()};
	add_attr(source, &attr, RING_ID);
}

static void events_are_complete_from_the_begin_of_the_last_full_ring(void **state)
{
	static const struct {
		unsigned records[2]; /* of each CPU; begin at 1000 and at 5000 */
		uint64_t until_ns;
	} cases[] = {
		{{0, 0}, 0},
		{{SOME, SOME}, 0}, /* no record was overwritten */
		{{FULL, 0}, 1000},
		{{FULL, SOME}, 1000}, /* the other CPU was only idle for long */
		{{SOME, FULL}, 5000},
		{{FULL, FULL}, 5000},
		/* Records of one size: a page of them proves nothing if other records are
		 * larger. */
		{{PAGE, 0}, 1000},
		{{PAGE, PAGE + SOME}, 0},
		{{FULL, PAGE}, 1000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_source source;

		make_overwritten(&source);
		fill(&source, 0, 1000, cases[i].records[0]);
		fill(&source, 3, 5000, cases[i].records[1]);
		assert_int_equal(perfdata_events_forgotten(&source), cases[i].until_ns);
		release(&source);
	}
}

static void a_ring_without_room_for_a_record_is_full(void **state)
{
	struct perfdata_source source;

	(void)state;
	make_overwritten(&source);
	for (uint64_t i = 0; i < 8192 / 128 - 1; i++)
		read_backward(&source, 0, 2000 - i, 128);
	assert_int_equal(perfdata_events_forgotten(&source), 2000 - 8192 / 128 + 2);
	release(&source);
}

static void an_impossible_cpu_has_no_ring(void **state)
{
	struct perfdata_source source;

	(void)state;
	make_overwritten(&source);
	fill(&source, -1, 1000, FULL);
	fill(&source, INT32_MAX, 1000, FULL);
	assert_int_equal(perfdata_events_forgotten(&source), 0);
	release(&source);
}

/* See PERFDATA_START_WORDS; `words` of the argument. */
static void read_start(struct perfdata_source *source, uint64_t routine, size_t words)
{
	struct bytes body = {0};

	put_u64(&body, START_ID);
	put_u64(&body, routine);
	put_u32(&body, 100);
	put_u32(&body, 101);
	put_u64(&body, 1000);
	put_u64(&body, CPU);
	put_u64(&body, 2);
	put_u64(&body, PERF_CONTEXT_USER);
	put_u64(&body, routine);
	put_u32(&body, (uint32_t)(8 * words + 4));
	for (size_t i = 0; i < words; i++)
		put_u64(&body, i + 1);
	put_u32(&body, 0);
	read_record(source, PERF_RECORD_SAMPLE, &body);
}

static void starts_of_threads_are_kept_beside_the_events(void **state)
{
	static const size_t words[] = {PERFDATA_START_WORDS, 2, 0, PERFDATA_START_WORDS + 9};
	struct perfdata_source source;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct chain chain;
		struct event event;

		make(&source);
		add_event(&source,
			  SWITCH_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
			  START_ID, PERF_COUNT_SW_DUMMY);
		read_start(&source, 0xabc, words[i]);
		assert_int_equal(source.base.quality.malformed, 0);
		order_finish(source.order);
		assert_true(order_pop(source.order, &event));
		assert_int_equal(event.kind, EVENT_TASK);
		assert_int_equal(event.tid, 101);
		chain = chains_get(&source.base.starts, event.chain);
		assert_int_equal(chain.pid, 100);
		assert_int_equal(chain.count, 1 + PERFDATA_START_WORDS);
		assert_int_equal(chain.frames[0], 0xabc);
		for (size_t j = 0; j < PERFDATA_START_WORDS && j < words[i]; j++)
			assert_int_equal(chain.frames[1 + j], j + 1);
		chains_release(&source.base.starts);
		release(&source);
	}
}

static void read_life(struct perfdata_source *source, uint32_t type)
{
	struct bytes body = {0};

	put_u32(&body, 100);
	put_u32(&body, 100);
	put_u32(&body, 101);
	put_u32(&body, 100);
	put_u64(&body, 1000);
	put_trailer(&body, 1000, START_ID);
	read_record(source, type, &body);
}

/* Samples may be in another ring than the end of their thread, and come behind it in the file. */
static void the_start_of_a_thread_holds_until_another_one_has_its_number(void **state)
{
	static const struct {
		uint32_t type;
		uintptr_t routine;
	} cases[] = {{PERF_RECORD_EXIT, 0xabc}, {PERF_RECORD_FORK, 0}};
	struct perfdata_source source;

	(void)state;
	make(&source);
	add_event(&source, SWITCH_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		  START_ID, PERF_COUNT_SW_DUMMY);
	read_start(&source, 0xabc, PERFDATA_START_WORDS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_life(&source, cases[i].type);
		assert_int_equal(source.base.quality.malformed, 0);
		assert_int_equal((uintptr_t)sparse_get(&source.routines, 101), cases[i].routine);
	}
	chains_release(&source.base.starts);
	release(&source);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_start_of_a_thread_holds_until_another_one_has_its_number),
	cmocka_unit_test(starts_of_threads_are_kept_beside_the_events),
	cmocka_unit_test(samples_of_running_threads_are_no_events),
	cmocka_unit_test(lost_samples_leave_no_gap),
	cmocka_unit_test(samples_do_not_tell_the_time_of_the_switches),
	cmocka_unit_test(samples_without_room_are_counted_in_the_quality),
	cmocka_unit_test(page_faults_are_events_on_request),
	cmocka_unit_test(events_are_complete_from_the_begin_of_the_last_full_ring),
	cmocka_unit_test(a_ring_without_room_for_a_record_is_full),
	cmocka_unit_test(an_impossible_cpu_has_no_ring),
};

TEST_FILE(tests);
