/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/shell_quote.h"

#include <stdlib.h>

static void words_are_quoted_only_where_a_shell_would_change_them(void **state)
{
	static const struct {
		const char *words[5];
		const char *text;
	} cases[] = {
		{{"./bench", "-T{n}", "a=b"}, "./bench -T{n} a=b"},
		{{"sh", "-c", "echo $1"}, "sh -c 'echo $1'"},
		{{"a", ""}, "a ''"},
		{{"it's"}, "'it'\\''s'"},
		{{"*", "~", "a;b"}, "'*' '~' 'a;b'"},
		{{"{a,b}"}, "'{a,b}'"},
		{{"{1..3}", "../a"}, "'{1..3}' ../a"},
		{{"one\ntwo", "\t'\\"}, "$'one\\012two' $'\\011\\'\\\\'"},
		{{"\xc3\xa4", "\xc2\x9b'", "\xff", "a\xe2\x80\xae"},
		 "'\xc3\xa4' $'\\302\\233\\'' $'\\377' $'a\\342\\200\\256'"},
		{{NULL}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = shell_quote(cases[i].words);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(words_are_quoted_only_where_a_shell_would_change_them),
};

TEST_FILE(tests);
