/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/theory.h"

#include "base/alloc.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { US = 1000, MS = 1000 * US };

static struct theory_range exactly(double wall_ns)
{
	return (struct theory_range){wall_ns / 1e9, wall_ns / 1e9};
}

static struct mock_program *new_program(size_t threads)
{
	struct mock_program *program = xcalloc(1, sizeof(*program));

	program->thread_count = threads;
	return program;
}

static void work(struct mock_program *program, size_t thread, double ns)
{
	mock_add(program, thread, MOCK_WORK, 0, (uint64_t)ns);
}

/* --- Equal tasks: between those of fair slices and those that run to their end ---------------- */

enum { TASKS = 48, TASK_NS = 60 * MS };

static struct mock_program *make_tasks(uint64_t seed)
{
	struct mock_program *program = new_program(TASKS + 1);

	(void)seed;
	mock_add_forks(program);
	for (size_t i = 1; i <= TASKS; i++)
		work(program, i, TASK_NS);
	mock_add_joins(program);
	return program;
}

static struct theory_range tasks_wall(const struct mock_program *program, unsigned cores)
{
	(void)program;
	return (struct theory_range){(double)TASKS / cores * TASK_NS / 1e9,
				     ceil((double)TASKS / cores) * TASK_NS / 1e9};
}

/* --- A chain: each waits for the one before -------------------------------------------------- */

enum { LINKS = 40, LINK_NS = 10 * MS };

static struct mock_program *make_chain(uint64_t seed)
{
	struct mock_program *program = new_program(LINKS + 1);

	(void)seed;
	for (size_t i = 0; i < LINKS; i++)
		mock_add_object(program, MOCK_SEMAPHORE, i == 0);
	mock_add_forks(program);
	for (size_t i = 0; i < LINKS; i++) {
		mock_add(program, i + 1, MOCK_TAKE, i, 0);
		work(program, i + 1, LINK_NS);
		if (i + 1 < LINKS)
			mock_add(program, i + 1, MOCK_GIVE, i + 1, 0);
	}
	mock_add_joins(program);
	return program;
}

static struct theory_range chain_wall(const struct mock_program *program, unsigned cores)
{
	(void)program;
	(void)cores;
	return exactly((double)LINKS * LINK_NS);
}

/* --- A binary tree of forks, with equal leaves ----------------------------------------------- */

enum { DEPTH = 5, NODE_NS = 10 * MS, LEAF_NS = 80 * MS };

static struct mock_program *make_tree(uint64_t seed)
{
	struct mock_program *program = new_program((2 << DEPTH) - 1);
	size_t inner = ((size_t)1 << DEPTH) - 1;

	(void)seed;
	for (size_t i = 0; i < program->thread_count; i++) {
		work(program, i, i < inner ? NODE_NS : LEAF_NS);
		for (size_t k = 1; i < inner && k <= 2; k++)
			mock_add(program, i, MOCK_FORK, 2 * i + k, 0);
		for (size_t k = 1; i < inner && k <= 2; k++)
			mock_add(program, i, MOCK_JOIN, 2 * i + k, 0);
	}
	return program;
}

/* With a power of two of cores, all cores are busy from the level that has enough tasks up to the
 * end. */
static struct theory_range tree_wall(const struct mock_program *program, unsigned cores)
{
	double wall_ns = 0;

	(void)program;
	for (unsigned level = 0; level <= DEPTH; level++)
		wall_ns += fmax(1, (1U << level) / (double)cores) *
			   (level < DEPTH ? NODE_NS : LEAF_NS);
	return exactly(wall_ns);
}

/* --- Amdahl's law: alone, then together ------------------------------------------------------ */

enum { TEAM = 16, ROUNDS = 20, SERIAL_NS = 8 * MS, PARALLEL_NS = 6 * MS };

static struct mock_program *make_amdahl(uint64_t seed)
{
	struct mock_program *program = new_program(TEAM + 1);
	uint32_t barrier = mock_add_object(program, MOCK_BARRIER_OF, TEAM);

