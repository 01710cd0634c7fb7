/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes of programs that mock/program.h draws from. */
#include "mock/program.h"

#include "base/alloc.h"
#include "random.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

enum { US = 1000, MS = 1000 * US };

/* Another run of a program has only other lengths: these come from dice of their own. */
struct dice {
	gsl_rng *program;
	gsl_rng *lengths; /* NULL: from `program`, too */
};

/* --- Lengths --------------------------------------------------------------------------------- */

/* A length of mean `mean_ns` and standard deviation `variation` * `mean_ns`. */
static uint64_t lognormal_ns(const struct dice *dice, double mean_ns, double variation)
{
	double sigma2 = log(1 + variation * variation);

	double ns = gsl_ran_lognormal(dice->program, log(mean_ns) - sigma2 / 2, sqrt(sigma2));

	if (dice->lengths)
		ns = gsl_ran_lognormal(dice->lengths, log(mean_ns) - sigma2 / 2, sqrt(sigma2));
	return (uint64_t)ns + 1;
}

static uint64_t exponential_ns(const struct dice *dice, double mean_ns)
{
	double ns = gsl_ran_exponential(dice->program, mean_ns);

	if (dice->lengths)
		ns = gsl_ran_exponential(dice->lengths, mean_ns);
	return (uint64_t)ns + 1;
}

static size_t between(const struct dice *dice, size_t least, size_t most)
{
	return least + gsl_rng_uniform_int(dice->program, (unsigned long)(most - least + 1));
}

/* A number between the two, uniform in its logarithm. */
static double spread(const struct dice *dice, double least, double most)
{
	return least * pow(most / least, gsl_rng_uniform(dice->program));
}

/* The count of repetitions of `mean_ns` that fills the CPU time of a program. */
static size_t repeats(const struct dice *dice, double mean_ns)
{
	double total_ns = spread(dice, 0.2e9, 2e9);

	return (size_t)fmin(fmax(total_ns / mean_ns, 4), 20000);
}

static void work(struct mock_program *program, size_t thread, uint64_t ns)
{
	mock_add(program, thread, MOCK_WORK, 0, ns);
}

/* --- Classes --------------------------------------------------------------------------------- */

static void fork_join(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 2, 20);
	double mean = spread(dice, 0.3, 5) * MS, variation = spread(dice, 0.1, 1);
	size_t rounds = repeats(dice, mean * (double)threads);
	double serial = gsl_rng_uniform(dice->program) < 0.5 ? 0 : spread(dice, 0.05, 0.5) * mean;
	uint32_t barrier = mock_add_object(program, MOCK_BARRIER_OF, threads);

	program->thread_count = threads + 1;
	mock_add(program, 0, MOCK_INIT, barrier, 0);
	work(program, 0, lognormal_ns(dice, 2 * MS, 0.5));
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < rounds; i++) {
			work(program, thread, lognormal_ns(dice, mean, variation));
			mock_add(program, thread, MOCK_BARRIER, barrier, 0);
			if (serial <= 0)
				continue;
			if (thread == 1)
				work(program, thread, lognormal_ns(dice, serial, variation));
			mock_add(program, thread, MOCK_BARRIER, barrier, 0);
		}
	mock_add_joins(program);
	work(program, 0, lognormal_ns(dice, 1 * MS, 0.5));
}

/* A worker of a pipeline: from one queue into the next, or into none. */
static void add_stage(struct mock_program *program, size_t thread, const uint32_t *from,
		      const uint32_t *to, uint32_t table, uint32_t group, size_t ends)
{
	struct mock_code *code = &program->threads[thread];
	size_t at_end;

	mock_add_get(program, thread, *from);
	at_end = code->count;
	mock_add(program, thread, MOCK_JUMP_AT_END, 0, 0);
	mock_add(program, thread, MOCK_WORK_ITEM, table, 0);
	if (to)
		mock_add_put(program, thread, *to, MOCK_NO_ITEM);
	mock_add(program, thread, MOCK_JUMP, 0, 0);
	code->steps[at_end].value = code->count;
	if (!to)
		return;
	mock_add(program, thread, MOCK_JUMP_UNLESS_LAST, group, 0);
	for (size_t i = 0; i < ends; i++)
		mock_add_put_end(program, thread, *to);
	code->steps[code->count - ends * (size_t)5 - 1].value = code->count;
}

