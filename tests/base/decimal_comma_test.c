/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal_comma.h"

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void all_cells_together_tell_what_a_comma_is(void **state)
{
	static const struct {
		const char *cells[3];
		enum commas commas;
	} cases[] = {
		{{"1", "20"}, COMMAS_REFUSED},
		{{"10,5"}, COMMAS_DECIMAL},
		{{"-10,5"}, COMMAS_DECIMAL},
		{{"+10,5"}, COMMAS_DECIMAL},
		{{"1,000", "10,5"}, COMMAS_DECIMAL},
		{{"0,125"}, COMMAS_DECIMAL},
		{{",125"}, COMMAS_DECIMAL},
		{{"1234,567"}, COMMAS_DECIMAL},
		{{"1,250e3"}, COMMAS_DECIMAL},
		{{"1,000"}, COMMAS_AMBIGUOUS},
		{{"-1,000", "12,000", "123,456"}, COMMAS_AMBIGUOUS},
		{{"1,000", "10.5"}, COMMAS_MIXED},
		{{"10,5", "10.5"}, COMMAS_MIXED},
		{{"1,000,000", "10,5"}, COMMAS_REFUSED},
		{{"1.000,5", "10,5"}, COMMAS_REFUSED},
		{{"10,5", "21.11.2026", "a,b"}, COMMAS_DECIMAL},
		{{"1,000", "2026-11-21 10:00:00,123"}, COMMAS_AMBIGUOUS},
		{{",", ".", ""}, COMMAS_REFUSED},
		{{"10,5", "1,2,3 and more"}, COMMAS_DECIMAL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct comma_evidence evidence = {0};

		for (size_t k = 0; k < 3 && cases[i].cells[k]; k++)
			decimal_comma_weigh(&evidence, cases[i].cells[k]);
		if (decimal_comma_judge(&evidence) != cases[i].commas)
			fail_msg("'%s' and so on", cases[i].cells[0]);
	}
}

static void a_number_has_one_comma(void **state)
{
	static const char *const wrong[] = {"10.5", "1,2,3", "1,2.3", "10,5x", "nan,1", ",", ""};
	double value;

	(void)state;
	assert_int_equal(decimal_comma_parse(&value, "-10,25e1"), 0);
	assert_close(value, -102.5, 0);
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(decimal_comma_parse(&value, wrong[i]), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_cells_together_tell_what_a_comma_is),
	cmocka_unit_test(a_number_has_one_comma),
};

TEST_FILE(tests);