	(void)seed;
	mock_add(program, 0, MOCK_INIT, barrier, 0);
	mock_add_forks(program);
	for (size_t i = 1; i <= TEAM; i++)
		for (size_t round = 0; round < ROUNDS; round++) {
			if (i == 1)
				work(program, i, SERIAL_NS);
			mock_add(program, i, MOCK_BARRIER, barrier, 0);
			work(program, i, PARALLEL_NS);
			mock_add(program, i, MOCK_BARRIER, barrier, 0);
		}
	mock_add_joins(program);
	return program;
}

/* [Amdahl 1967] */
static struct theory_range amdahl_wall(const struct mock_program *program, unsigned cores)
{
	(void)program;
	return exactly(ROUNDS * (SERIAL_NS + (double)TEAM / cores * PARALLEL_NS));
}

/* --- A pipeline of two equal stages ---------------------------------------------------------- */

enum { ITEMS = 200, STAGE_NS = 2 * MS, CAPACITY = 4 };

static struct mock_program *make_pipeline(uint64_t seed)
{
	struct mock_program *program = new_program(2);
	uint32_t queue = mock_add_queue(program, CAPACITY, 1);

	(void)seed;
	mock_add_forks(program);
	for (size_t i = 0; i < ITEMS; i++) {
		work(program, 0, STAGE_NS);
		mock_add_put(program, 0, queue, i);
		mock_add_get(program, 1, queue);
		work(program, 1, STAGE_NS);
	}
	mock_add_joins(program);
	return program;
}

static struct theory_range pipeline_wall(const struct mock_program *program, unsigned cores)
{
	(void)program;
	return exactly((double)STAGE_NS * (cores == 1 ? 2 * ITEMS : ITEMS + 1));
}

/* --- One lock for all ------------------------------------------------------------------------ */

enum { LOCKERS = 8, SECTIONS = 60, SECTION_NS = 2 * MS, OUTSIDE_NS = MS / 2 };

static struct mock_program *make_locked(uint64_t seed)
{
	struct mock_program *program = new_program(LOCKERS + 1);

	(void)seed;
	mock_add_object(program, MOCK_MUTEX, 0);
	mock_add_forks(program);
	for (size_t i = 1; i <= LOCKERS; i++)
		for (size_t k = 0; k < SECTIONS; k++) {
			work(program, i, OUTSIDE_NS);
			mock_add(program, i, MOCK_LOCK, 0, 0);
			work(program, i, SECTION_NS);
			mock_add(program, i, MOCK_UNLOCK, 0, 0);
		}
	mock_add_joins(program);
	return program;
}

/* With two cores or more the lock is always held: a section is longer than the work between
 * sections. */
static struct theory_range locked_wall(const struct mock_program *program, unsigned cores)
{
	double sections = (double)LOCKERS * SECTIONS;

	(void)program;
	return exactly(cores == 1 ? sections * (SECTION_NS + OUTSIDE_NS)
				  : sections * SECTION_NS + OUTSIDE_NS);
}

/* --- Machine repair: threads that think and compute ------------------------------------------ */

enum { MACHINES = 12, CYCLES = 1500, REPAIR_NS = 4 * MS, THINK_NS = 12 * MS };

/*
 * The same quantiles in random order each time: so the mean is exact, and only their order is
 * random.
 */
static void draw_exponentials(double *values_ns, double mean_ns, gsl_rng *random)
{
	for (size_t i = 0; i < CYCLES; i++)
		values_ns[i] = -mean_ns * log(1 - ((double)i + .5) / CYCLES);
	gsl_ran_shuffle(random, values_ns, CYCLES, sizeof(*values_ns));
}

static struct mock_program *make_repair(uint64_t seed)
{
	struct mock_program *program = new_program(MACHINES + 1);
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	double think_ns[CYCLES], repair_ns[CYCLES];