static uint32_t random_table(struct mock_program *program, const struct dice *dice, size_t count,
			     double mean_ns, double variation)
{
	uint32_t table = mock_add_table(program, count);

	for (size_t i = 0; i < count; i++)
		program->tables[table].ns[i] = lognormal_ns(dice, mean_ns, variation);
	return table;
}

/* Items go from stage to stage; each stage has one thread, or up to `most`. */
static void pipeline_of(struct mock_program *program, const struct dice *dice, size_t most)
{
	enum { STAGES_MAX = 8 };
	size_t stages = between(dice, 2, STAGES_MAX), replicas[STAGES_MAX + 1] = {1};
	double mean = spread(dice, 0.2, 2) * MS, variation = spread(dice, 0.1, 1);
	size_t items = repeats(dice, mean * (double)(stages + 1)), thread = 1;
	int by_semaphores = gsl_rng_uniform(dice->program) < 0.5;
	uint32_t queues[STAGES_MAX];

	for (size_t i = 0; i < stages; i++) {
		queues[i] = mock_add_queue(program, between(dice, 1, 16), by_semaphores);
		replicas[i + 1] = between(dice, 1, most);
	}
	for (size_t i = 0; i < stages; i++) {
		double own = mean * spread(dice, 0.3, 3) * (double)replicas[i + 1];
		uint32_t table = random_table(program, dice, items, own, variation);
		uint32_t group = mock_add_object(program, MOCK_GROUP, replicas[i + 1]);

		for (size_t k = 0; k < replicas[i + 1]; k++)
			add_stage(program, thread++, &queues[i],
				  i + 1 < stages ? &queues[i + 1] : NULL, table, group,
				  i + 1 < stages ? replicas[i + 2] : 0);
	}
	program->thread_count = thread;
	mock_add_forks(program);
	for (size_t item = 0; item < items; item++) {
		work(program, 0, lognormal_ns(dice, mean * 0.5, variation));
		mock_add_put(program, 0, queues[0], item);
	}
	for (size_t k = 0; k < replicas[1]; k++)
		mock_add_put_end(program, 0, queues[0]);
	mock_add_joins(program);
}

static void pipeline(struct mock_program *program, const struct dice *dice)
{
	pipeline_of(program, dice, 1);
}

/* The first free thread takes the next item, as in a pool. */
static void farm(struct mock_program *program, const struct dice *dice)
{
	pipeline_of(program, dice, 4);
}

static void compute_sleep(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 3, 30);
	double mean = spread(dice, 0.3, 4) * MS, pause = mean * spread(dice, 0.5, 10);
	double disks = gsl_rng_uniform(dice->program) < 0.5 ? 0 : gsl_rng_uniform(dice->program);
	size_t rounds = repeats(dice, mean * (double)threads);

	program->thread_count = threads + 1;
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < rounds; i++) {
			enum mock_op op =
				gsl_rng_uniform(dice->program) < disks ? MOCK_DISK : MOCK_SLEEP;

			work(program, thread, exponential_ns(dice, mean));
			mock_add(program, thread, op, 0, exponential_ns(dice, pause));
		}
	mock_add_joins(program);
}

static void unequal(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 3, 24);
	double mean = spread(dice, 20, 200) * MS, variation = spread(dice, 0.3, 1.5);

	program->thread_count = threads + 1;
	work(program, 0, lognormal_ns(dice, mean * 0.1, 0.5));
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		work(program, thread, lognormal_ns(dice, mean, variation));
	mock_add_joins(program);
	work(program, 0, lognormal_ns(dice, mean * 0.1, 0.5));
}

