/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damaged inputs of every kind: each is read, or refused in one sentence, without a crash, a
 * finding of a sanitizer, a hang of 20 s or more than 256 MB.
 *
 *	mutants_test			a fixed share of them
 *	mutants_test COUNT		so many of each seed; or FROM-TO, up to below TO
 *	mutants_test SEED NUMBER	writes this mutant to standard output
 *	mutants_test --write COUNT	writes so many of each seed to files SEED-NUMBER
 *	mutants_test --silent COUNT	names those whose profile changed without a warning, though
 *					the damage can be detected; counts the rest by their kind
 *	mutants_test --diff SEED NUMBER	prints the events and records that differ from the seed's
 */
#include "damage/mutate.h"

#include "base/err.h"
#include "check/bytes_check.h"
#include "check/csv_check.h"
#include "damage/batch.h"
#include "damage/untold.h"
#include "decode/timeline/timeline.h"
#include "decode/trace_input.h"
#include "random.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { SHARE = 15, CPU_MS = 20000, BYTES_MAX = 256 << 20 };

static int check_mutant(void *context, uint64_t number, bool *read, struct err *err)
{
	const struct seed *seed = context;
	struct bytes bytes = mutant_make(seed, number);
	bool is_series;
	int rc = bytes_check_trace(read, bytes.at, bytes.count, err);

	if (!rc && seed->kind == SEED_CSV) {
		rc = csv_check_bytes(&is_series, bytes.at, bytes.count, err);
		*read |= is_series;
	}
	free(bytes.at);
	return rc;
}

/* Checks `to` mutants of each seed. */
static struct batch_result check_seeds(uint64_t from, uint64_t to)
{
	struct batch_result sum = {0};
	const struct seed *seed;

	printf("  %-16s %8s %8s %8s %10s %8s\n", "seed", "read", "refused", "failed", "bytes",
	       "us");
	for (size_t i = 0; (seed = seed_get(i)); i++) {
		struct batch batch = {seed->name, check_mutant, (void *)(uintptr_t)seed, CPU_MS,
				      BYTES_MAX};
		struct batch_result result = {0};

		batch_run(&result, &batch, from, to);
		printf("  %-16s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64
		       "\n",
		       seed->name, result.read, result.refused, result.failed, result.most_bytes,
		       result.most_us);
		sum.read += result.read;
		sum.refused += result.refused;
		sum.failed += result.failed;
	}
	return sum;
}

/* --- Mutants ------------------------------------------------------------------------------- */

static void mutants_are_read_or_refused_with_a_sentence(void **state)
{
	struct batch_result sum = check_seeds(1, SHARE + 1);

	(void)state;
	assert_int_equal(sum.failed, 0);
	assert_true(sum.read + sum.refused >= 500);
	assert_true(sum.read >= 125);
	assert_true(sum.refused >= 125);
}

static bool are_same(const struct seed *seed, uint64_t one, uint64_t other)
{
	struct bytes a = mutant_make(seed, one), b = mutant_make(seed, other);
	bool same = a.count == b.count && memcmp(a.at, b.at, a.count) == 0;

	free(a.at);
	free(b.at);
	return same;
}

static void the_same_number_makes_the_same_mutant(void **state)
{
	const struct seed *seed;

	(void)state;
	for (size_t i = 0; (seed = seed_get(i)); i++) {
		int others = 0;

		assert_true(are_same(seed, 7, 7));
		for (uint64_t number = 1; number <= 8; number++)
			others += !are_same(seed, number, 0) && !are_same(seed, number, 9);
		assert_true(others >= 4); /* two lines may be the same, and change places */
	}
}