	gsl_rng_set(random, (unsigned long)seed);
	mock_add_forks(program);
	for (size_t i = 1; i <= MACHINES; i++) {
		draw_exponentials(think_ns, THINK_NS, random);
		draw_exponentials(repair_ns, REPAIR_NS, random);
		for (size_t k = 0; k < CYCLES; k++) {
			mock_add(program, i, MOCK_SLEEP, 0, (uint64_t)think_ns[k]);
			work(program, i, repair_ns[k]);
		}
	}
	mock_add_joins(program);
	gsl_rng_free(random);
	return program;
}

/* M/M/c//N, births and deaths [Kleinrock 1975, 3.8]: cycles in a time. */
static struct theory_range repair_wall(const struct mock_program *program, unsigned cores)
{
	double weight = 1, weights = 0, busy = 0;

	(void)program;
	for (unsigned n = 0; n <= MACHINES; n++) {
		weights += weight;
		busy += weight * fmin(n, cores);
		weight *= (MACHINES - n) * ((double)REPAIR_NS / THINK_NS) / fmin(n + 1, cores);
	}
	return exactly((double)MACHINES * CYCLES * REPAIR_NS / (busy / weights));
}

/* --- Any forks and joins: Graham's bounds ---------------------------------------------------- */

static struct mock_program *make_forks(uint64_t seed)
{
	return mock_program_new("tree", seed);
}

static double work_ns(const struct mock_program *program)
{
	double sum_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t k = 0; k < program->threads[i].count; k++)
			if (program->threads[i].steps[k].op == MOCK_WORK)
				sum_ns += (double)program->threads[i].steps[k].value;
	return sum_ns;
}

/* The end of `thread`, which begins at `now_ns`, if no thread waits for a core. */
static double path_ns(const struct mock_program *program, size_t thread, double now_ns)
{
	const struct mock_code *code = &program->threads[thread];
	double ends_ns[MOCK_THREADS_MAX];

	for (size_t i = 0; i < code->count; i++) {
		const struct mock_step *step = &code->steps[i];

		if (step->op == MOCK_WORK)
			now_ns += (double)step->value;
		else if (step->op == MOCK_FORK)
			ends_ns[step->object] = path_ns(program, step->object, now_ns);
		else
			now_ns = fmax(now_ns, ends_ns[step->object]);
	}
	return now_ns;
}

/* [Graham 1966; Brent 1974], for every schedule that leaves no core idle while a thread is
 * runnable. */
static struct theory_range forks_wall(const struct mock_program *program, unsigned cores)
{
	double share_ns = work_ns(program) / cores, critical_ns = path_ns(program, 0, 0);

	return (struct theory_range){fmax(share_ns, critical_ns) / 1e9,
				     (share_ns + (1 - 1. / cores) * critical_ns) / 1e9};
}

/* --------------------------------------------------------------------------------------------- */

/* Theory has no costs of switches, wakes and births, which the machine has. */
const struct theory_case *theory_case(size_t number)
{
	static const struct theory_case cases[] = {
		{"equal tasks", MOCK_CALLS_NONE, make_tasks, tasks_wall, .01, 1},
		{"chain", MOCK_CALLS_NONE, make_chain, chain_wall, .01, 1},
		{"tree", MOCK_CALLS_NONE, make_tree, tree_wall, .01, 1},
		{"Amdahl's law", MOCK_CALLS_NONE, make_amdahl, amdahl_wall, .01, 1},
		{"Amdahl, calls", MOCK_CALLS_ALL, make_amdahl, amdahl_wall, .01, 1},
		{"pipeline", MOCK_CALLS_NONE, make_pipeline, pipeline_wall, .01, 1},
		{"one lock", MOCK_CALLS_ALL, make_locked, locked_wall, .02, 1},
		{"machine repair", MOCK_CALLS_NONE, make_repair, repair_wall, .02, 1},
		{"forks, joins", MOCK_CALLS_NONE, make_forks, forks_wall, .01, 20},
	};

	return number < sizeof(cases) / sizeof(*cases) ? &cases[number] : NULL;
}

double theory_error(struct theory_range range, double wall_s)
{
	if (wall_s < range.lo_s)
		return wall_s / range.lo_s - 1;
	return wall_s > range.hi_s ? wall_s / range.hi_s - 1 : 0;
}
