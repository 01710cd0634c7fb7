/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/work.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/steps.h"
#include "replay/program/program_gaps.h"
#include "replay/program/spin.h"
#include "replay/program/step.h"
#include "stats/own_code.h"
#include "support.h"

#include <stdlib.h>
#include <time.h>

static struct program program;
static struct samples samples;
static struct chains chains;
static struct own_returns returns;

static int set_up(void **state)
{
	(void)state;
	own_code_map(&samples);
	samples.timed = true;
	returns = own_code_returns();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	program_release(&program);
	samples_release(&samples);
	chains_release(&chains);
	program = (struct program){0};
	chains = (struct chains){0};
	return 0;
}

static volatile int flag;

/* Sets the address of its loop. */
static __attribute__((noinline)) int spin_on_flag(struct own_returns *own)
{
	own->innermost = own_code_address(&&loop);
loop:
	if (!flag)
		goto loop;
	return flag;
}

static uint64_t spinning_at(void)
{
	struct own_returns own = {0};

	flag = 1;
	spin_on_flag(&own);
	return own.innermost;
}

/*
 * Samples of a thread in order: 'm' is in own_middle, called by own_outer; 'o' is in own_outer
 * itself, 'l' in the C library, 'w' waits for a flag, '-' is at an unknown place.
 */
static void sample(int32_t tid, const char *letters)
{
	const uint64_t outer = own_code_function(own_outer);
	const uint64_t middle[] = {returns.innermost, returns.middle};

	for (; *letters; letters++) {
		struct sampled row = {
			.pid = OWN_PID, .tid = tid, .time_ns = 10 + samples.row_count, .count = 1};

		row.ip = *letters == 'm'   ? middle[0]
			 : *letters == 'o' ? outer
			 : *letters == 'l' ? own_code_libc()
			 : *letters == 'w' ? spinning_at()
					   : 0x1234;
		if (*letters == 'm')
			row.chain = chains_add(&chains, OWN_PID, 1, middle, 2) & 0xffffff;
		array_reserve(&samples.rows, &samples.row_capacity, samples.row_count + 1);
		samples.rows[samples.row_count++] = row;
	}
}

/* Changes the program so, and compares it with the other one. */
static void assert_scaled(const struct work_change *changes, size_t count, struct work *work,
			  const char *text)
{
	struct program want;
	char *got_text, *want_text;

	work_scale(&program, work, changes, count);
	steps_read(&want, text);
	got_text = steps_text(&program);
	want_text = steps_text(&want);
	assert_string_equal(got_text, want_text);
	free(got_text);
	free(want_text);
	program_release(&want);
}

static void read_program(const char *text)
{
	steps_read(&program, text);
	for (size_t i = 0; i < program.thread_count; i++)
		program.threads[i].pid = OWN_PID;
}

/* 8 samples of 8 ms: each stands for 1 ms; the second and the last two are in own_middle. */
static void cpu_time_of_a_function_is_scaled_at_its_samples(void **state)
{
	struct work_change change = {.share = .5};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 1.5ms sleep(3ms) 4500us sleep(1ms) 2ms");
	sample(1, "lm-oolmm");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	assert_int_equal(change.part.samples, 3);
	assert_close(change.part.share, 3. / 8, 1e-12);
	assert_scaled(&change, 1, work, "a: 1250us sleep(3ms) 4250us sleep(1ms) 1ms");
	work_part_release(&change.part);
	work_free(work);
}

static void too_few_samples_are_reported_as_coarse(void **state)
{
	static const struct {
		const char *program;
		bool coarse;
	} cases[] = {
		{"a: 1ms yield() 1ms yield() 1ms", false},
		{"a: 1ms yield() 1ms yield() 1ms yield() 1ms", true},
	};

	(void)state;
	sample(1, "ooo");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct work_part part = {0};
		struct work *work;
		struct err err;

		program_release(&program);
		read_program(cases[i].program);
		work = work_new(&program, &samples, &chains, false);
		assert_int_equal(work_find(&part, work, "own_outer", &err), 0);
		assert_int_equal(part.coarse, cases[i].coarse);
		work_part_release(&part);
		work_free(work);
	}
}

