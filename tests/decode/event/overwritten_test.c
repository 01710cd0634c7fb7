/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/overwritten.h"

#include "support.h"

enum { RECORD = 100, FULL = 8192 / RECORD, SOME = 30 }; /* in a ring of two pages */

/* `count` records, one a nanosecond, the newest first as such rings have them. */
static void fill(struct overwritten *overwritten, int32_t cpu, uint64_t begin_ns, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		overwritten_note(overwritten, cpu, begin_ns + i, RECORD);
}

static void all_is_known_from_where_the_last_full_ring_begins(void **state)
{
	static const struct {
		unsigned records[2]; /* of each CPU; the first begins at 1000, the other at 5000 */
		uint64_t until_ns;
	} cases[] = {
		{{0, 0}, 0},	      {{SOME, SOME}, 0},    /* nothing was forgotten */
		{{FULL, 0}, 1000},    {{FULL, SOME}, 1000}, /* the other was only idle for long */
		{{SOME, FULL}, 5000}, {{FULL, FULL}, 5000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct overwritten overwritten = {0};

		fill(&overwritten, 0, 1000, cases[i].records[0]);
		fill(&overwritten, 3, 5000, cases[i].records[1]);
		assert_int_equal(overwritten_until(&overwritten), cases[i].until_ns);
		overwritten_release(&overwritten);
	}
}

static void a_ring_is_full_that_lacks_one_whole_record(void **state)
{
	struct overwritten overwritten = {0};

	(void)state;
	for (uint64_t i = 0; i < 8192 / 128 - 1; i++)
		overwritten_note(&overwritten, 0, 2000 - i, 128);
	assert_int_equal(overwritten_until(&overwritten), 2000 - 8192 / 128 + 2);
	overwritten_release(&overwritten);
}

static void an_impossible_cpu_has_no_ring(void **state)
{
	struct overwritten overwritten = {0};

	(void)state;
	fill(&overwritten, -1, 1000, FULL);
	fill(&overwritten, INT32_MAX, 1000, FULL);
	assert_int_equal(overwritten_until(&overwritten), 0);
	overwritten_release(&overwritten);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_known_from_where_the_last_full_ring_begins),
		cmocka_unit_test(a_ring_is_full_that_lacks_one_whole_record),
		cmocka_unit_test(an_impossible_cpu_has_no_ring),
	};

	return RUN_TESTS(tests);
}