static void locks(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 2, 16), count = between(dice, 1, 4);
	double outside = spread(dice, 0.1, 2) * MS;
	double inside = outside * spread(dice, 0.02, 0.5);
	size_t rounds = repeats(dice, (outside + inside) * (double)threads);

	for (size_t i = 0; i < count; i++)
		mock_add_object(program, MOCK_MUTEX, 0);
	program->thread_count = threads + 1;
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < rounds; i++) {
			size_t lock = between(dice, 0, count - 1);

			work(program, thread, exponential_ns(dice, outside));
			mock_add(program, thread, MOCK_LOCK, lock, 0);
			work(program, thread, exponential_ns(dice, inside));
			mock_add(program, thread, MOCK_UNLOCK, lock, 0);
		}
	mock_add_joins(program);
}

static void nested(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 2, 16);
	double outside = spread(dice, 0.2, 2) * MS;
	double inside = outside * spread(dice, 0.02, 0.2);
	size_t rounds = repeats(dice, (outside + 2 * inside) * (double)threads);
	uint32_t outer = mock_add_object(program, MOCK_MUTEX, 0);
	uint32_t inner = mock_add_object(program, MOCK_MUTEX, 0);

	program->thread_count = threads + 1;
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < rounds; i++) {
			bool both = gsl_rng_uniform(dice->program) < 0.6;

			work(program, thread, exponential_ns(dice, outside));
			if (both) {
				mock_add(program, thread, MOCK_LOCK, outer, 0);
				work(program, thread, exponential_ns(dice, inside));
			}
			mock_add(program, thread, MOCK_LOCK, inner, 0);
			work(program, thread, exponential_ns(dice, inside));
			mock_add(program, thread, MOCK_UNLOCK, inner, 0);
			if (both)
				mock_add(program, thread, MOCK_UNLOCK, outer, 0);
		}
	mock_add_joins(program);
}

static void readers(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 3, 16);
	double outside = spread(dice, 0.2, 2) * MS, writers = spread(dice, 0.03, 0.3);
	double inside = outside * spread(dice, 0.05, 0.5);
	size_t rounds = repeats(dice, (outside + inside) * (double)threads);
	uint32_t lock = mock_add_object(program, MOCK_RWLOCK, 0);

	program->thread_count = threads + 1;
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < rounds; i++) {
			bool writes = gsl_rng_uniform(dice->program) < writers;

			work(program, thread, exponential_ns(dice, outside));
			mock_add(program, thread, writes ? MOCK_WRITE_LOCK : MOCK_READ_LOCK, lock,
				 0);
			work(program, thread, exponential_ns(dice, inside));
			mock_add(program, thread, MOCK_RW_UNLOCK, lock, 0);
		}
	mock_add_joins(program);
}

static void pool(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 2, 16);
	double mean = spread(dice, 0.3, 5) * MS, variation = spread(dice, 0.3, 1.5);
	size_t tasks = repeats(dice, mean);
	uint32_t queue =
		mock_add_queue(program, tasks + threads, gsl_rng_uniform(dice->program) < 0.5);
	uint32_t table = random_table(program, dice, tasks, mean, variation);
	uint32_t group = mock_add_object(program, MOCK_GROUP, threads);
	double produce = mean * spread(dice, 0.01, 0.2);

	program->thread_count = threads + 1;
	for (size_t thread = 1; thread <= threads; thread++)
		add_stage(program, thread, &queue, NULL, table, group, 0);
	mock_add_forks(program);
	for (size_t task = 0; task < tasks; task++) {
		work(program, 0, lognormal_ns(dice, produce, 0.5));
		mock_add_put(program, 0, queue, task);
	}
	for (size_t thread = 1; thread <= threads; thread++)
		mock_add_put_end(program, 0, queue);
	mock_add_joins(program);
}