static void a_caller_has_the_time_of_its_callees(void **state)
{
	static const struct {
		const char *text;
		uint64_t samples;
	} cases[] = {
		{"own_outer", 5},
		{"own_middle", 3},
		{"own_middle < own_outer", 3},
		{"own_outer < own_middle", 0},
		{"own_", 0},
		{"own_middle < own", 0},
		{"own_middle <", 0},
		{"", 0},
	};
	struct work *work;

	(void)state;
	read_program("a: 8ms");
	sample(1, "lm-oolmm");
	work = work_new(&program, &samples, &chains, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct work_part part = {0};
		struct err err;
		int rc = work_find(&part, work, cases[i].text, &err);

		assert_int_equal(part.samples, cases[i].samples);
		assert_int_equal(rc, cases[i].samples ? 0 : -1);
		if (rc)
			assert_non_null(strstr(err.text, "no sample is in a function"));
		work_part_release(&part);
	}
	work_free(work);
}

static void threads_are_scaled_as_a_whole_by_name(void **state)
{
	struct work_change change = {.share = 2};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: fork(b) 3ms join(b)\nb: 1ms sleep(1ms) 2ms");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "thread:b", &err), 0);
	assert_close(change.part.share, .5, 1e-12);
	assert_int_equal(change.part.samples, 0);
	assert_scaled(&change, 1, work, "a: fork(b) 3ms join(b)\nb: 2ms sleep(1ms) 4ms");
	assert_int_equal(work_find(&change.part, work, "thread:bb", &err), -1);
	assert_non_null(strstr(err.text, "no thread has the name 'bb'"));
	work_part_release(&change.part);
	work_free(work);
}

/* A thread without samples keeps its work, except changes of threads. */
static void several_changes_multiply(void **state)
{
	struct work_change changes[2] = {{.share = .5}, {.share = .5}};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: fork(b) 4ms join(b)\nb: 4ms");
	sample(1, "oooo");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&changes[0].part, work, "own_outer", &err), 0);
	assert_int_equal(work_find(&changes[1].part, work, "thread:a", &err), 0);
	assert_scaled(changes, 2, work, "a: fork(b) 1ms join(b)\nb: 4ms");
	work_part_release(&changes[0].part);
	work_part_release(&changes[1].part);
	work_free(work);
}

/* Of 8 ms two were busy-waiting: 6 samples stand for 6 ms. */
static void busy_waiting_is_no_work_of_a_function(void **state)
{
	struct work_change change = {.share = .5};
	struct spun spun;
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 8ms");
	sample(1, "lwmmwlll");
	spin_to_waits(&program, &samples, &spun);
	assert_int_equal(spun.moved_ns, 2000000);
	work = work_new(&program, &samples, &chains, true);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	assert_close(change.part.share, 2. / 6, 1e-12);
	assert_int_equal(work_find(&change.part, work, "spin_on_flag", &err), -1);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	work_scale(&program, work, &change, 1);
	assert_int_equal(program_work_ns(&program), 5000000);
	assert_int_equal(step_run_ns(&program.threads[0].steps[1]), 1000000);
	work_part_release(&change.part);
	work_free(work);
}

/* The cost of recorded calls is taken out of the program: 6 samples stand for 6 ms. */
static void samples_in_probes_are_no_work(void **state)
{
	struct work_change change = {.share = .5};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 6ms");
	sample(1, "lmm-l-ll");
	samples_note_probe(&samples, OWN_PID, 0x1234);
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	assert_close(change.part.share, 2. / 6, 1e-12);
	assert_scaled(&change, 1, work, "a: 5ms");
	work_part_release(&change.part);
	work_free(work);
}

static void functions_are_found_by_their_samples(void **state)
{
	const struct work_function *functions;
	uint64_t of_samples;
	struct work *work;
	size_t count;

	(void)state;
	read_program("a: 8ms");
	sample(1, "-m-oo-mm");
	work = work_new(&program, &samples, &chains, false);
	functions = work_functions(&count, &of_samples, work);
	assert_int_equal(of_samples, 8);
	assert_int_equal(count, 2);
	assert_string_equal(functions[0].name, "own_outer");
	assert_int_equal(functions[0].samples, 5);
	assert_string_equal(functions[1].name, "own_middle");
	assert_int_equal(functions[1].samples, 3);
	work_free(work);
}

