/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/sched/bpf/bpf_private.h"

#include <stdio.h>
#include <string.h>

enum { CPUS = 3, SLOTS = 8 };

/* Rings without a kernel: put() writes records like its programs. */
struct fake {
	struct bpf_ring rings[CPUS];
	struct bpf_slot slots[CPUS * SLOTS];
	struct bpf_merge merge;
};

static void make(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	bpf_merge_init(&fake->merge, fake->rings, fake->slots, CPUS, SLOTS);
}

static struct bpf_slot *slot(struct fake *fake, uint32_t cpu, uint64_t at)
{
	return &fake->slots[cpu * SLOTS + at % SLOTS];
}

/* Puts a record of `count` slots; those after the first hold `tid`. */
static void put(struct fake *fake, uint32_t cpu, uint64_t time_ns, enum bpf_record_kind kind,
		unsigned tid, unsigned count)
{
	uint64_t at = fake->rings[cpu].head;

	for (unsigned i = 1; i < count; i++)
		*slot(fake, cpu, at + i) = (struct bpf_slot){{tid, tid + i}};
	*slot(fake, cpu, at) =
		(struct bpf_slot){{BPF_WORD0(time_ns, 120), BPF_WORD1(kind, tid, 0, 0)}};
	fake->rings[cpu].head += count;
}

static void put_wake(struct fake *fake, uint32_t cpu, uint64_t time_ns)
{
	put(fake, cpu, time_ns, BPF_RECORD_WAKE, 5, 1);
}

/* A round: "CPU:TIME" of each record. */
static const char *round_of(struct fake *fake, uint64_t limit_ns)
{
	static char text[256];
	struct bpf_event event;
	size_t used = 0;

	*text = '\0';
	bpf_merge_begin(&fake->merge, limit_ns);
	while (bpf_merge_next(&fake->merge, &event))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%d",
					 used ? " " : "", event.cpu, (int)event.time_ns);
	return text;
}

/* The record of a call has the number of a loss, and a detail. */
static void a_call_differs_from_a_loss_and_has_more_slots_with_a_stack(void **state)
{
	struct fake fake;
	struct bpf_event event;

	(void)state;
	make(&fake);
	put(&fake, 0, 1, BPF_RECORD_LOST, 7, 2);
	put(&fake, 0, 2, BPF_RECORD_LOST, 7, 4);
	slot(&fake, 0, 2)->words[1] |= (uint64_t)BPF_CALL_FUTEX << BPF_DETAIL_SHIFT;
	bpf_merge_begin(&fake.merge, 10);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.kind, BPF_RECORD_LOST);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.kind, BPF_RECORD_CALL);
	assert_int_equal(event.detail, BPF_CALL_FUTEX);
	assert_int_equal(event.tid, 7);
	assert_int_equal(event.body[2].words[1], 10);
	put(&fake, 0, 3, BPF_RECORD_LOST, 7, BPF_CALL_SLOTS);
	slot(&fake, 0, 6)->words[1] |= (uint64_t)(BPF_CALL_NANOSLEEP | BPF_CALL_STACK)
				       << BPF_DETAIL_SHIFT;
	put_wake(&fake, 0, 4);
	bpf_merge_begin(&fake.merge, 10);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.detail & BPF_CALL_MASK, BPF_CALL_NANOSLEEP);
	assert_int_equal(event.body[3].words[1], 11);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.kind, BPF_RECORD_WAKE);
	assert_int_equal(bpf_merge_left(&fake.merge), 0);
	bpf_merge_release(&fake.merge);
}

static void records_of_all_cpus_come_in_the_order_of_time(void **state)
{
	static const struct {
		uint32_t cpu;
		uint64_t time_ns;
	} records[] = {{2, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 5}, {0, 6}, {1, 7}, {1, 8}, {2, 9}};
	struct fake fake;

	(void)state;
	make(&fake);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		put_wake(&fake, records[i].cpu, records[i].time_ns);
	assert_string_equal(round_of(&fake, 100), "2:1 0:2 0:3 1:4 2:5 0:6 1:7 1:8 2:9");
	assert_string_equal(round_of(&fake, 100), "");
	bpf_merge_release(&fake.merge);
}

static void records_younger_than_the_round_wait_for_the_next(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	put_wake(&fake, 0, 10);
	put_wake(&fake, 0, 30);
	put_wake(&fake, 1, 20);
	assert_string_equal(round_of(&fake, 20), "0:10 1:20");
	put_wake(&fake, 1, 25);
	assert_string_equal(round_of(&fake, 40), "1:25 0:30");
	bpf_merge_release(&fake.merge);
}

static void an_unfinished_record_delays_its_cpu_alone(void **state)
{
	struct fake fake;
	uint64_t word;

	(void)state;
	for (int half = 0; half < 2; half++) {
		make(&fake);
		put_wake(&fake, 0, 1);
		put_wake(&fake, 0, 2);
		put_wake(&fake, 0, 3);
		put_wake(&fake, 1, 4);
		word = fake.slots[1].words[half];
		fake.slots[1].words[half] = 0;
		assert_string_equal(round_of(&fake, 100), "0:1 1:4");
		assert_int_equal(bpf_merge_left(&fake.merge), 2);
		fake.slots[1].words[half] = word;
		assert_string_equal(round_of(&fake, 100), "0:2 0:3");
		assert_int_equal(bpf_merge_left(&fake.merge), 0);
		bpf_merge_release(&fake.merge);
	}
}

