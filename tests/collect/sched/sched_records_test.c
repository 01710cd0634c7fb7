/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/sched_private.h"

#include "collect/recording/recording.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANGERS = 100 }; /* tids of other programs begin here */
enum { SWITCH_TYPE = 372, WAKING_TYPE = 371, OTHER_TYPE = 300, NEXT_PID_OFFSET = 12 };

static const struct sched_records ordinary = {
	.layout = {.next_pid_offset = NEXT_PID_OFFSET},
	.tracepoints = {{.type = SWITCH_TYPE, .id = 70}, {.type = WAKING_TYPE, .id = 71}},
	.tracepoint_count = 2,
	.other_id = 75,
};

/* A recording, and the records that go into it. */
struct fixture {
	struct sched_records records;
	struct lineage lineage;
	struct recording recording;
	size_t ring;
	uint64_t time_ns;
	int32_t state; /* of the thread that leaves its CPU */
};

static struct fixture *begin(const struct sched_records *records)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->records = *records;
	if (!records->layout.tracepoint.head.size)
		sched_layout_init(&fixture->records.layout, false);
	fixture->records.lineage = &fixture->lineage;
	fixture->lineage.proc = "/nowhere";
	for (pid_t tid = 1; tid < STRANGERS; tid++)
		lineage_give_process(&fixture->lineage, tid, 0),
			lineage_give_thread(&fixture->lineage, tid, tid, 0);
	return fixture;
}

static void end(struct fixture *fixture)
{
	sched_records_release(&fixture->records);
	lineage_release(&fixture->lineage);
	recording_drop(&fixture->recording);
	free(fixture);
}

static void put(struct fixture *fixture, const void *record)
{
	sched_records_learn(&fixture->records, record);
	lineage_settle(&fixture->lineage, UINT64_MAX);
	sched_records_complete(&fixture->records, &fixture->recording, fixture->ring, 3, record);
}

/* --- Records as the kernel writes them ----------------------------------------------------- */

static void put_sample(struct fixture *fixture, uint16_t type, int32_t tid, int32_t next)
{
	const struct {
		struct perf_event_header header;
		uint64_t time_ns;
		uint32_t raw_size;
		uint16_t type, flags;
		int32_t tid, other, next;
		uint32_t padding;
	} record = {
		.header = {PERF_RECORD_SAMPLE, 0, sizeof(record)},
		.time_ns = ++fixture->time_ns,
		.raw_size = 20,
		.type = type,
		.tid = tid,
		.other = fixture->state,
		.next = next,
	};

	put(fixture, &record);
}

static void put_switch(struct fixture *fixture, int32_t from, int32_t to)
{
	put_sample(fixture, SWITCH_TYPE, from, to);
}

static void put_side(struct fixture *fixture, uint16_t misc, int32_t tid, int32_t other)
{
	const struct {
		struct perf_event_header header;
		int32_t other_pid, other_tid, pid, tid;
		uint64_t time_ns;
	} record = {
		.header = {PERF_RECORD_SWITCH_CPU_WIDE, misc, sizeof(record)},
		.other_pid = other,
		.other_tid = other,
		.pid = tid,
		.tid = tid,
		.time_ns = ++fixture->time_ns,
	};

	put(fixture, &record);
}

/* A switch with records of PERF_RECORD_SWITCH, beside the tracepoint or alone. */
static void put_sides(struct fixture *fixture, int32_t from, int32_t to)
{
	put_side(fixture, PERF_RECORD_MISC_SWITCH_OUT, from, to);
	put_side(fixture, 0, to, from);
}

static void put_lost(struct fixture *fixture, uint64_t lost)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost, time_ns;
	} record = {{PERF_RECORD_LOST, 0, sizeof(record)}, 4, lost, ++fixture->time_ns};

	put(fixture, &record);
}

