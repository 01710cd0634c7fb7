/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/shell_quote.h"
#include "collect/sweep/sweep_words.h"

#include <stdlib.h>

static void n_is_put_wherever_it_stands(void **state)
{
	static const struct {
		const char *before[4], *words[4];
		uint64_t n;
		const char *text;
	} cases[] = {
		{{NULL}, {"./bench", "-T{n}"}, 8, "./bench -T8"},
		{{NULL}, {"a", "{n}", "{n}x{n}"}, 12, "a 12 12x12"},
		{{"srun", "-n", "{n}"}, {"./bench"}, 4, "srun -n 4 ./bench"},
		{{NULL}, {"{N}", "{n", "n}"}, 4, "{N} {n n}"},
		{{NULL}, {"{{n}}", "{n}{n}"}, 7, "{7} 77"},
		{{NULL}, {"A={n}"}, 1048576, "A=1048576"},
		{{NULL}, {NULL}, 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char **words = sweep_words_at(cases[i].before, cases[i].words, cases[i].n);
		char *text = shell_quote((const char *const *)words);

		assert_string_equal(text, cases[i].text);
		free(text);
		sweep_words_free(words);
	}
}

static void words_vary_where_n_stands_in_one(void **state)
{
	static const struct {
		const char *words[3];
		bool vary;
	} cases[] = {{{"a", "b"}, false}, {{"a", "-T{n}"}, true}, {{"{n"}, false}, {{NULL}, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sweep_words_vary(cases[i].words), cases[i].vary);
	assert_false(sweep_words_vary(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(n_is_put_wherever_it_stands),
		cmocka_unit_test(words_vary_where_n_stands_in_one),
	};

	return RUN_TESTS(tests);
}
