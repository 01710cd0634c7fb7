/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_spread.h"

#include "stats/rdam_analysed.h"

#include <math.h>

/* 1, 1, 2, 1000 us of A, which loses most, and B, which is found later. */
static void the_first_row_has_classes_of_durations(void **state)
{
	struct analysed of = {.source = listed("0 B 5 b 10 A 11 a 20 A 21 a 30 A 32 a 40 B 42 b "
					       "50 A 1050 a")};
	const struct rdam_class *classes;
	uint64_t count = 0;

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_names(&of.rdam, "A*4, B*2");
	assert_int_equal(of.rdam.class_count, RDAM_CLASSES);
	classes = of.rdam.classes;
	for (size_t i = 0; i < RDAM_CLASSES; i++)
		count += classes[i].count;
	assert_int_equal(count, 4);
	assert_int_equal(classes[0].count, 2);
	assert_close(classes[0].from_s, 1 * US, 1e-12);
	assert_close(classes[0].to_s, exp(log(1000) / RDAM_CLASSES) * US, 1e-9);
	assert_int_equal(classes[RDAM_CLASSES - 1].count, 1);
	assert_close(classes[RDAM_CLASSES - 1].to_s, 1000 * US, 1e-9);
	assert_close(classes[RDAM_CLASSES - 1].causes_s[RDAM_UNKNOWN], 999 * US, 1e-9);
	/* ln 2 / ln 1000 of the way */
	assert_int_equal(classes[6].count, 1);
	assert_close(classes[6].causes_s[RDAM_UNKNOWN], 1 * US, 1e-9);
	release(&of);
}

static void what_always_takes_as_long_is_one_class(void **state)
{
	struct analysed of = {.source = listed("0 A 0 a 10 A 10 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_int_equal(of.rdam.class_count, 1);
	assert_int_equal(of.rdam.classes[0].count, 2);
	release(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_row_has_classes_of_durations),
		cmocka_unit_test(what_always_takes_as_long_is_one_class),
	};

	return RUN_TESTS(tests);
}
