/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/random_program.h"

enum { THREADS_MAX = 12, LOCKS = 3, LONGEST_NS = 2000000 };

struct maker {
	struct program *program;
	struct random *random;
	unsigned kinds;
	uint32_t threads;
	uint32_t tokens, barrier, pause; /* sites, behind the locks */
	uint32_t given, taken;
};

static uint64_t random_ns(struct maker *maker)
{
	return random_one_in(maker->random, 4) ? 0 : random_below(maker->random, LONGEST_NS);
}

static struct step *add(struct maker *maker, uint32_t thread, enum step_op op)
{
	return program_add_step(maker->program, thread, random_ns(maker), op);
}

/*
 * All threads end if the steps run in the order of adding. They end in every other order, too, if
 * edges lead only to the same or the upper half of the threads, only the lower half gives tokens,
 * only the upper half takes them, and a thread that holds a lock waits only for the next higher
 * lock.
 */
static bool is_upper(const struct maker *maker, uint32_t thread)
{
	return thread >= maker->threads / 2;
}

static void add_edge(struct maker *maker, uint32_t from)
{
	uint32_t to = (uint32_t)random_below(maker->random, maker->threads);
	uint32_t edge = maker->program->edge_count;
	struct step *step;

	if (to == from || (is_upper(maker, from) && !is_upper(maker, to)))
		return;
	step = add(maker, from, STEP_WAKE);
	step->thread = to;
	step->edge = edge;
	add(maker, to, STEP_BLOCK)->edge = edge;
	maker->program->edge_count++;
}

static void add_section(struct maker *maker, uint32_t thread)
{
	bool shared = random_one_in(maker->random, 3);
	uint32_t first = (uint32_t)random_below(maker->random, LOCKS);
	uint32_t last = first + (uint32_t)random_below(maker->random, LOCKS - first);

	for (uint32_t lock = first; lock <= last; lock++)
		add(maker, thread, shared ? STEP_LOCK_SHARED : STEP_LOCK)->site = lock;
	if (maker->kinds & RANDOM_PAUSES && random_one_in(maker->random, 4))
		add(maker, thread, STEP_DEVICE)->pause = step_pause(random_ns(maker), maker->pause);
	for (uint32_t lock = first; lock <= last; lock++)
		add(maker, thread, STEP_UNLOCK)->site = lock;
}

static void add_token(struct maker *maker, uint32_t thread)
{
	struct step *step;

	if (!is_upper(maker, thread)) {
		step = add(maker, thread, STEP_GIVE);
		step->site = maker->tokens;
		step->count = (uint32_t)random_below(maker->random, 3);
		maker->given += step->count;
	} else if (maker->taken < maker->given) {
		add(maker, thread, STEP_TAKE)->site = maker->tokens;
		maker->taken++;
	}
}

static void add_barrier(struct maker *maker)
{
	for (uint32_t i = 0; i < maker->threads; i++)
		add(maker, i, STEP_BARRIER)->site = maker->barrier;
}

static void add_something(struct maker *maker, uint32_t thread)
{
	unsigned kind = 1u << random_below(maker->random, 6) & (maker->kinds | 48);

	if (kind == RANDOM_PAUSES)
		add(maker, thread, random_one_in(maker->random, 2) ? STEP_POLL : STEP_SLEEP)
			->pause = step_pause(random_ns(maker), maker->pause);
	else if (kind == RANDOM_LOCKS)
		add_section(maker, thread);
	else if (kind == RANDOM_TOKENS)
		add_token(maker, thread);
	else if (kind == RANDOM_BARRIERS && random_one_in(maker->random, 4))
		add_barrier(maker);
	else if (kind == 16)
		add(maker, thread, random_one_in(maker->random, 2) ? STEP_YIELD : STEP_NONE);
	else
		add_edge(maker, thread);
}

static void add_threads(struct maker *maker)
{
	for (uint32_t i = 0; i < maker->threads; i++) {
		uint32_t parent = (uint32_t)random_below(maker->random, i);

		program_add_thread(maker->program, (int32_t)i + 1, 1, "random");
		if (i && random_one_in(maker->random, 2)) {
			maker->program->threads[i].forked = true;
			add(maker, parent, STEP_FORK)->thread = i;
		} else if (maker->kinds & RANDOM_PAUSES) {
			maker->program->threads[i].start_ns = random_ns(maker);
		}
	}
}

void random_program(struct program *program, struct random *random, unsigned kinds)
{
	struct maker maker = {.program = program, .random = random, .kinds = kinds};
	size_t count = random_below(random, 120);

	*program = (struct program){0};
	maker.threads = 1 + (uint32_t)random_below(random, THREADS_MAX);
	for (uint32_t i = 0; i < LOCKS; i++)
		program_add_site(program, SITE_LOCK);
	maker.tokens = program_add_site(program, SITE_TOKENS);
	maker.barrier = program_add_site(program, SITE_BARRIER);
	maker.pause = program_add_site(program, SITE_SLEEP);
	program->sites[maker.barrier].parties = maker.threads;
	add_threads(&maker);
	for (size_t i = 0; i < count; i++)
		add_something(&maker, (uint32_t)random_below(random, maker.threads));
	for (uint32_t i = 0; i < maker.threads; i++) {
		if (i + 1 < maker.threads)
			add(&maker, i, STEP_JOIN)->thread = i + 1;
		add(&maker, i, STEP_EXIT);
	}
}

/* --- Garbage --------------------------------------------------------------------------------- */

static uint32_t random_index(struct random *random, size_t count)
{
	return random_one_in(random, 16) ? (uint32_t)random_next(random)
					 : (uint32_t)random_below(random, count + 1);
}

void random_garbage(struct program *program, struct random *random)
{
	struct maker maker = {.program = program, .random = random};

	*program = (struct program){0};
	maker.threads = (uint32_t)random_below(random, THREADS_MAX);
	program->edge_count = (uint32_t)random_below(random, 40);
	for (size_t i = random_below(random, 5); i-- > 0;) {
		uint32_t site =
			program_add_site(program, (enum site_kind)random_below(random, SITE_KINDS));

		program->sites[site].parties = (uint32_t)random_below(random, 4);
		program->sites[site].tokens = (uint32_t)random_below(random, 4);
	}
	for (uint32_t i = 0; i < maker.threads; i++) {
		program_add_thread(program, (int32_t)i, 1, "garbage");
		program->threads[i].forked = random_one_in(random, 2);
		for (size_t j = random_below(random, 60); j-- > 0;) {
			enum step_op op = (enum step_op)random_below(random, STEP_OPS + 1);
			struct step *step = add(&maker, i, op);

			if (step_op_is_pause(op)) {
				step->pause =
					step_pause(random_ns(&maker), random_index(random, 5));
				continue;
			}
			step->site = random_index(random, op < STEP_LOCK ? maker.threads : 5);
			step->edge = random_index(random, program->edge_count);
		}
	}
}