/* Each kind of damage changes some input. */
static void each_mutation_changes_some_input(void **state)
{
	(void)state;
	for (enum seed_kind kind = SEED_PERFDATA; kind <= SEED_TEXT; kind++) {
		const struct seed *seed = seed_get(0);

		for (size_t i = 0; seed->kind != kind; i++)
			seed = seed_get(i);
		for (size_t way = 0; way < mutate_count(kind); way++) {
			struct bytes whole = seed_make(seed);
			struct random random = {way};
			int changed = 0;

			for (int i = 0; i < 8; i++) {
				struct bytes bytes = seed_make(seed);

				mutate(&bytes, kind, way, &random);
				changed += bytes.count != whole.count ||
					   memcmp(bytes.at, whole.at, whole.count) != 0;
				free(bytes.at);
			}
			if (!changed)
				fail_msg("'%s' does nothing", mutate_name(kind, way));
			free(whole.at);
		}
	}
}

/* --- Changes without a word ---------------------------------------------------------------- */

/* The first figures of a profile. */
struct outcome {
	bool is_read;
	double values[4]; /* wall time, unknown part of it, threads ready, number of threads */
	struct quality quality;
};

static struct outcome outcome_of(const struct seed *seed, uint64_t number)
{
	const struct selection everybody = {0};
	struct bytes bytes = mutant_make(seed, number);
	struct outcome outcome = {0};
	struct event_source *source;
	struct profile profile;
	struct err why;
	char path[64];
	int fd = bytes_check_file(bytes.at, bytes.count, path);
	struct input *input = input_open(path, INPUT_OF_ANYONE, &why);

	source = input ? trace_input_read(input, &why) : NULL;
	if (source && !profile_init(&profile, source, &everybody, 0, &why)) {
		outcome = (struct outcome){true,
					   {(double)profile.levels.total_ns / 1e9,
					    (double)profile.levels.unknown_ns / 1e9,
					    level_times_mean(&profile.levels),
					    (double)profile.thread_count},
					   profile.quality};
		profile_release(&profile);
	}
	event_source_free(source);
	close(fd);
	free(bytes.at);
	return outcome;
}

static bool has_same_words(struct quality a, const struct quality *b)
{
	a.events = b->events;
	return memcmp(&a, b, sizeof(a)) == 0;
}

/* More time is reported as unknown, and no more of it as known. */
static bool is_said(const struct outcome *a, const struct outcome *b)
{
	double known = a->values[0] - a->values[1], was_known = b->values[0] - b->values[1];

	return a->values[0] >= .999 * b->values[0] && known <= was_known + .001 * b->values[0] &&
	       a->values[1] - b->values[1] > .01 * b->values[0];
}

/* The cases that `pscal timeline --audit` lists, up to CASES_MAX. */
enum { CASES_MAX = 1024 };

static size_t list_cases(struct finding *cases, const struct seed *seed, uint64_t number)
{
	const struct selection everybody = {0};
	struct bytes bytes = mutant_make(seed, number);
	struct event_source *source;
	struct timeline *timeline;
	size_t count = 0;
	struct err why;
	char path[64];
	int fd = bytes_check_file(bytes.at, bytes.count, path);
	struct input *input = input_open(path, INPUT_OF_ANYONE, &why);

	source = input ? trace_input_read(input, &why) : NULL;
	timeline = source ? timeline_new(source, &everybody) : NULL;
	while (timeline && count < CASES_MAX &&
	       timeline_next_finding(timeline, &cases[count], &why) > 0)
		count++;
	timeline_free(timeline);
	event_source_free(source);
	close(fd);
	free(bytes.at);
	return count;
}

/* True if there is a case that the seed does not have. Equal cases have the same fact, thread and
 * time. */
static bool has_another_case(const struct seed *seed, uint64_t number)
{
	static struct finding seeds[CASES_MAX], cases[CASES_MAX];
	size_t seed_count = list_cases(seeds, seed, 0), count = list_cases(cases, seed, number);

	for (size_t i = 0; i < count; i++) {
		bool found = false;

		for (size_t j = 0; j < seed_count && !found; j++)
			found = cases[i].fact == seeds[j].fact && cases[i].tid == seeds[j].tid &&
				cases[i].time_ns == seeds[j].time_ns;
		if (!found)
			return true;
	}
	return false;
}

