/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stacks/flame_tree.h"

#include "stats/stacks/folded_stacks.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "all 6(b 2, a 4(c 1))": children in the order of the tree. */
static void draw(FILE *out, const struct flame_tree *tree, uint32_t at)
{
	fprintf(out, "%s %g", tree->nodes[at].name, tree->nodes[at].time_s);
	if (tree->nodes[at].child == FLAME_NONE)
		return;
	for (uint32_t child = tree->nodes[at].child; child != FLAME_NONE;
	     child = tree->nodes[child].next) {
		fputs(child == tree->nodes[at].child ? "(" : ", ", out);
		draw(out, tree, child);
	}
	fputs(")", out);
}

static void assert_tree(const struct folded_stacks *stacks, const char *expected)
{
	struct flame_tree tree;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	flame_tree_init(&tree, stacks);
	if (tree.count)
		draw(out, &tree, 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	flame_tree_release(&tree);
}

static void stacks_share_their_outer_functions(void **state)
{
	char work[] = "sh;main;work", rest[] = "sh;main;rest", sh[] = "sh;main", cc[] = "cc;main";
	struct folded_row rows[] = {
		{work, 4, 1, NULL}, {rest, 2, 1, NULL}, {sh, 1, 1, NULL}, {cc, 1, 1, NULL}};

	(void)state;
	assert_tree(&(struct folded_stacks){rows, 4, 8, 0, 0, 0},
		    "all 8(cc 1(main 1), sh 7(main 7(rest 2, work 4)))");
	assert_tree(&(struct folded_stacks){rows, 4, 10, 0, 2, 0},
		    "all 10(... 2, cc 1(main 1), sh 7(main 7(rest 2, work 4)))");
}

static void there_is_no_tree_without_stacks(void **state)
{
	char unknown[] = "sh;[unknown]";
	struct folded_row rows[] = {{unknown, 4, 1, NULL}};

	(void)state;
	assert_tree(&(struct folded_stacks){rows, 1, 4, 4, 0, 0}, "");
	assert_tree(&(struct folded_stacks){NULL, 0, 0, 0, 0, 0}, "");
}

enum { MANY = 6000 };

static double all_bins(const struct flame_tree *tree, size_t bin)
{
	double sum = 0;

	for (size_t i = 0; i < tree->count; i++)
		sum += tree->nodes[i].bins_s ? (double)tree->nodes[i].bins_s[bin] : 0;
	return sum;
}

/* After any cut, children have no more time than their parent, and all time is kept. */
static void small_branches_become_one(void **state)
{
	static struct folded_row rows[MANY];
	struct folded_stacks stacks = {rows, MANY, 0, 0, 0, 1024};
	struct flame_tree tree;
	double *below_s;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		char name[64];

		snprintf(name, sizeof(name), "sh;f%d;g%d;h%d", i % 7, i % 100, i);
		rows[i] = (struct folded_row){strdup(name), MANY - i, 1,
					      calloc(FOLDED_BINS, sizeof(float))};
		rows[i].bins_s[i % 2] = (float)(MANY - i);
		stacks.total_s += MANY - i;
	}
	flame_tree_init(&tree, &stacks);
	assert_in_range(tree.count, FLAME_NODES_MAX, 2 * FLAME_NODES_MAX + 1);
	assert_close(tree.nodes[0].time_s, stacks.total_s, 1e-9);
	below_s = calloc(tree.count, sizeof(*below_s));
	for (size_t i = 1; i < tree.count; i++)
		below_s[tree.nodes[i].parent] += tree.nodes[i].time_s;
	for (size_t i = 0; i < tree.count; i++)
		if (tree.nodes[i].child != FLAME_NONE)
			assert_close(below_s[i], tree.nodes[i].time_s, 1e-9);
	free(below_s);
	assert_int_equal(tree.bin_ns, 1024);
	assert_close(all_bins(&tree, 0), stacks.total_s / 2 + MANY / 4.0, 1e-6);
	assert_close(all_bins(&tree, 1), stacks.total_s / 2 - MANY / 4.0, 1e-6);
	flame_tree_release(&tree);
	for (int i = 0; i < MANY; i++) {
		free(rows[i].stack);
		free(rows[i].bins_s);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stacks_share_their_outer_functions),
	cmocka_unit_test(there_is_no_tree_without_stacks),
	cmocka_unit_test(small_branches_become_one),
};

TEST_FILE(tests);