static void without_samples_the_error_tells_how_to_record_them(void **state)
{
	struct work_part part = {0};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 8ms");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&part, work, "own_outer", &err), -1);
	assert_non_null(strstr(err.text, "record with -F 499 -g"));
	work_part_release(&part);
	work_free(work);
}

static void a_name_of_other_threads_is_not_ranked(void **state)
{
	struct work_on_path ranked[2];
	double path_ns[] = {1e6, 2e6};
	struct work *work;

	(void)state;
	read_program("app: 1ms\nb: 2ms");
	thread_name_take(&program.threads[1].name, (char[COMM_SIZE]){"app"});
	thread_name_label(&program.threads[1].name, "app encoder");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_rank(ranked, 2, &program, work, path_ns, true), 1);
	assert_string_equal(ranked[0].text, "thread:app encoder");
	work_on_path_release(ranked, 1);
	work_free(work);
}

/*
 * Two samples of 4 ms: one in own_middle under the lock, one beside it. With known times of samples
 * it is the work under the lock, both times, and else the first half.
 */
static void work_under_a_lock_is_scaled_there(void **state)
{
	static const char locked[] = "a: lock(m) 1ms unlock(m) 1ms lock(m) 1ms unlock(m) 1ms";
	static const struct {
		bool has_gaps;
		uint64_t hold_ns;
		const char *scaled;
	} cases[] = {
		{true, 1000000, "a: lock(m) 500us unlock(m) 1ms lock(m) 500us unlock(m) 1ms"},
		{false, 0, "a: lock(m) 500us unlock(m) 500us lock(m) 1ms unlock(m) 1ms"},
	};

	(void)state;
	sample(1, "mo");
	/* The thread waits for a CPU from 2.2 to 12.2 ms, and so is at 3.5 ms of its work then. */
	samples.rows[0].time_ns = 500000;
	samples.rows[1].time_ns = 13500000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct work_change change = {.share = .5};
		struct work *work;
		struct err err;

		program_release(&program);
		program = (struct program){0};
		read_program(locked);
		if (cases[i].has_gaps)
			program_add_gap(&program, 0,
					(struct program_gap){.run_ns = 2200000,
							     .begin_ns = 2200000,
							     .end_ns = 12200000});
		work = work_new(&program, &samples, &chains, false);
		assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
		assert_int_equal(change.part.hold_ns, cases[i].hold_ns);
		assert_scaled(&change, 1, work, cases[i].scaled);
		work_part_release(&change.part);
		work_free(work);
	}
}

/* Samples of the first three steps at 1, 4 and 7 ms: between them the nearest one counts. */
static void a_sample_stands_for_the_cpu_time_next_to_it(void **state)
{
	struct work_change change = {.share = .5};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 2ms yield() 4ms yield() 2ms yield() 4ms");
	program_add_gap(&program, 0, (struct program_gap){12000000, 12000000, 12000000, 0, 0});
	sample(1, "momo");
	for (size_t i = 0; i < samples.row_count; i++)
		samples.rows[i].time_ns = 1000000 + i * 3000000;
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	assert_scaled(&change, 1, work, "a: 1ms yield() 3500us yield() 1ms yield() 4ms");
	work_part_release(&change.part);
	work_free(work);
}

/*
 * One sample a ms. The work of the second step was made even. Recorded with 4 ms, its samples are
 * denser and stand for that work alone. Recorded without work, it has none: the nearest ones count.
 */