/* Some figure has changed by more than a tenth. */
static bool has_changed(const struct outcome *a, const struct outcome *b)
{
	for (size_t i = 0; i < sizeof(a->values) / sizeof(a->values[0]); i++)
		if (!(fabs(a->values[i] - b->values[i]) <= .1 * fabs(b->values[i])) &&
		    !(isnan(a->values[i]) && isnan(b->values[i])))
			return true;
	return false;
}

struct silence {
	uint64_t read;	     /* mutants with a profile */
	uint64_t changed;    /* ... that differs from that of the seed, without a warning */
	uint64_t could;	     /* ... though the damage can be detected */
	uint64_t untold[32]; /* by kind, see damage/untold.h; some have more than one kind */
};

static void judge(struct silence *silence, const struct seed *seed, uint64_t number)
{
	uint32_t kinds = untold_kinds(seed, number);

	silence->changed++;
	silence->could += !kinds;
	if (!kinds)
		printf("  %s %" PRIu64 " changed without a warning\n", seed->name, number);
	for (size_t i = 0; untold_get(i); i++)
		silence->untold[i] += kinds >> i & 1;
}

/* The mutants from `from` up to below `to` of each seed. */
static struct silence listen(uint64_t from, uint64_t to)
{
	struct silence silence = {0};
	const struct seed *seed;

	for (size_t i = 0; (seed = seed_get(i)); i++) {
		const struct outcome whole = outcome_of(seed, 0);

		for (uint64_t number = from; number < to && whole.is_read; number++) {
			struct outcome outcome = outcome_of(seed, number);

			silence.read += outcome.is_read;
			if (outcome.is_read && has_changed(&outcome, &whole) &&
			    !is_said(&outcome, &whole) &&
			    has_same_words(outcome.quality, &whole.quality) &&
			    !has_another_case(seed, number))
				judge(&silence, seed, number);
		}
	}
	return silence;
}

/*
 * Damage may look like a valid recording: an event less, another number or name. A profile reports
 * all other damage, however small.
 */
static void a_profile_changes_only_with_a_warning(void **state)
{
	struct silence silence = listen(1, SHARE + 1);

	(void)state;
	assert_int_equal(silence.could, 0);
	assert_true(silence.read >= 250);
}

/* --- Faults of their watcher --------------------------------------------------------------- */

enum { FINE, CRASH, HANG, GREED, FINDING, OVERRUN };

static int misbehave(void *context, uint64_t number, bool *read, struct err *err)
{
	int how = *(int *)context;
	volatile char *memory;

	*read = number % 2;
	if (number != 3)
		return 0;
	switch (how) {
	case CRASH:
		abort();
	case HANG:
		for (;;)
			;
	case GREED:
		memory = calloc(2, BYTES_MAX / 2);
		for (size_t i = 0; i < BYTES_MAX; i += 4096)
			memory[i] = 1;
		free((void *)(uintptr_t)memory);
		return 0;
	case FINDING:
		return err_set(err, "no good");
	case OVERRUN:
		memory = malloc(1);
		memory[*(volatile int *)context] = 1;
		free((void *)(uintptr_t)memory);
		return 0;
	default:
		return 0;
	}
}

static void a_fault_of_a_mutant_is_noticed(void **state)
{
	static const struct {
		int how;
		const char *message;
	} cases[] = {
		{FINE, ""},
		{CRASH, "x 3: ended by signal 6"},
		{HANG, "x 3: hung"},
		{GREED, "x 3: took "},
		{FINDING, "x 3: no good"},
#ifdef __SANITIZE_ADDRESS__
		{OVERRUN, "x 3: ended"},
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int how = cases[i].how;
		/* Only an endless loop may reach the limit, also on a slow machine. */
		uint64_t cpu_ms = how == HANG ? 200 : 20000;
		struct batch batch = {"x", misbehave, &how, cpu_ms, BYTES_MAX - 1};
		struct batch_result result = {0};

		batch_run(&result, &batch, 1, 6);
		assert_int_equal(result.failed, how != FINE);
		assert_memory_equal(result.message, cases[i].message, strlen(cases[i].message));
		assert_int_equal(result.read, how == FINE ? 3 : 2);
		assert_int_equal(result.refused, 2);
	}
}