static void the_fields_of_a_record_are_read(void **state)
{
	struct fake fake;
	struct bpf_event event;

	(void)state;
	make(&fake);
	fake.slots[0] = (struct bpf_slot){
		{BPF_WORD0((UINT64_C(1) << 56) - 1, 139),
		 BPF_WORD1(BPF_RECORD_SWITCH, 4194303, 4194302, BPF_DETAIL(-1, 0x100))}};
	fake.rings[0].head = 1;
	bpf_merge_begin(&fake.merge, UINT64_MAX);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.time_ns, (UINT64_C(1) << 56) - 1);
	assert_int_equal(event.kind, BPF_RECORD_SWITCH);
	assert_int_equal(event.tid, 4194303);
	assert_int_equal(event.other, 4194302);
	assert_int_equal(event.prio, 139);
	assert_int_equal(event.detail & BPF_STATE_MASK, 0x100);
	assert_int_equal(bpf_event_prio((uint8_t)(event.detail >> 9)), -1);
	assert_false(bpf_merge_next(&fake.merge, &event));
	bpf_merge_release(&fake.merge);
}

static void a_long_record_may_wrap(void **state)
{
	struct fake fake;
	struct bpf_event event;

	(void)state;
	make(&fake);
	fake.rings[1].head = fake.rings[1].tail = fake.merge.at[1] = SLOTS - 2;
	put(&fake, 1, 6, BPF_RECORD_NAME, 77, 3);
	put_wake(&fake, 1, 7);
	bpf_merge_begin(&fake.merge, 100);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.kind, BPF_RECORD_NAME);
	assert_int_equal(event.body[0].words[1], 78);
	assert_int_equal(event.body[1].words[1], 79);
	assert_true(bpf_merge_next(&fake.merge, &event));
	assert_int_equal(event.kind, BPF_RECORD_WAKE);
	bpf_merge_release(&fake.merge);
}

static void slots_that_were_read_are_cleared_and_given_back(void **state)
{
	struct fake fake;

	(void)state;
	make(&fake);
	for (uint64_t lap = 0; lap < 5; lap++) {
		put(&fake, 0, lap * 10 + 1, BPF_RECORD_FORK, 5, 3);
		put_wake(&fake, 0, lap * 10 + 2);
		round_of(&fake, 1000);
		assert_int_equal(fake.rings[0].tail, fake.rings[0].head);
		for (size_t i = 0; i < SLOTS; i++) {
			assert_int_equal(fake.slots[i].words[0], 0);
			assert_int_equal(fake.slots[i].words[1], 0);
		}
	}
	bpf_merge_release(&fake.merge);
}

static void losses_without_a_later_record_are_taken_from_an_idle_cpu(void **state)
{
	struct fake fake;
	struct bpf_event event;

	(void)state;
	make(&fake);
	put_wake(&fake, 0, 10);
	fake.rings[0].lost = 3;
	fake.rings[0].lost_ns = 11;
	bpf_merge_begin(&fake.merge, 5);
	assert_false(bpf_merge_take_lost(&fake.merge, &event, 0, false)); /* a record may follow */
	assert_false(bpf_merge_take_lost(&fake.merge, &event, 1, false));
	round_of(&fake, 20);
	assert_true(bpf_merge_take_lost(&fake.merge, &event, 0, false));
	assert_int_equal(event.kind, BPF_RECORD_LOST);
	assert_int_equal(event.time_ns, 11);
	assert_int_equal(event.body[0].words[0], 20);
	assert_int_equal(event.body[0].words[1], 3);
	assert_false(bpf_merge_take_lost(&fake.merge, &event, 0, true));

	put_wake(&fake, 0, 30);
	fake.rings[0].lost = 1;
	assert_true(bpf_merge_take_lost(&fake.merge, &event, 0, true)); /* no record will follow */
	bpf_merge_release(&fake.merge);
}

/* In a calm program each call has a stack; of many calls at once the first ones have one, and then
 * one in 120 us. */
static void stacks_of_calls_take_a_bounded_share_of_the_time(void **state)
{
	struct bpf_ring ring = {.stacks_ns = 0};
	unsigned calm = 0, storm = 0;
	uint64_t now_ns = 1000000;

	(void)state;
	for (int i = 0; i < 1000; i++)
		calm += (unsigned)bpf_ring_stack_due(&ring, now_ns += 200000);
	assert_int_equal(calm, 1000);
	now_ns += 10000000;
	for (int i = 0; i < 60000; i++) /* 60 ms */
		storm += (unsigned)bpf_ring_stack_due(&ring, now_ns += 1000);
	assert_in_range(storm, 500, 510);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stacks_of_calls_take_a_bounded_share_of_the_time),
	cmocka_unit_test(a_call_differs_from_a_loss_and_has_more_slots_with_a_stack),
	cmocka_unit_test(records_of_all_cpus_come_in_the_order_of_time),
	cmocka_unit_test(records_younger_than_the_round_wait_for_the_next),
	cmocka_unit_test(an_unfinished_record_delays_its_cpu_alone),
	cmocka_unit_test(the_fields_of_a_record_are_read),
	cmocka_unit_test(a_long_record_may_wrap),
	cmocka_unit_test(slots_that_were_read_are_cleared_and_given_back),
	cmocka_unit_test(losses_without_a_later_record_are_taken_from_an_idle_cpu),
};

TEST_FILE(tests);
