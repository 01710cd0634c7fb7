/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_stacks.h"

#include "stats/rdam_analysed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void rows_count_who_has_called_them(void **state)
{
	static const uint32_t chains[] = {7, 0, 0, 3, 0, 3};
	struct event events[12];
	struct analysed of = {0};
	const struct rdam_row *row;

	(void)state;
	for (size_t i = 0; i < COUNT(events); i++) {
		events[i] = event_new(i % 2 ? EVENT_LEAVE : EVENT_ENTER, 1000 + 10 * i);
		events[i].tid = 100;
		events[i].block = i / 2 == 2; /* one B among the A */
		events[i].chain = i % 2 ? 9 : chains[i / 2];
	}
	of.source = array_source(events, COUNT(events));
	blocks_number(&of.source->blocks, "A", 1);
	blocks_number(&of.source->blocks, "B", 1);
	analyse(&of, &(struct rdam_options){0});
	row = row_of(&of.rdam, "A");
	assert_int_equal(row->stack_count, 2);
	assert_int_equal(row->stacks[0].chain, 3);
	assert_int_equal(row->stacks[0].count, 2);
	assert_int_equal(row->stacks[1].chain, 7);
	assert_int_equal(row->stacks[1].count, 1);
	release(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_count_who_has_called_them),
	};

	return RUN_TESTS(tests);
}