static void samples_of_work_made_even_stay_in_it(void **state)
{
	static const struct {
		uint64_t recorded_ns;
		const char *letters, *scaled;
	} cases[] = {{4000000, "mmoooomm", "a: 1ms barrier(b) 1ms barrier(b) 1ms barrier(b)"},
		     {0, "mmoo", "a: 1ms barrier(b) 750us barrier(b) 2ms barrier(b)"}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		const uint64_t all_ns = 4000000 + cases[c].recorded_ns;
		struct work_change change = {.share = .5};
		struct work *work;
		struct err err;

		read_program("a: 2ms barrier(b) 1ms barrier(b) 2ms barrier(b)");
		program_add_gap(&program, 0, (struct program_gap){all_ns, all_ns, all_ns, 0, 0});
		array_reserve(&program.threads[0].even_spans,
			      &program.threads[0].even_span_capacity, 1);
		program.threads[0].even_spans[program.threads[0].even_span_count++] =
			(struct even_span){1, 2, 2000000, cases[c].recorded_ns, 1000000};
		program.threads[0].steps[1].count = 0;
		sample(1, cases[c].letters);
		for (size_t i = 0; i < samples.row_count; i++)
			samples.rows[i].time_ns = 500000 + i * 1000000;
		work = work_new(&program, &samples, &chains, false);
		assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
		assert_scaled(&change, 1, work, cases[c].scaled);
		work_part_release(&change.part);
		work_free(work);
		tear_down(state);
		set_up(state);
	}
}

/*
 * One sample a ms. Two of the 4 ms under the lock are those of a use that was added: in own_middle as the
 * recorded one, and so two of the samples there without a lock are of such uses.
 */
static void work_of_added_uses_is_that_of_recorded_ones(void **state)
{
	static const struct {
		const char *samples, *scaled;
	} cases[] = {
		{"mommooooom", "a: 2ms lock(m) 1ms unlock(m) 2ms lock(m,0) 1ms unlock(m,0) 2ms"},
		/* One more than these is other work. */
		{"ommmoooomm", "a: 1500us lock(m) 1ms unlock(m) 2ms lock(m,0) 1ms unlock(m,0) 2ms"},
		/* Nothing of own_middle is under the lock. */
		{"moooooooom",
		 "a: 1500us lock(m) 2ms unlock(m) 2ms lock(m,0) 2ms unlock(m,0) 1375us"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct work_change change = {.share = .5};
		struct work *work;
		struct err err;

		program_release(&program);
		program = (struct program){0};
		read_program("a: 2ms lock(m) 2ms unlock(m) 2ms lock(m,0) 2ms unlock(m,0) 2ms");
		program_add_gap(&program, 0,
				(struct program_gap){.run_ns = 10000000,
						     .begin_ns = 10000000,
						     .end_ns = 10000000});
		samples.row_count = 0;
		sample(1, cases[i].samples);
		for (size_t j = 0; j < samples.row_count; j++)
			samples.rows[j].time_ns = 500000 + j * 1000000;
		work = work_new(&program, &samples, &chains, false);
		assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
		assert_scaled(&change, 1, work, cases[i].scaled);
		work_part_release(&change.part);
		work_free(work);
	}
}

/*
 * One sample a ms. The first thread has no sample under the lock, but an added use. The samples of
 * the second thread are all of its own work.
 */
static void added_uses_leave_out_no_samples_of_other_threads(void **state)
{
	struct work_change change = {.share = .5};
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: fork(b) 2ms lock(m,0) 2ms unlock(m,0)\nb: 2ms lock(m) 2ms unlock(m)");
	for (size_t i = 0; i < 2; i++)
		program_add_gap(&program, i,
				(struct program_gap){
					.run_ns = 4000000, .begin_ns = 4000000, .end_ns = 4000000});
	sample(1, "oooo");
	sample(2, "momm");
	for (size_t i = 0; i < samples.row_count; i++)
		samples.rows[i].time_ns = 500000 + i % 4 * 1000000;
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	assert_scaled(&change, 1, work,
		      "a: fork(b) 2ms lock(m,0) 2ms unlock(m,0)\n"
		      "b: 1500us lock(m) 1ms unlock(m)");
	work_part_release(&change.part);
	work_free(work);
}

enum { LARGE = 30000, SECONDS = 2 };

/* With a search for the next recorded operation at each step it takes 10 s. */
static void many_added_uses_take_little_time(void **state)
{
	struct work_change change = {.share = .5};
	clock_t begin = clock();
	struct work *work;
	struct err err;

	(void)state;
	read_program("a: 2ms");
	program.threads[0].count = 0;
	for (size_t i = 0; i < LARGE; i++) {
		program_add_step(&program, 0, 1, STEP_LOCK)->site = 0;
		program_add_step(&program, 0, 1, STEP_UNLOCK)->site = 0;
	}
	program_add_step(&program, 0, 0, STEP_EXIT);
	program_add_gap(&program, 0, (struct program_gap){2 * LARGE, 2 * LARGE, 2 * LARGE, 0, 0});
	sample(1, "m");
	work = work_new(&program, &samples, &chains, false);
	assert_int_equal(work_find(&change.part, work, "own_middle", &err), 0);
	work_scale(&program, work, &change, 1);
	assert_true(clock() - begin < SECONDS * CLOCKS_PER_SEC);
	work_part_release(&change.part);
	work_free(work);
}

/*
 * The thread gets a CPU at 5 ms. The clock was late if it finds the thread in the kernel just then.
 * The second thread has a CPU all the time.
 */
static void a_sample_of_a_switch_is_no_work_of_the_next_thread(void **state)
{
	static const struct {
		uint64_t time_ns;
		uint32_t mode;
		uint64_t of_samples;
	} cases[] = {
		{5006000, SAMPLED_KERNEL, 4},
		{5006000, SAMPLED_USER, 5},
		{5010000, SAMPLED_KERNEL, 5},
		{1000000, SAMPLED_KERNEL, 5},
	};

	(void)state;
	read_program("a: fork(b) 4ms\nb: 6ms");
	program_add_gap(
		&program, 0,
		(struct program_gap){.run_ns = 2000000, .begin_ns = 2000000, .end_ns = 5000000});
	program_add_gap(
		&program, 0,
		(struct program_gap){.run_ns = 2003000, .begin_ns = 5003000, .end_ns = 5003000});
	program_add_gap(&program, 1,
			(struct program_gap){.run_ns = 1000, .begin_ns = 1000, .end_ns = 1000});
	sample(1, "oooo");
	sample(2, "o");
	samples.rows[4].time_ns = 5006000;
	samples.rows[4].mode = SAMPLED_KERNEL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t of_samples;
		struct work *work;
		size_t count;

		samples.rows[3].time_ns = cases[i].time_ns;
		samples.rows[3].mode = cases[i].mode & 0xff;
		work = work_new(&program, &samples, &chains, false);
		work_functions(&count, &of_samples, work);
		assert_int_equal(of_samples, cases[i].of_samples);
		work_free(work);
	}
}

