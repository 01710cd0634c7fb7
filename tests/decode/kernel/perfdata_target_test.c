/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_source_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct read {
	struct target_feature feature;
	struct target_info target;
	struct order *order;
	struct err err;
	int rc;
};

static struct read read_text(const char *text)
{
	struct read read = {.order = order_new()};
	char *copy = xstrdup(text);

	read.rc = target_feature_init(&read.feature, &read.target, read.order, copy, &read.err);
	free(copy);
	order_finish(read.order);
	return read;
}

static void release(struct read *read)
{
	target_feature_release(&read->feature);
	target_info_release(&read->target);
	order_free(read->order);
}

static void the_target_is_read_from_its_lines(void **state)
{
	struct read read = read_text("pscal 1\n"
				     "mode attach\n"
				     "launched 7\n"
				     "root 7\n"
				     "root 4194303\n"
				     "affinity 0-1,8\n"
				     "blocks_every 64\n"
				     "blocks_lost 3\n"
				     "block_cost_ns 21.5\n"
				     "task_cost_ns 19.5\n"
				     "uprobe_cost_ns 1963\n"
				     "fault_outside_ns 940\n"
				     "start_ns 1000\n"
				     "end_ns 18446744073709551615\n"
				     "count sched:sched_waking 42\n"
				     "count sched:sched_switch 18446744073709551615\n");

	(void)state;
	assert_int_equal(read.rc, 0);
	assert_true(read.target.attached);
	assert_int_equal(read.target.launched, 7);
	assert_int_equal(read.target.root_count, 2);
	assert_int_equal(read.target.roots[0], 7);
	assert_int_equal(read.target.roots[1], 4194303);
	assert_int_equal(read.target.affinity_count, 3);
	assert_int_equal(read.target.blocks_every, 64);
	assert_int_equal(read.target.blocks_lost, 3);
	assert_close(read.target.block_cost_ns, 21.5, 1e-12);
	assert_close(read.target.task_cost_ns, 19.5, 1e-12);
	assert_int_equal(read.target.uprobe_cost_ns, 1963);
	assert_true(read.target.has_faults);
	assert_close(read.target.fault_outside_ns, 940, 1e-12);
	assert_int_equal(read.target.start_ns, 1000);
	assert_true(read.target.end_ns == UINT64_MAX);
	assert_int_equal(read.feature.count, 2);
	assert_string_equal(read.feature.counts[0].name, "sched:sched_waking");
	assert_int_equal(read.feature.counts[0].hits, 42);
	assert_true(read.feature.counts[1].hits == UINT64_MAX);
	release(&read);
}

static void missing_lines_are_unknown_facts(void **state)
{
	static const char *const texts[] = {
		"",	  "\n\n",    "mode command\n", "pscal 1", "later_key with a value\n",
		"root\n", "nonsense"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct read read = read_text(texts[i]);

		assert_int_equal(read.rc, 0);
		assert_int_equal(read.target.root_count, 0);
		assert_int_equal(read.target.affinity_count, 0);
		assert_false(read.target.attached);
		assert_int_equal(read.target.start_ns, 0);
		assert_int_equal(read.feature.count, 0);
		release(&read);
	}
}

static void other_targets_and_how_they_were_recorded_have_lines(void **state)
{
	struct read read = read_text("tid 7\n"
				     "tid 8\n"
				     "comm a b\n"
				     "wide 1\n"
				     "self 99\n"
				     "alone 1\n"
				     "collector perf\n"
				     "interrupts 1\n"
				     "hidden 1-3\n"
				     "cost_switch_ns 310\ncost_call_ns 1200\n"
				     "cost_system_call_ns 450\n"
				     "own_cpu_ns 4000000000\n"
				     "busy_ns 7000000000\n"
				     "steal_ns 20000000\n"
				     "cores 2\n"
				     "quota_ns 150000000\nquota_period_ns 100000000\n"
				     "quota_periods 40\nquota_throttled 12\n"
				     "quota_throttled_ns 31000\nquota_used_ns 700000\n"
				     "paused 10 20\n"
				     "paused 30 35\n");
	struct event event;

	(void)state;
	assert_int_equal(read.rc, 0);
	assert_int_equal(read.target.tid_count, 2);
	assert_int_equal(read.target.tids[1], 8);
	assert_string_equal(read.target.comm, "a b");
	assert_true(read.target.wide);
	assert_int_equal(read.target.self, 99);
	assert_true(read.target.alone);
	assert_string_equal(read.target.collector, "perf");
	assert_true(read.target.interrupts);
	assert_string_equal(read.target.hidden, "1-3");
	assert_true(read.target.has_cost);
	assert_int_equal(read.target.cost_switch_ns, 310);
	assert_int_equal(read.target.cost_call_ns, 1200);
	assert_int_equal(read.target.cost_system_call_ns, 450);
	assert_int_equal(read.target.own_cpu_ns, 4000000000);
	assert_true(read.target.has_busy);
	assert_int_equal(read.target.busy_ns, 7000000000);
	assert_int_equal(read.target.steal_ns, 20000000);
	assert_int_equal(read.target.core_count, 2);
	assert_int_equal(read.target.quota.quota_ns, 150000000);
	assert_int_equal(read.target.quota.period_ns, 100000000);
	assert_int_equal(read.target.quota.periods, 40);
	assert_int_equal(read.target.quota.throttled, 12);
	assert_int_equal(read.target.quota.throttled_ns, 31000);
	assert_int_equal(read.target.quota.used_ns, 700000);
	assert_int_equal(read.feature.paused_ns, 15);
	assert_true(order_pop(read.order, &event));
	assert_int_equal(event.kind, EVENT_GAP);
	assert_int_equal(event.time_ns, 10);
	assert_int_equal(event.cpu, -1);
	assert_true(order_pop(read.order, &event));
	assert_int_equal(event.time_ns, 30);
	assert_false(order_pop(read.order, &event));
	release(&read);
}

