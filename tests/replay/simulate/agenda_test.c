/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/agenda.h"

#include "random.h"
#include "support.h"

enum { THINGS = 300 };

/* The slow way, by looking at all: the keys of the entries, and the first one. */
struct model {
	struct agenda_entry entries[THINGS];
	bool in[THINGS];
};

static uint32_t first_of(const struct model *model)
{
	uint32_t first = THINGS;

	for (uint32_t i = 0; i < THINGS; i++) {
		const struct agenda_entry *a = &model->entries[i];
		const struct agenda_entry *b = &model->entries[first < THINGS ? first : 0];

		if (model->in[i] &&
		    (first == THINGS || a->key < b->key || (a->key <= b->key && a->tie < b->tie)))
			first = i;
	}
	return first;
}

static struct agenda_entry some_entry(struct random *random, uint32_t id)
{
	return (struct agenda_entry){
		.key = (double)random_below(random, 40), .tie = id * 7919 % THINGS, .id = id};
}

/* Adds, moves or removes a thing; or takes the first, and compares. */
static void change(struct agenda *agenda, struct model *model, struct random *random)
{
	uint32_t id = (uint32_t)random_below(random, THINGS), first = first_of(model);
	bool removes = random_one_in(random, 3);

	if (random_one_in(random, 3) && first < THINGS) {
		assert_int_equal(agenda_first(agenda)->id, first);
		assert_int_equal(agenda_take_first(agenda).id, first);
		model->in[first] = false;
	} else if (model->in[id] && removes) {
		agenda_remove(agenda, id);
		model->in[id] = false;
	} else {
		model->entries[id] = some_entry(random, id);
		if (model->in[id])
			agenda_move(agenda, model->entries[id]);
		else
			agenda_add(agenda, model->entries[id]);
		model->in[id] = true;
	}
}

static void the_first_is_always_the_least(void **state)
{
	struct random random = {1};
	struct model model = {.in = {false}};
	struct agenda agenda;

	(void)state;
	agenda_init_movable(&agenda, THINGS);
	for (size_t i = 0; i < 20000; i++)
		change(&agenda, &model, &random);
	for (uint32_t first; (first = first_of(&model)) < THINGS; model.in[first] = false)
		assert_int_equal(agenda_take_first(&agenda).id, first);
	assert_null(agenda_first(&agenda));
	agenda_release(&agenda);
}

static void an_unused_agenda_needs_no_initialisation(void **state)
{
	struct agenda agenda = {.count = 0};

	(void)state;
	assert_null(agenda_first(&agenda));
	for (uint32_t i = 0; i < THINGS; i++)
		agenda_add(&agenda,
			   (struct agenda_entry){.key = 1. * (i * 7919 % THINGS), .id = i});
	for (uint32_t i = 0; i < THINGS; i++)
		assert_int_equal(agenda_take_first(&agenda).key, i);
	agenda_release(&agenda);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_first_is_always_the_least),
	cmocka_unit_test(an_unused_agenda_needs_no_initialisation),
};

TEST_FILE(tests);
