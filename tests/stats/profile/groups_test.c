/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

/* Threads 100, 102, ... are called "even-100" ..., the rest "odd"; each name comes with a
 * switch. */
static int (*next_of_drawing)(struct event_source *source, struct event *event, struct err *err);

static int next_with_names(struct event_source *source, struct event *event, struct err *err)
{
	int rc = next_of_drawing(source, event, err);

	if (rc > 0 && event->tid >= DRAWING_TID && event->kind == EVENT_SWITCH)
		snprintf(event->comm, sizeof(event->comm), event->tid % 2 ? "odd" : "even-%d",
			 event->tid);
	return rc;
}

static void profile_of(struct profile *profile, const char *const *rows,
		       const struct selection *selection, enum profile_by by)
{
	struct event_source *source = drawing_source(rows);
	struct profiler *profiler;
	struct err err = {.text = ""};

	next_of_drawing = source->next;
	source->next = next_with_names;
	profiler = profiler_new(source, selection, 0);
	profiler_group(profiler, by);
	if (profiler_run(profiler, &err))
		fail_msg("%s", err.text);
	profiler_profile(profile, profiler);
	profiler_free(profiler);
	event_source_free(source);
}

static void assert_same_levels(const struct level_times *a, const struct level_times *b)
{
	assert_int_equal(a->total_ns, b->total_ns);
	assert_int_equal(a->unknown_ns, b->unknown_ns);
	assert_int_equal(a->max_active, b->max_active);
	for (size_t j = 0; j <= a->max_active; j++)
		assert_int_equal(a->wall_ns[j], b->wall_ns[j]);
}

static const char *const rows[] = {"RRR..wRRDDwRRTTRRRRRR..", "..wwRR...wRR....HH.wRRR",
				   "RRRR..RwRRR..wwwwRR....", "R....wR..............wR", NULL};
static const int32_t ids[] = {100, 102, 101, 103};

/* Compares each group with a profile of its threads alone. */
static void threads_of_a_name_have_levels_of_their_own(void **state)
{
	static const struct selection all = {.tids = ids, .tid_count = 4};
	static const struct selection halves[] = {{.tids = ids, .tid_count = 2},
						  {.tids = ids + 2, .tid_count = 2}};
	struct profile profile;

	(void)state;
	profile_of(&profile, rows, &all, PROFILE_BY_NAME);
	assert_int_equal(profile.group_count, 2);
	for (size_t i = 0; i < 2; i++) {
		struct profile_group *group = &profile.groups[i];
		struct profile half;

		assert_int_equal(group->thread_count, 2);
		profile_of(&half, rows,
			   &halves[strcmp(thread_name_text(&group->sum.name), "even-*") != 0],
			   PROFILE_BY_THREAD);
		assert_int_equal(half.group_count, 0);
		assert_same_levels(&group->levels, &half.levels);
		for (size_t one = 0; one < STATE_COUNT; one++)
			assert_int_equal(group->sum.state_ns[one],
					 half.threads[0].state_ns[one] +
						 half.threads[1].state_ns[one]);
		assert_int_equal(group->sum.switches,
				 half.threads[0].switches + half.threads[1].switches);
		profile_release(&half);
	}
	profile_release(&profile);
}

static void one_group_of_all_threads_has_the_levels_of_the_target(void **state)
{
	static const char *const born[] = {" RRR..wwRRDDwRTTwRR", "   wwRR...wRR", "     RR.wR",
					   NULL};
	static const int32_t root[] = {DRAWING_TID};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	struct profile profile;

	(void)state;
	profile_of(&profile, born, &tree, PROFILE_BY_PROCESS);
	assert_int_equal(profile.group_count, 1);
	assert_int_equal(profile.groups[0].thread_count, 3);
	assert_same_levels(&profile.groups[0].levels, &profile.levels);
	assert_close(profile.groups[0].mean_active, profile.mean_active, 1e-15);
	profile_release(&profile);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(threads_of_a_name_have_levels_of_their_own),
	cmocka_unit_test(one_group_of_all_threads_has_the_levels_of_the_target),
};

TEST_FILE(tests);