/* With a search through the gaps in the 10 us before each sample it takes 10 s. */
static void many_samples_at_one_time_take_little_time(void **state)
{
	enum { MANY = 3 * LARGE };
	clock_t begin = clock();
	uint64_t of_samples;
	struct work *work;
	size_t count;

	(void)state;
	read_program("a: 1ms");
	for (uint64_t i = 1; i <= MANY; i++)
		program_add_gap(
			&program, 0,
			(struct program_gap){i, 1000000 + i / 10, 1000000 + i / 10, GAP_PAUSE, 0});
	for (size_t i = 0; i < MANY; i++)
		sample(1, "o");
	for (size_t i = 0; i < MANY; i++) {
		samples.rows[i].time_ns = 1009500;
		samples.rows[i].mode = SAMPLED_KERNEL;
	}
	work = work_new(&program, &samples, &chains, false);
	work_functions(&count, &of_samples, work);
	assert_int_equal(of_samples, MANY);
	assert_true(clock() - begin < SECONDS * CLOCKS_PER_SEC);
	work_free(work);
}

/* "own_outer in a 7, ...": ms on the path; all steps are on it except that of one number. */
static char *ranking(const char *text, const char *letters, bool by_threads, uint32_t off_path)
{
	struct work_on_path ranked[2];
	struct work *work;
	double *path_ns;
	char *list = NULL;
	size_t count, at = 0;

	read_program(text);
	sample(1, letters);
	work = work_new(&program, &samples, &chains, false);
	path_ns = xcalloc(program_steps(&program) + 1, sizeof(*path_ns));
	for (uint32_t i = 0; i < program.thread_count; i++)
		for (uint32_t j = 0; j < program.threads[i].count; j++, at++)
			path_ns[at] = j == off_path
					      ? 0
					      : (double)step_run_ns(&program.threads[i].steps[j]);
	count = work_rank(ranked, 2, &program, work, path_ns, by_threads);
	for (size_t i = 0; i < count; i++)
		xappend(&list, i ? ", " : "", "%s in %s %g", ranked[i].text, ranked[i].threads,
			ranked[i].path_ns / 1e6);
	work_on_path_release(ranked, count);
	free(path_ns);
	work_free(work);
	program_release(&program);
	samples.row_count = 0;
	return list ? list : xstrdup("");
}