/* --- By hand ------------------------------------------------------------------------------- */

static const struct seed *find_seed(const char *name)
{
	const struct seed *seed;

	for (size_t i = 0; (seed = seed_get(i)); i++)
		if (strcmp(seed->name, name) == 0)
			return seed;
	fprintf(stderr, "there is no seed '%s'\n", name);
	return NULL;
}

static int write_mutant(const char *name, const char *number)
{
	const struct seed *seed = find_seed(name);
	struct bytes bytes;

	if (!seed)
		return 2;
	bytes = mutant_make(seed, strtoull(number, NULL, 10));
	fwrite(bytes.at, 1, bytes.count, stdout);
	free(bytes.at);
	return 0;
}

static int print_diff(const char *name, const char *number)
{
	const struct seed *seed = find_seed(name);

	if (!seed)
		return 2;
	untold_print(seed, strtoull(number, NULL, 10));
	return 0;
}

static int write_file(const struct seed *seed, uint64_t number)
{
	struct bytes bytes = mutant_make(seed, number);
	char name[64];
	FILE *file;
	int rc;

	snprintf(name, sizeof(name), "%s-%" PRIu64, seed->name, number);
	file = fopen(name, "w");
	rc = !file || fwrite(bytes.at, 1, bytes.count, file) != bytes.count || fclose(file);
	if (rc)
		perror(name);
	free(bytes.at);
	return rc;
}

static int write_files(uint64_t count)
{
	const struct seed *seed;

	for (size_t i = 0; (seed = seed_get(i)); i++)
		for (uint64_t number = 1; number <= count; number++)
			if (write_file(seed, number))
				return 2;
	return 0;
}

/* The first number of `TO` or `FROM-TO`. */
static uint64_t begin_of(const char *range)
{
	return strchr(range, '-') ? strtoull(range, NULL, 10) : 0;
}

static uint64_t end_of(const char *range)
{
	const char *dash = strchr(range, '-');

	return strtoull(dash ? dash + 1 : range, NULL, 10);
}

static int name_silent(const char *range)
{
	struct silence silence = listen(begin_of(range), end_of(range));

	for (size_t i = 0; untold_get(i); i++)
		printf("  %5" PRIu64 " %s: %s\n", silence.untold[i], untold_get(i)->name,
		       untold_get(i)->reason);
	printf("mutants: %" PRIu64 " of %" PRIu64 " changed without a word, %" PRIu64
	       " of them with damage that can be detected\n",
	       silence.changed, silence.read, silence.could);
	return silence.could ? 1 : 0;
}

static int check_many(const char *range)
{
	struct batch_result sum = check_seeds(begin_of(range), end_of(range));

	printf("mutants: %" PRIu64 " passed, %" PRIu64 " failed\n", sum.read + sum.refused,
	       sum.failed);
	return sum.failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_changes_only_with_a_warning),
		cmocka_unit_test(mutants_are_read_or_refused_with_a_sentence),
		cmocka_unit_test(the_same_number_makes_the_same_mutant),
		cmocka_unit_test(each_mutation_changes_some_input),
		cmocka_unit_test(a_fault_of_a_mutant_is_noticed),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return write_files(strtoull(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "--silent") == 0)
		return name_silent(argv[2]);
	if (argc == 4 && strcmp(argv[1], "--diff") == 0)
		return print_diff(argv[2], argv[3]);
	if (argc == 3)
		return write_mutant(argv[1], argv[2]);
	if (argc == 2)
		return check_many(argv[1]);
	return RUN_TESTS(tests);
}