static void a_thread_begins_in_the_state_in_which_it_was_found(void **state)
{
	static const struct {
		const char *line;
		struct event event;
	} cases[] = {
		{"thread 900 7 8 S work",
		 {.time_ns = 900, .pid = 7, .tid = 8, .state = STATE_SLEEPING, .comm = "work"}},
		{"thread 1 2 3 R a b  c",
		 {.time_ns = 1, .pid = 2, .tid = 3, .state = STATE_ACTIVE, .comm = "a b  c"}},
		{"thread 1 2 3 D ",
		 {.time_ns = 1, .pid = 2, .tid = 3, .state = STATE_DISK, .comm = ""}},
		{"thread 1 2 3 t  x",
		 {.time_ns = 1, .pid = 2, .tid = 3, .state = STATE_STOPPED, .comm = " x"}},
		{"thread 1 2 3 I kworker/0:1H-kb",
		 {.time_ns = 1,
		  .pid = 2,
		  .tid = 3,
		  .state = STATE_SLEEPING,
		  .comm = "kworker/0:1H-kb"}},
		{"thread 1 2 3 S sixteen characters are too many",
		 {.time_ns = 1,
		  .pid = 2,
		  .tid = 3,
		  .state = STATE_SLEEPING,
		  .comm = "sixteen charact"}},
		{"thread 1 2 3 ? x",
		 {.time_ns = 1, .pid = 2, .tid = 3, .state = STATE_UNKNOWN, .comm = "x"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct event *want = &cases[i].event;
		struct read read = read_text(cases[i].line);
		struct event event;

		assert_int_equal(read.rc, 0);
		assert_true(order_pop(read.order, &event));
		assert_int_equal(event.kind, EVENT_STATE);
		assert_int_equal(event.time_ns, want->time_ns);
		assert_int_equal(event.pid, want->pid);
		assert_int_equal(event.tid, want->tid);
		assert_int_equal(event.state, want->state);
		assert_int_equal(event.cpu, -1);
		assert_string_equal(event.comm, want->comm);
		assert_false(order_pop(read.order, &event));
		release(&read);
	}
}

static void a_damaged_line_is_refused_with_a_sentence(void **state)
{
	static const char *const texts[] = {
		"pscal 2\n",
		"pscal x\n",
		"root -7\n",
		"root 2147483648\n",
		"root 7 8\n",
		"root 0x7\n",
		"affinity \n",
		"affinity 3-1\n",
		"affinity 0-99999\n",
		"start_ns -1\n",
		"end_ns 18446744073709551616\n",
		"count sched:sched_waking\n",
		"count sched:sched_waking x\n",
		"count sched:sched_waking \n",
		"count a_name_with_more_than_sixty_three_characters_which_none_of_them_has 7\n",
		"thread 900 7 8 S\n",
		"tid x\n",
		"self -1\n",
		"paused 10\n",
		"paused 20 10\n",
		"paused 10 20 30\n",
		"cost_switch_ns -5\n",
		"cost_call_ns 1.5\n",
		"cost_system_call_ns -1\n",
		"own_cpu_ns 1.5\n",
		"busy_ns x\n",
		"thread 900 7 8\n",
		"thread 900 7\n",
		"thread x 7 8 S work\n",
		"thread 900 -7 8 S work\n",
		"thread 900 7 2147483648 S work\n",
		"thread  900 7 8 S work\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		char *text = xasprintf("pscal 1\nroot 1\ncount a:b 1\n%sroot 2\n", texts[i]);
		struct read read = read_text(text);

		if (read.rc != -1)
			fail_msg("'%s' was taken", texts[i]);
		assert_non_null(strstr(read.err.text, "its description of the target is damaged"));
		assert_int_equal(read.feature.count, 0);
		release(&read);
		free(text);
	}
}

static void more_roots_than_one_page_of_them_are_kept(void **state)
{
	char *text = xstrdup("");
	struct read read;

	(void)state;
	for (int i = 1; i <= 300; i++) {
		char *longer = xasprintf("%sroot %d\n", text, i);

		free(text);
		text = longer;
	}
	read = read_text(text);
	assert_int_equal(read.target.root_count, 300);
	for (int i = 0; i < 300; i++)
		assert_int_equal(read.target.roots[i], i + 1);
	release(&read);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_target_is_read_from_its_lines),
	cmocka_unit_test(missing_lines_are_unknown_facts),
	cmocka_unit_test(a_thread_begins_in_the_state_in_which_it_was_found),
	cmocka_unit_test(a_damaged_line_is_refused_with_a_sentence),
	cmocka_unit_test(more_roots_than_one_page_of_them_are_kept),
	cmocka_unit_test(other_targets_and_how_they_were_recorded_have_lines),
};

TEST_FILE(tests);
