/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

/* Reads a drawing; rows as in draw/drawing.h. */
static void edges_of(struct cpu_edges *edges, const char *const *rows, size_t thread_count)
{
	static const int32_t tids[] = {DRAWING_TID, DRAWING_TID + 1};
	const struct selection drawn = {.tids = tids, .tid_count = 2};
	struct event_source *source = drawing_source(rows);
	struct timeline *timeline = timeline_new(source, &drawn);
	struct change change;
	struct err err;
	int rc;

	*edges = (struct cpu_edges){0};
	while ((rc = timeline_next(timeline, &change, &err)) > 0)
		cpu_edges_add(edges, &change);
	assert_int_equal(rc, 0);
	cpu_edges_finish(edges, timeline_begin_ns(timeline), thread_count);
	timeline_free(timeline);
	event_source_free(source);
}

/* In microseconds. */
static void assert_parts(const struct time_loss *loss, double wall, double work, double overhead,
			 double delay, double no_work)
{
	const struct {
		const char *name;
		double got, want;
	} parts[] = {
		{"wall time", loss->wall_s, wall},	  {"work", loss->work_s, work},
		{"overhead", loss->overhead_s, overhead}, {"delay", loss->delay_s, delay},
		{"no work", loss->no_work_s, no_work},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_close_at(parts[i].got * 1e6 + 1, parts[i].want + 1, 1e-9, parts[i].name,
				__FILE__, __LINE__);
	assert_close(loss->work_s + loss->overhead_s + loss->delay_s + loss->no_work_s,
		     loss->cores * loss->wall_s, 1e-9);
}

/*
 * Columns of 1 us. Both run for 4; then the first runs alone, with the other asleep for 3 and
 * runnable for 2; and then the other one, while the first waits for a CPU.
 */
static const char *const rows[] = {"RRRRRRRRRww", "RRRR...wwRR", NULL};

static void each_instant_is_shared_by_the_rule(void **state)
{
	static const struct cpu_shares works[] = {{.work = 1}, {.work = 1}};
	struct sampled_loss loss;
	struct cpu_edges edges;

	(void)state;
	edges_of(&edges, rows, 2);
	sampled_loss(&loss, 1, &edges, works, 2);
	assert_parts(&loss.loss, 11, 15, 0, 2 + 2, 3);
	assert_close(loss.several_s * 1e6, 4, 1e-9);
	assert_close(loss.any_s * 1e6, 11, 1e-9);
	/* With 4 cores there is more time without work, and as many threads wait. */
	sampled_loss(&loss, 1, &edges, works, 4);
	assert_parts(&loss.loss, 11, 15, 0, 4, 44 - 19);
	/* Both at the same time on one core: half of each is lost in neither way. */
	sampled_loss(&loss, 1, &edges, works, 1);
	assert_parts(&loss.loss, 11, 11, 0, 0, 0);
	assert_close(loss.loss.crowded_s * 1e6, 4, 1e-9);
	cpu_edges_release(&edges);
}

/* The first waits in loops for half of its time; while the other is runnable, that is delay. */
static void a_thread_that_spins_does_no_work(void **state)
{
	static const struct cpu_shares shares[] = {{.work = .25, .overhead = .25, .waiting = .5},
						   {.work = 1, .serial = .5}};
	struct sampled_loss loss;
	struct cpu_edges edges;

	(void)state;
	edges_of(&edges, rows, 2);
	sampled_loss(&loss, 1, &edges, shares, 2);
	assert_parts(&loss.loss, 11, 9 / 4. + 6, 9 / 4., 2 + 2, 2 + 4.5 + 1);
	assert_close(loss.serial_work_s * 1e6, 3, 1e-9);
	/* On one core the runnable thread could have had that half. */
	sampled_loss(&loss, 1, &edges, shares, 1);
	assert_close(loss.loss.delay_s * 1e6, 2 * .5, 1e-9);
	assert_close(loss.loss.preempted_s * 1e6, 2 * .5, 1e-9);
	cpu_edges_release(&edges);
}

/* Parts have their own shares, and add up to the whole. */
static void parts_of_the_time_have_their_own_loss(void **state)
{
	static const struct cpu_shares shares[11 * 2] = {
		[0] = {.work = 1}, [1] = {.work = 1},  [2] = {.overhead = 1},
		[3] = {.work = 1}, [20] = {.work = 1}, [21] = {.work = 1}};
	struct sampled_loss parts[11];
	struct cpu_edges edges;

	(void)state;
	edges_of(&edges, rows, 2);
	sampled_loss(parts, 11, &edges, shares, 2);
	assert_parts(&parts[0].loss, 1, 2, 0, 0, 0);
	assert_parts(&parts[1].loss, 1, 1, 1, 0, 0);
	assert_parts(&parts[10].loss, 1, 1, 0, 1, 0);
	assert_close(parts[10].begin_s * 1e6, 10, 1e-9);
	cpu_edges_release(&edges);
}

static void a_thread_that_is_born_and_ends_counts_between(void **state)
{
	static const char *const lives[] = {"RRRRRR", "  RR  ", NULL};
	static const struct cpu_shares works[] = {{.work = 1}, {.work = 1}};
	struct sampled_loss loss;
	struct cpu_edges edges;

	(void)state;
	edges_of(&edges, lives, 2);
	assert_int_equal(edges.running_ns, 8000);
	sampled_loss(&loss, 1, &edges, works, 2);
	assert_parts(&loss.loss, 6, 8, 0, 0, 4);
	cpu_edges_release(&edges);
}

/* Its switches are hidden: by its samples it ran for three quarters of the time. */
static void samples_tell_the_running_part_of_unknown_time(void **state)
{
	static const struct cpu_shares shares[] = {{.work = 1, .ran = .75}};
	const struct change hidden = {.begin_ns = 1000,
				      .end_ns = 9000,
				      .state = STATE_ACTIVE,
				      .next = STATE_UNKNOWN,
				      .thread = 0};
	const struct change lost = {.begin_ns = 9000,
				    .end_ns = 13000,
				    .state = STATE_UNKNOWN,
				    .next = STATE_NONE,
				    .thread = 0};
	struct cpu_edges edges = {0};
	struct sampled_loss loss;

	(void)state;
	cpu_edges_add(&edges, &hidden);
	cpu_edges_add(&edges, &lost);
	cpu_edges_finish(&edges, 0, 1);
	sampled_loss(&loss, 1, &edges, shares, 2);
	assert_parts(&loss.loss, 13, 6 + 3, 0, 2, 26 - 11);
	assert_close(loss.any_s * 1e6, 12, 1e-9);
	cpu_edges_release(&edges);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_instant_is_shared_by_the_rule),
	cmocka_unit_test(a_thread_that_spins_does_no_work),
	cmocka_unit_test(parts_of_the_time_have_their_own_loss),
	cmocka_unit_test(a_thread_that_is_born_and_ends_counts_between),
	cmocka_unit_test(samples_tell_the_running_part_of_unknown_time),
};

TEST_FILE(tests);
