/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_stacks.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct line {
	enum paje_kind kind;
	const char *time, *type, *container, *value, *alias, *name;
	const char *drawn; /* the events: +1f enters f in thread 1, -1f leaves, !1 ends it */
};

static struct paje_word word(const char *text)
{
	return (struct paje_word){text, text ? strlen(text) : 0};
}

static void draw(char *to, size_t size, const struct event *event, const struct blocks *blocks)
{
	char sign = event->kind == EVENT_ENTER ? '+' : event->kind == EVENT_LEAVE ? '-' : '!';
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%c%d%s", sign, event->tid,
		 event->kind == EVENT_END ? "" : blocks->items[event->block].name);
}

/* "no": the line is refused. */
static void assert_lines(const struct line *lines, size_t count)
{
	struct blocks blocks = {0};
	struct paje_stacks *stacks = paje_stacks_new(&blocks);

	for (size_t i = 0; i < count; i++) {
		const struct line *from = &lines[i];
		struct paje_line line = {from->kind,
					 {word(from->time), word(from->type), word(from->container),
					  word(from->value), word(from->alias), word(from->name)}};
		char drawn[256] = "";
		struct event event;

		if (paje_stacks_take(stacks, &line))
			snprintf(drawn, sizeof(drawn), "no");
		while (paje_stacks_pop(stacks, &event))
			draw(drawn, sizeof(drawn), &event, &blocks);
		if (strcmp(drawn, from->drawn) != 0)
			fail_msg("line %zu: '%s', not '%s'", i, drawn, from->drawn);
	}
	paje_stacks_free(stacks);
	blocks_release(&blocks);
}

static void states_are_entered_and_left(void **state)
{
	static const struct line lines[] = {
		{PAJE_ENTITY_VALUE, NULL, "S", NULL, NULL, "a", "read", ""},
		{PAJE_ENTITY_VALUE, NULL, "R", NULL, NULL, "a", "other", ""},
		{PAJE_CREATE, "0", NULL, NULL, NULL, "T1", "main", ""},
		{PAJE_PUSH, "1", "S", "T1", "a", NULL, NULL, "+1read"},
		{PAJE_PUSH, "2", "S", "T1", "b", NULL, NULL, "+1b"},
		{PAJE_PUSH, "3", "S", "T2", "a", NULL, NULL, "+2read"},
		{PAJE_POP, "4", "S", "T1", NULL, NULL, NULL, "-1b"},
		{PAJE_PUSH, "5", "S", "T1", "b", NULL, NULL, "+1b"},
		{PAJE_SET, "6", "S", "T1", "c", NULL, NULL, "-1b-1read+1c"},
		{PAJE_PUSH, "7", "R", "T1", "a", NULL, NULL, "+3other"},
		{PAJE_PUSH, "8", "S", "T1", "a", NULL, NULL, "+1read"},
		{PAJE_RESET, "9", "S", "T1", NULL, NULL, NULL, "-1read-1c"},
		{PAJE_RESET, "9", "S", "T1", NULL, NULL, NULL, ""},
		{PAJE_SET, "10", "S", "T1", "a", NULL, NULL, "+1read"},
		{PAJE_DESTROY, "11", NULL, NULL, NULL, NULL, "T1", "-3other!3-1read!1"},
		{PAJE_DESTROY, "11", NULL, NULL, NULL, NULL, "T1", ""},
		{PAJE_PUSH, "12", "S", "T1", "a", NULL, NULL, "+4read"},
		{PAJE_DESTROY, "13", NULL, NULL, NULL, NULL, "nobody", ""},
		{PAJE_DESTROY, "14", NULL, NULL, NULL, NULL, "T1", "-4read!4"},
		/* a container and a type, or others that are the same letters */
		{PAJE_PUSH, "15", "xb", "a", "v", NULL, NULL, "+5v"},
		{PAJE_PUSH, "15", "b", "ax", "v", NULL, NULL, "+6v"},
	};

	(void)state;
	assert_lines(lines, COUNT(lines));
}

static void what_makes_no_sense_is_refused(void **state)
{
	static const struct line lines[] = {
		{PAJE_POP, "1", "S", "T1", NULL, NULL, NULL, "no"},
		{PAJE_PUSH, "x", "S", "T1", "a", NULL, NULL, "no"},
		{PAJE_PUSH, "-1", "S", "T1", "a", NULL, NULL, "no"},
		{PAJE_PUSH, "nan", "S", "T1", "a", NULL, NULL, "no"},
		{PAJE_PUSH, "1e300", "S", "T1", "a", NULL, NULL, "no"},
		{PAJE_PUSH, "1", "S", "T1", "", NULL, NULL, "no"},
		{PAJE_PUSH, "1.5e-05", "S", "T1", "a", NULL, NULL, "+1a"},
		{PAJE_ENTITY_VALUE, NULL, "S", NULL, NULL, "a", "", "no"},
	};

	(void)state;
	assert_lines(lines, COUNT(lines));
}

static void events_have_the_time_and_the_name_of_the_container(void **state)
{
	const struct paje_line lines[] = {
		{PAJE_CREATE, {[PAJE_ALIAS] = word("T"), [PAJE_NAME] = word("P#0 a long name")}},
		{PAJE_PUSH, {word("1.5e-05"), word("S"), word("T"), word("a")}},
	};
	struct blocks blocks = {0};
	struct paje_stacks *stacks = paje_stacks_new(&blocks);
	struct event event;

	(void)state;
	assert_int_equal(paje_stacks_take(stacks, &lines[0]), 0);
	assert_false(paje_stacks_pop(stacks, &event));
	assert_int_equal(paje_stacks_take(stacks, &lines[1]), 0);
	assert_true(paje_stacks_pop(stacks, &event));
	assert_int_equal(event.time_ns, 15000);
	assert_string_equal(event.comm, "P#0 a long name");
	assert_int_equal(event.pid, -1);
	assert_int_equal(event.count, 0);
	paje_stacks_free(stacks);
	blocks_release(&blocks);
}

static void stacks_have_an_end(void **state)
{
	const struct paje_line push = {PAJE_PUSH, {word("1"), word("S"), word("T"), word("a")}};
	const struct paje_line pop = {PAJE_POP, {word("1"), word("S"), word("T")}};
	struct blocks blocks = {0};
	struct paje_stacks *stacks = paje_stacks_new(&blocks);
	struct event event;

	(void)state;
	for (size_t i = 0; i < PAJE_DEPTH; i++) {
		assert_int_equal(paje_stacks_take(stacks, &push), 0);
		assert_true(paje_stacks_pop(stacks, &event));
	}
	assert_int_equal(paje_stacks_take(stacks, &push), -1);
	assert_false(paje_stacks_pop(stacks, &event));
	assert_int_equal(paje_stacks_take(stacks, &pop), 0);
	assert_true(paje_stacks_pop(stacks, &event));
	assert_int_equal(paje_stacks_take(stacks, &push), 0);
	assert_true(paje_stacks_pop(stacks, &event));
	paje_stacks_free(stacks);
	blocks_release(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_entered_and_left),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(stacks_have_an_end),
		cmocka_unit_test(events_have_the_time_and_the_name_of_the_container),
	};

	return RUN_TESTS(tests);
}