static void work_on_the_path_is_ranked(void **state)
{
	enum { ALL = 99 };
	static const struct {
		const char *program, *samples;
		bool by_threads;
		uint32_t off_path; /* step */
		const char *ranking;
	} cases[] = {
		{"a: 8ms", "mmmmoool", false, ALL, "own_outer in a 7, own_middle in a 4"},
		/* Of functions with the same work the innermost one. */
		{"a: 8ms", "mmmmmmmm", false, ALL, "own_middle in a 8"},
		/* The whole thread is left out, unless the function does half of the work
		 * itself. */
		{"a: 8ms", "mmmmmooo", false, ALL, "own_middle in a 5"},
		{"a: 8ms", "mmmmoooo", false, ALL, "own_outer in a 8, own_middle in a 4"},
		/* The second half of the work is beside the path. */
		{"a: 4ms sleep(1ms) 4ms", "oooommmm", false, 1, "own_outer in a 4"},
		/* Without functions the threads, except those that do all of the work. */
		{"a: 8ms\nb: 2ms\nc: 4ms", "", false, ALL, "thread:a in a 8, thread:c in c 4"},
		{"a: 8ms\nb: 2ms", "mmmmmmmm", true, ALL, "thread:a in a 8, thread:b in b 2"},
		/* A thread with the whole path, but not with all of the work. */
		{"a: 8ms\nb: sleep(1ms) 2ms", "", false, 1, "thread:a in a 8"},
		{"a: 8ms", "", false, ALL, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = ranking(cases[i].program, cases[i].samples, cases[i].by_threads,
				    cases[i].off_path);

		assert_string_equal(got, cases[i].ranking);
		free(got);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(work_on_the_path_is_ranked, set_up, tear_down),
	cmocka_unit_test_setup_teardown(work_under_a_lock_is_scaled_there, set_up, tear_down),
	cmocka_unit_test_setup_teardown(a_sample_stands_for_the_cpu_time_next_to_it, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(samples_of_work_made_even_stay_in_it, set_up, tear_down),
	cmocka_unit_test_setup_teardown(work_of_added_uses_is_that_of_recorded_ones, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(added_uses_leave_out_no_samples_of_other_threads, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(many_added_uses_take_little_time, set_up, tear_down),
	cmocka_unit_test_setup_teardown(a_sample_of_a_switch_is_no_work_of_the_next_thread, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(many_samples_at_one_time_take_little_time, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(a_name_of_other_threads_is_not_ranked, set_up, tear_down),
	cmocka_unit_test_setup_teardown(cpu_time_of_a_function_is_scaled_at_its_samples, set_up,
					tear_down),
	cmocka_unit_test_setup_teardown(too_few_samples_are_reported_as_coarse, set_up, tear_down),
	cmocka_unit_test_setup_teardown(a_caller_has_the_time_of_its_callees, set_up, tear_down),
	cmocka_unit_test_setup_teardown(threads_are_scaled_as_a_whole_by_name, set_up, tear_down),
	cmocka_unit_test_setup_teardown(several_changes_multiply, set_up, tear_down),
	cmocka_unit_test_setup_teardown(busy_waiting_is_no_work_of_a_function, set_up, tear_down),
	cmocka_unit_test_setup_teardown(samples_in_probes_are_no_work, set_up, tear_down),
	cmocka_unit_test_setup_teardown(functions_are_found_by_their_samples, set_up, tear_down),
	cmocka_unit_test_setup_teardown(without_samples_the_error_tells_how_to_record_them, set_up,
					tear_down),
};

TEST_FILE(tests);
