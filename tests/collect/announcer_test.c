/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/recorder_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The last message, and the number of messages. */
struct told {
	char text[64];
	int count;
};

static void note(void *context, const char *sentence)
{
	struct told *told = context;

	snprintf(told->text, sizeof(told->text), "%s", sentence);
	__atomic_fetch_add(&told->count, 1, __ATOMIC_SEQ_CST);
}

static int count_of(const struct told *told)
{
	return __atomic_load_n(&told->count, __ATOMIC_SEQ_CST);
}

static void a_long_step_is_announced_once_while_it_lasts(void **state)
{
	struct told told = {.count = 0};
	struct announcer announcer;

	(void)state;
	announcer_init(&announcer, note, &told);
	announcer_step(&announcer, "attaching probes to 412 functions");
	while (!count_of(&told))
		usleep(10000);
	assert_string_equal(told.text, "attaching probes to 412 functions");
	announcer_step(&announcer, NULL);
	assert_int_equal(count_of(&told), 1);
}

static void a_short_step_is_not_announced(void **state)
{
	struct told told = {.count = 0};
	struct announcer announcer;

	(void)state;
	announcer_init(&announcer, note, &told);
	announcer.patience_ns = 3600000000000; /* longer than any step */
	announcer_step(&announcer, "one");
	announcer_step(&announcer, "two");
	announcer_step(&announcer, NULL);
	assert_int_equal(count_of(&told), 0);
}

static void without_a_listener_there_is_no_thread(void **state)
{
	struct announcer announcer;

	(void)state;
	announcer_init(&announcer, NULL, NULL);
	announcer_step(&announcer, "one");
	assert_false(announcer.watches);
	announcer_step(&announcer, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_long_step_is_announced_once_while_it_lasts),
	cmocka_unit_test(a_short_step_is_not_announced),
	cmocka_unit_test(without_a_listener_there_is_no_thread),
};

TEST_FILE(tests);
