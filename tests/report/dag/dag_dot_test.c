/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dag/report_dag.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* The node of a graph of one task, whose function has this name. */
static char *node_of(const char *name)
{
	struct event_source *source = task_drawing(NULL, "0 a 1 begin 0.0 @64; 3 a 1 end @64");
	struct dag_options options = {.level = UINT32_MAX};
	char *text = NULL, *node;
	struct task_tree tree;
	size_t size = 0;
	struct dag dag;
	FILE *out = open_memstream(&text, &size);

	blocks_number(&source->blocks, name, strlen(name));
	task_drawing_read(&tree, source);
	dag_init(&dag, &tree, &options);
	dag_dot_write(out, &(struct dag_view){.dag = &dag, .tree = &tree});
	fclose(out);
	node = strstr(text, "\tn0 ");
	assert_non_null(node);
	node = xstrdup(node);
	*strchrnul(node, '\n') = '\0';
	free(text);
	dag_release(&dag);
	task_tree_release(&tree);
	event_source_free(source);
	return node;
}

static void graphviz_shows_quoted_names_unchanged(void **state)
{
	static const struct {
		const char *name, *label;
	} cases[] = {
		{"fib fib.c:17", "fib fib.c:17"},
		{"operator\"\"_s /a b/x.cc:3", "operator\\\"\\\"_s x.cc:3"},
		{"C:\\Nx.c", "C:\\\\Nx.c"},
		{"a\nb\033[2J", "a\\\\x0ab\\\\x1b[2J"},
		{"f(int&, a&&)", "f(int&, a&&)"},
		{"a&#27;b&lt;c&d", "a&amp;#27;b&amp;lt;c&amp;d"},
		{"\xff", "\\\\xff"},
		{"f<int, char>+0x10", "f<int, char>"},
		{"\xc3\xa4", "\xc3\xa4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = node_of(cases[i].name);
		char *want = xasprintf("\tn0 [label=\"%s\\n3.00 us, 1 segment\", "
				       "color=\"#c4161c\", penwidth=2.5];",
				       cases[i].label);

		assert_string_equal(got, want);
		free(got);
		free(want);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(graphviz_shows_quoted_names_unchanged),
};

TEST_FILE(tests);