/* Threads that sleep and work for items that they take from a counter without a lock. */
static void counter(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 8, 24);
	double mean = spread(dice, 0.3, 3) * MS;
	uint64_t nap_ns = (uint64_t)(mean * spread(dice, 0.5, 5));
	size_t tasks = repeats(dice, mean);
	uint32_t queue = mock_add_queue(program, tasks + threads, 0);
	uint32_t table = random_table(program, dice, tasks, mean, spread(dice, 0.3, 1.5));

	program->thread_count = threads + 1;
	for (size_t task = 0; task < tasks; task++)
		mock_add(program, 0, MOCK_PUT, queue, task);
	for (size_t thread = 1; thread <= threads; thread++) {
		mock_add(program, 0, MOCK_PUT_END, queue, 0);
		mock_add(program, thread, MOCK_GET, queue, 0);
		mock_add(program, thread, MOCK_JUMP_AT_END, 0, 5);
		mock_add(program, thread, MOCK_SLEEP, 0, nap_ns);
		mock_add(program, thread, MOCK_WORK_ITEM, table, 0);
		mock_add(program, thread, MOCK_JUMP, 0, 0);
	}
	mock_add_forks(program);
	mock_add_joins(program);
}

/* Work that arrives at given times, of as many kinds as threads: each thread does one kind. */
static void source(struct mock_program *program, const struct dice *dice)
{
	size_t threads = between(dice, 3, 12);
	double gap = spread(dice, 1, 5) * MS, load = spread(dice, 0.3, 1.2);
	size_t count = (size_t)(400 * MS / gap);

	program->thread_count = threads + 1;
	mock_add_forks(program);
	for (size_t thread = 1; thread <= threads; thread++)
		for (size_t i = 0; i < count; i++) {
			mock_add(program, thread, MOCK_SLEEP_DUE, 0, lognormal_ns(dice, gap, 0.3));
			work(program, thread, exponential_ns(dice, load * gap / (double)threads));
		}
	mock_add_joins(program);
}

/* Thread `thread` works, makes other threads work, and works again. */
static void add_node(struct mock_program *program, const struct dice *dice, size_t thread,
		     size_t depth, double mean)
{
	size_t children = depth ? between(dice, 1, 3) : 0, first = program->thread_count;

	if (first + children > 31)
		children = 0;
	program->thread_count += children;
	work(program, thread, lognormal_ns(dice, mean, 1));
	for (size_t i = 0; i < children; i++)
		mock_add(program, thread, MOCK_FORK, first + i, 0);
	work(program, thread, lognormal_ns(dice, mean, 1));
	for (size_t i = 0; i < children; i++)
		add_node(program, dice, first + i, depth - 1, mean);
	for (size_t i = 0; i < children; i++)
		mock_add(program, thread, MOCK_JOIN, first + i, 0);
	work(program, thread, lognormal_ns(dice, mean, 1));
}

static void tree(struct mock_program *program, const struct dice *dice)
{
	program->thread_count = 1;
	add_node(program, dice, 0, between(dice, 3, 5), spread(dice, 2, 30) * MS);
}

static const struct class
{
	const char *name;
	void (*write)(struct mock_program *program, const struct dice *dice);
} classes[] = {
	{"fork-join", fork_join}, {"pipeline", pipeline}, {"sleep", compute_sleep},
	{"unequal", unequal},	  {"pool", pool},	  {"tree", tree},
	{"farm", farm},		  {"locks", locks},	  {"nested", nested},
	{"readers", readers},	  {"counter", counter},	  {"source", source},
};

const char *mock_class_name(size_t number)
{
	return number < sizeof(classes) / sizeof(*classes) ? classes[number].name : NULL;
}

struct mock_program *mock_program_new(const char *class_name, uint64_t seed)
{
	return mock_program_again(class_name, seed, 0);
}

struct mock_program *mock_program_again(const char *class_name, uint64_t seed, uint64_t run)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct mock_program *program;
		struct dice dice = {NULL, NULL};

		if (strcmp(class_name, classes[i].name))
			continue;
		program = xcalloc(1, sizeof(*program));
		dice.program = gsl_rng_alloc(gsl_rng_mt19937);
		gsl_rng_set(dice.program, (unsigned long)(seed * 16 + i + 1));
		if (run) {
			dice.lengths = gsl_rng_alloc(gsl_rng_ranlxd1);
			gsl_rng_set(dice.lengths, (unsigned long)run);
		}
		classes[i].write(program, &dice);
		gsl_rng_free(dice.program);
		gsl_rng_free(dice.lengths);
		return program;
	}
	return NULL;
}