static void put_task_in(struct fixture *fixture, uint32_t type, int32_t pid, int32_t tid,
			int32_t parent)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		int32_t own_pid, own_tid;
		uint64_t trailer_ns;
	} record = {
		.header = {type, 0, sizeof(record)},
		.pid = pid,
		.parent_pid = parent,
		.tid = tid,
		.parent_tid = parent,
		.time_ns = fixture->time_ns + 1,
		.own_pid = parent,
		.own_tid = parent,
		.trailer_ns = ++fixture->time_ns,
	};

	put(fixture, &record);
}

static void put_task(struct fixture *fixture, uint32_t type, int32_t tid)
{
	put_task_in(fixture, type, 50, tid, 2);
}

static void put_task_of(struct fixture *fixture, uint32_t type, int32_t pid, int32_t parent)
{
	put_task_in(fixture, type, pid, pid, parent);
}

static void put_comm(struct fixture *fixture, int32_t tid)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[8];
		int32_t own_pid, own_tid;
		uint64_t time_ns;
	} record = {.header = {PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record)},
		    .pid = tid,
		    .tid = tid,
		    .comm = "worker",
		    .own_pid = tid,
		    .own_tid = tid,
		    .time_ns = ++fixture->time_ns};

	put(fixture, &record);
}

/* --- Results ------------------------------------------------------------------------------- */

/* Counts bytes from the begin of a record; negative: from its end. */
static int32_t number_at(const uint8_t *record, ptrdiff_t offset)
{
	struct perf_event_header header;
	int32_t value;

	memcpy(&header, record, sizeof(header));
	memcpy(&value, record + (offset < 0 ? header.size + offset : offset), sizeof(value));
	return value;
}

/* The records of the file, as letters with the thread of each. */
static const char *written(const struct fixture *fixture, char text[256])
{
	static const char letters[] = {
		[PERF_RECORD_LOST] = 'L', [PERF_RECORD_COMM] = 'C',   [PERF_RECORD_EXIT] = 'X',
		[PERF_RECORD_FORK] = 'F', [PERF_RECORD_SAMPLE] = 'S',
	};
	const uint8_t *at = fixture->recording.bytes;
	struct perf_event_header header;

	*text = '\0';
	for (size_t left = fixture->recording.size; left; left -= header.size, at += header.size) {
		bool sample, sides;
		char letter;

		memcpy(&header, at, sizeof(header));
		sample = header.type == PERF_RECORD_SAMPLE;
		sides = header.type == PERF_RECORD_SWITCH ||
			header.type == PERF_RECORD_SWITCH_CPU_WIDE;
		letter = !sides					     ? letters[header.type]
			 : header.misc & PERF_RECORD_MISC_SWITCH_OUT ? 'O'
								     : 'I';
		sprintf(text + strlen(text), "%s%c%d", *text ? " " : "", letter,
			(int)number_at(at, sample ? 20 : -28));
	}
	return text;
}

static void assert_written(const struct fixture *fixture, const char *expected)
{
	char text[256];

	assert_string_equal(written(fixture, text), expected);
}

/* --- Tests --------------------------------------------------------------------------------- */

static void a_sample_gets_id_process_thread_and_cpu(void **state)
{
	struct fixture *fixture = begin(&ordinary);
	const uint8_t *record;

	(void)state;
	put_sample(fixture, WAKING_TYPE, 5, 0);
	record = fixture->recording.bytes;
	assert_int_equal(number_at(record, 8), 71);
	assert_int_equal(number_at(record, 16), 5);
	assert_int_equal(number_at(record, 20), 5);
	assert_int_equal(number_at(record, 24), 1);
	assert_int_equal(number_at(record, 32), 3);
	assert_int_equal(fixture->records.tracepoints[1].received, 1);
	end(fixture);
}

static void an_unrequested_tracepoint_is_left_out(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_sample(fixture, OTHER_TYPE, 5, 0);
	assert_written(fixture, "");
	end(fixture);
}

