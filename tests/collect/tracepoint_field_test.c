/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tracepoint_field.h"

#include "base/err.h"
#include "collect_dir.h"

#define EVENT "sched/sched_switch"

static const char format[] = "name: sched_switch\n"
			     "ID: 372\n"
			     "format:\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
			     "\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "print fmt: \"next_pid=%d\", REC->next_pid\n";

/* What comes of looking for `field` in a kernel that describes its event as `text`. */
static int look(const char *text, const char *field, size_t *offset, struct err *err)
{
	char root[64];
	int rc;

	dir_make(root);
	if (text)
		dir_put(root, "events/" EVENT "/format", text);
	rc = tracepoint_field_offset(offset, root, EVENT, field, err);
	dir_remove(root);
	return rc;
}

static void a_field_lies_where_the_kernel_says(void **state)
{
	size_t offset = 0;
	struct err err;

	(void)state;
	assert_int_equal(look(format, "next_pid", &offset, &err), 0);
	assert_int_equal(offset, 16);
}

static void what_is_not_there_or_not_a_thread_id_is_an_error(void **state)
{
	static const struct {
		const char *text, *field, *says;
	} cases[] = {
		{format, "next_tid", "has no field next_tid of 4 bytes"},
		{format, "prev_state", "has no field prev_state of 4 bytes"},
		{"nonsense", "next_pid", "has no field next_pid of 4 bytes"},
		{NULL, "next_pid", "cannot read"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t offset;
		struct err err;

		assert_int_equal(look(cases[i].text, cases[i].field, &offset, &err), -1);
		assert_non_null(strstr(err.text, cases[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_lies_where_the_kernel_says),
		cmocka_unit_test(what_is_not_there_or_not_a_thread_id_is_an_error),
	};

	return RUN_TESTS(tests);
}
