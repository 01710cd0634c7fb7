/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline_private.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>

/* The slow way: a list in which each change is after those that end no later. */
struct list {
	struct change *changes;
	size_t count, capacity;
};

static void list_add(struct list *list, const struct change *change)
{
	size_t i = list->count++;

	array_reserve(&list->changes, &list->capacity, list->count);
	for (; i && list->changes[i - 1].end_ns > change->end_ns; i--)
		list->changes[i] = list->changes[i - 1];
	list->changes[i] = *change;
}

static struct change list_take(struct list *list, size_t i)
{
	struct change change = list->changes[i];

	list->count--;
	for (; i < list->count; i++)
		list->changes[i] = list->changes[i + 1];
	return change;
}

static void assert_first(struct held_changes *held, struct list *list)
{
	struct change want = list_take(list, 0);

	const struct change *first = held_changes_first(held);

	assert_int_equal(first->thread, want.thread);
	assert_int_equal(held_changes_take(held, first)->thread, want.thread);
}

static void assert_copy(const struct held_changes *held, const struct list *list)
{
	struct change *copy = xcalloc(held_changes_count(held), sizeof(*copy));
	size_t count = held_changes_copy(held, copy);

	assert_int_equal(count, list->count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(copy[i].thread, list->changes[i].thread);
	free(copy);
}

enum { CHANGES = 3000 };

/* Adds a change that ends now, or was known late. */
static void add(struct held_changes *held, struct list *list, struct change change, uint32_t *place)
{
	*held_changes_add(held, change.end_ns, place) = change;
	list_add(list, &change);
}

/* Moves the end of a held change to an earlier time. */
static void advance(struct held_changes *held, struct list *list, uint32_t place)
{
	const struct change *found = held_changes_find(held, place);
	uint64_t end_ns;

	for (size_t i = 0; found && i < list->count; i++) {
		struct change change;

		if (list->changes[i].thread != found->thread)
			continue;
		change = list_take(list, i);
		end_ns = change.end_ns - (uint64_t)rand() % 20;
		held_changes_advance(held, place, end_ns);
		assert_null(held_changes_find(held, place));
		change.end_ns = end_ns;
		list_add(list, &change);
		return;
	}
}

static void changes_come_in_the_order_of_their_ends_after_any_correction(void **state)
{
	(void)state;
	srand(1);
	for (int trial = 0; trial < 20; trial++) {
		/* In every other trial the numbers of changes overflow their type. */
		const size_t before = trial % 2 ? UINT32_MAX - CHANGES / 2 : 0;
		struct held_changes held = {.begin = before, .end = before};
		uint32_t places[CHANGES];
		struct list list = {0};
		uint64_t now_ns = 1000;

		for (size_t i = 0; i < CHANGES; i++) {
			uint64_t late_ns = rand() % 4 ? 0 : (uint64_t)rand() % 50;

			now_ns += (uint64_t)rand() % 3;
			add(&held, &list, (struct change){.thread = i, .end_ns = now_ns - late_ns},
			    &places[i]);
			if (rand() % 3 == 0)
				advance(&held, &list,
					places[i - (size_t)rand() % (i < 50 ? i + 1 : 50)]);
			while (list.count && rand() % (trial + 2))
				assert_first(&held, &list);
			if (i % 500 == 0)
				assert_copy(&held, &list);
		}
		assert_copy(&held, &list);
		while (list.count)
			assert_first(&held, &list);
		assert_null(held_changes_first(&held));
		assert_int_equal(held_changes_count(&held), 0);
		held_changes_release(&held);
		free(list.changes);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(changes_come_in_the_order_of_their_ends_after_any_correction),
};

TEST_FILE(tests);