static void a_stack_is_passed_on_only_for_events_that_have_one_in_the_file(void **state)
{
	const struct {
		struct perf_event_header header;
		uint64_t time_ns, depth, ips[2];
		uint32_t raw_size;
		uint16_t type, flags;
		int32_t tid, other, next;
		uint32_t padding;
	} record = {
		.header = {PERF_RECORD_SAMPLE, 0, sizeof(record)},
		.depth = 2,
		.ips = {PERF_CONTEXT_USER, 0x4711},
		.raw_size = 20,
		.type = SWITCH_TYPE,
		.tid = 5,
		.next = 6,
	};
	struct sched_records records = ordinary;
	struct switch_pair shown;
	struct fixture *fixture;

	(void)state;
	sched_layout_init(&records.layout, true);
	records.tracepoints[0].stack = true;
	fixture = begin(&records);
	put(fixture, &record);
	assert_int_equal(number_at(fixture->recording.bytes, 48), 2);
	assert_int_equal(number_at(fixture->recording.bytes, 64), 0x4711);
	assert_written(fixture, "S0 O5 I6"); /* 0: a part of the address */
	shown = sched_ring(&fixture->records, fixture->ring)->shown;
	assert_int_equal(shown.from, 5);
	assert_int_equal(shown.to, 6);
	end(fixture);
	records.tracepoints[0].stack = false;
	fixture = begin(&records);
	put(fixture, &record);
	assert_int_equal(number_at(fixture->recording.bytes, 40), 20);
	assert_written(fixture, "S5");
	end(fixture);
}

static void records_that_are_cut_short_are_left_out(void **state)
{
	struct {
		struct perf_event_header header;
		uint64_t words[8];
	} record = {.header = {.type = PERF_RECORD_SAMPLE}, .words = {1, UINT64_MAX}};
	struct sched_records records = ordinary;

	(void)state;
	for (int stacks = 0; stacks < 2; stacks++)
		for (uint32_t type = 1; type < 20; type++)
			for (uint16_t size = 8; size <= 24; size = (uint16_t)(size + 8)) {
				struct fixture *fixture;

				sched_layout_init(&records.layout, stacks);
				fixture = begin(&records);
				record.header.type = type;
				record.header.size = size;
				put(fixture, &record);
				assert_int_equal(fixture->recording.size, 0);
				end(fixture);
			}
}

static void the_records_of_a_switch_that_was_shown_are_left_out(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_switch(fixture, 5, 6);
	put_sides(fixture, 5, 6);
	assert_written(fixture, "S5");
	end(fixture);
}

static void a_hidden_switch_out_of_idle_is_one_switch_in(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_switch(fixture, 5, 0);
	put_sides(fixture, 5, 0);
	put_side(fixture, 0, 5, 0);
	put_switch(fixture, 5, 0);
	assert_written(fixture, "S5 I5 S5");
	assert_int_equal(sched_ring(&fixture->records, 0)->hides, HIDDEN_YES);
	assert_int_equal(sched_ring(&fixture->records, 0)->hidden, 1);
	end(fixture);
}

static void a_thread_that_left_unseen_is_known_from_the_next_switch(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_switch(fixture, 5, 6);
	put_side(fixture, 0, 7, 6);
	put_switch(fixture, 7, 8);
	put_side(fixture, 0, 0, 8);
	put_switch(fixture, 0, STRANGERS);
	put_side(fixture, 0, 0, STRANGERS);
	put_switch(fixture, 0, 9);
	put_side(fixture, 0, -1, 9); /* a thread that has ended gets the CPU */
	assert_written(fixture, "S5 I7 S7 I0 S0 I0 S0 I-1");
	assert_true(pid_set_has(&fixture->records.unseen, 9));
	assert_true(pid_set_has(&fixture->records.unseen, 6));
	assert_true(pid_set_has(&fixture->records.unseen, 8));
	assert_false(pid_set_has(&fixture->records.unseen, STRANGERS));
	end(fixture);
}

static void records_before_a_hidden_switch_do_not_affect_the_next(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_switch(fixture, 5, 6);
	put_sides(fixture, 6, 5); /* hidden */
	put_sides(fixture, 5, 6); /* hidden */
	assert_written(fixture, "S5 O6 I5 O5 I6");
	end(fixture);
}

static void records_before_a_loss_do_not_affect_later_ones(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_switch(fixture, 5, 6);
	put_lost(fixture, 9);
	put_side(fixture, 0, 6, 5);
	assert_written(fixture, "S5 L0 I6");
	assert_int_equal(fixture->records.lost, 9);
	end(fixture);
}

static void each_cpu_has_its_own_switches(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	fixture->ring = 0;
	put_switch(fixture, 5, 6);
	fixture->ring = 7;
	put_side(fixture, 0, 6, 5);
	fixture->ring = 0;
	put_side(fixture, 0, 6, 5);
	assert_written(fixture, "S5 I6");
	end(fixture);
}

static void a_ring_shows_whether_its_cpu_hides_switches(void **state)
{
	static const struct {
		int32_t pairs[3][2];
		enum hidden hides;
	} cases[] = {
		{{{11, 12}, {12, 0}}, HIDDEN_PERHAPS},
		{{{11, 0}, {0, 12}, {12, 0}}, HIDDEN_NO},
		{{{11, 0}, {12, 11}}, HIDDEN_YES},
		{{{12, 11}}, HIDDEN_PERHAPS},		/* the time before is unknown */
		{{{11, 0}, {5, 11}}, HIDDEN_PERHAPS},	/* a stranger comes hidden */
		{{{11, 74}, {12, 11}}, HIDDEN_PERHAPS}, /* the CPU was not idle */
	};
	struct sched_records records = ordinary;

	(void)state;
	records.filter.first = 10;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = begin(&records);

		for (size_t k = 0; k < 3 && (cases[i].pairs[k][0] || cases[i].pairs[k][1]); k++)
			put_switch(fixture, cases[i].pairs[k][0], cases[i].pairs[k][1]);
		if (sched_ring(&fixture->records, 0)->hides != cases[i].hides)
			fail_msg("case %zu", i);
		assert_int_equal(sched_ring(&fixture->records, 1)->hides, HIDDEN_PERHAPS);
		end(fixture);
	}
}

static void the_switches_of_strangers_are_left_out(void **state)
{
	struct sched_records records = ordinary;
	struct fixture *fixture;

	(void)state;
	records.filter.first = 10;
	fixture = begin(&records);
	put_sides(fixture, 5, 6);
	put_sides(fixture, 5, 11);
	put_sides(fixture, 11, 0);
	put_sides(fixture, -1, 5);
	assert_written(fixture, "O5 I11 O11");
	end(fixture);
}

static void births_ends_and_names_are_passed_on(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_task(fixture, PERF_RECORD_FORK, 120);
	put_comm(fixture, 120);
	put_task(fixture, PERF_RECORD_EXIT, 120);
	assert_written(fixture, "F2 C120 X2");
	assert_int_equal(lineage_process_of(&fixture->lineage, 120), 50);
	end(fixture);
}

/* `third` is the woken thread, or the one that gets the CPU. */
static void only_switches_of_strangers_are_kept(void **state)
{
	static const struct {
		uint16_t type;
		int32_t tid, third;
		const char *written;
	} cases[] = {
		{SWITCH_TYPE, 150, 151, "S150"}, {SWITCH_TYPE, 150, 0, "S150"},
		{WAKING_TYPE, 150, 151, ""},	 {WAKING_TYPE, 0, 151, ""},
		{WAKING_TYPE, 150, 6, "S150"},	 {WAKING_TYPE, 0, 6, "S0"},
		{WAKING_TYPE, 5, 151, "S5"},	 {WAKING_TYPE, 5, 6, "S5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sched_records records = ordinary;
		struct fixture *fixture;

		records.tracepoints[1].whom = 12;
		fixture = begin(&records);
		put_sample(fixture, cases[i].type, cases[i].tid, cases[i].third);
		assert_written(fixture, cases[i].written);
		assert_int_equal(
			fixture->records.tracepoints[cases[i].type == WAKING_TYPE].received, 1);
		end(fixture);
	}
}

static void nothing_is_kept_of_a_strangers_birth_name_and_end(void **state)
{
	struct fixture *fixture = begin(&ordinary);

	(void)state;
	put_task_of(fixture, PERF_RECORD_FORK, 160, 150);
	put_comm(fixture, 160);
	put_task_of(fixture, PERF_RECORD_EXIT, 160, 150);
	assert_written(fixture, "");
	assert_int_equal(lineage_process_of(&fixture->lineage, 160), 160);
	end(fixture);
}

static void the_last_switch_of_a_thread_ends_it(void **state)
{
	struct sched_records records = ordinary;
	struct fixture *fixture;

	(void)state;
	records.layout.state_offset = 8; /* `other`, which is 0: the thread is runnable */
	fixture = begin(&records);
	put_switch(fixture, 5, 6);
	assert_true(lineage_has_thread(&fixture->lineage, 0, 5, UINT64_MAX - 1));
	fixture->state = 0x20;
	put_switch(fixture, 5, 6);
	assert_false(lineage_has_thread(&fixture->lineage, 0, 5, UINT64_MAX - 1));
	end(fixture);
}

/*
 * The switches of one CPU as letters, each for the thread that gets the CPU from the one before:
 * '-' is the idle thread, and a blank is a gap in the record. "A-A" is two switches.
 */
static enum hidden judge(const char *drawn)
{
	struct switch_pair pairs[32];
	size_t count = 0;

	for (size_t i = 1; i < strlen(drawn); i++) {
		const char *at = &drawn[i];

		if (at[-1] == ' ' || at[0] == ' ')
			continue;
		pairs[count++] =
			(struct switch_pair){at[-1] == '-' ? 0 : at[-1], at[0] == '-' ? 0 : at[0]};
	}
	return hidden_switches_judge(pairs, count);
}

static void the_switches_of_a_cpu_tell_if_it_hides_some(void **state)
{
	static const struct {
		const char *drawn;
		enum hidden says;
	} cases[] = {
		{"A-A-A-A", HIDDEN_NO},	   /* leaves for idle and comes back in the open */
		{"A- A- A-", HIDDEN_YES},  /* ... and comes back hidden */
		{"AB- A-BA", HIDDEN_YES},  /* once is enough */
		{"A- BA-", HIDDEN_YES},	   /* after any thread */
		{"-A", HIDDEN_NO},	   /* it was idle at the begin */
		{"ABABA", HIDDEN_PERHAPS}, /* never idle */
		{"A-", HIDDEN_PERHAPS},	   /* not finished yet */
		{"AH B-B", HIDDEN_NO},	   /* another thread may be hidden: the CPU is not idle */
		{"AH BAB", HIDDEN_PERHAPS}, {"", HIDDEN_PERHAPS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge(cases[i].drawn) != cases[i].says)
			fail_msg("'%s' is not %d", cases[i].drawn, cases[i].says);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_sample_gets_id_process_thread_and_cpu),
	cmocka_unit_test(an_unrequested_tracepoint_is_left_out),
	cmocka_unit_test(a_stack_is_passed_on_only_for_events_that_have_one_in_the_file),
	cmocka_unit_test(records_that_are_cut_short_are_left_out),
	cmocka_unit_test(the_records_of_a_switch_that_was_shown_are_left_out),
	cmocka_unit_test(a_hidden_switch_out_of_idle_is_one_switch_in),
	cmocka_unit_test(a_thread_that_left_unseen_is_known_from_the_next_switch),
	cmocka_unit_test(records_before_a_hidden_switch_do_not_affect_the_next),
	cmocka_unit_test(records_before_a_loss_do_not_affect_later_ones),
	cmocka_unit_test(each_cpu_has_its_own_switches),
	cmocka_unit_test(a_ring_shows_whether_its_cpu_hides_switches),
	cmocka_unit_test(the_switches_of_strangers_are_left_out),
	cmocka_unit_test(births_ends_and_names_are_passed_on),
	cmocka_unit_test(only_switches_of_strangers_are_kept),
	cmocka_unit_test(nothing_is_kept_of_a_strangers_birth_name_and_end),
	cmocka_unit_test(the_last_switch_of_a_thread_ends_it),
	cmocka_unit_test(the_switches_of_a_cpu_tell_if_it_hides_some),
};

TEST_FILE(tests);
