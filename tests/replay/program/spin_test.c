/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/spin.h"

#include "base/err.h"
#include "draw/steps.h"
#include "replay/simulate/simulation.h"
#include "support.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CODE_BEGIN 0x7f0000000000ULL

/* Samples of the first thread of a program, at places of a file with two loops. */
struct spinning {
	struct mapped map;
	struct sampled rows[32];
	struct samples samples;
};

/* A header, then a loop that waits and one that works. */
static const char *make_code(void)
{
	static const uint8_t loops[] = {
		0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8, /* pause; mov; test; je */
		0xff, 0xc0, 0x39, 0xc8, 0x75, 0xfa, 0xc3,	/* inc; cmp; jne; ret */
	};
	Elf64_Ehdr header = {.e_machine = EM_X86_64};
	uint8_t bytes[sizeof(header) + sizeof(loops)];

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), loops, sizeof(loops));
	return file_with(bytes, sizeof(bytes));
}

/* One sample for each letter of `parts`: 'w' waits, '.' works. */
static void spinning_init(struct spinning *spinning, const struct program *program,
			  const char *parts)
{
	const struct program_thread *thread = &program->threads[0];
	struct stat status;

	*spinning = (struct spinning){.map = {.pid = thread->pid,
					      .begin = CODE_BEGIN,
					      .end = CODE_BEGIN + 0x1000,
					      .path = strdup(make_code())}};
	assert_int_equal(stat(spinning->map.path, &status), 0);
	spinning->map.inode = status.st_ino;
	spinning->samples = (struct samples){
		.timed = true, .rows = spinning->rows, .maps = &spinning->map, .map_count = 1};
	for (; *parts; parts++) {
		uint64_t place = sizeof(Elf64_Ehdr) + (*parts == 'w' ? 0 : 8);
		size_t row = spinning->samples.row_count++;

		assert_true(row < sizeof(spinning->rows) / sizeof(spinning->rows[0]));
		spinning->rows[row] = (struct sampled){
			thread->pid, thread->tid, CODE_BEGIN + place, 10 + row, 1, SAMPLED_USER, 0};
	}
}

static void spinning_release(struct spinning *spinning)
{
	free(spinning->map.path);
}

static void assert_same_steps(const struct program *got, const char *text)
{
	struct program want;
	char *got_text = steps_text(got), *want_text;

	steps_read(&want, text);
	want_text = steps_text(&want);
	assert_string_equal(got_text, want_text);
	free(got_text);
	free(want_text);
	program_release(&want);
}

/* The first thread of a program; its CPU time has as many parts as the thread has samples. */
static void parts_that_wait_are_waits_of_their_length(void **state)
{
	static const struct {
		const char *before, *parts, *after;
		uint64_t moved_ns;
	} cases[] = {
		{"a: 8ns sleep(5ns) 4ns", "......", "a: 8ns sleep(5ns) 4ns", 0},
		{"a: 8ns sleep(5ns) 4ns", "w.....", "a: external(2ns@s) 6ns sleep(5ns) 4ns", 2},
		{"a: 8ns sleep(5ns) 4ns", ".ww...", "a: 2ns external(4ns@s) 2ns sleep(5ns) 4ns", 4},
		{"a: 8ns sleep(5ns) 4ns", ".w.w..",
		 "a: 2ns external(2ns@s) 2ns external(2ns@s) sleep(5ns) 4ns", 4},
		{"a: 8ns sleep(5ns) 4ns", "...ww.",
		 "a: 6ns external(2ns@s) sleep(5ns) external(2ns@s) 2ns", 4},
		{"a: 8ns sleep(5ns) 4ns", "w", "a: external(8ns@s) sleep(5ns) external(4ns@s)", 12},
		{"a: 8ns sleep(5ns) 4ns", "", "a: 8ns sleep(5ns) 4ns", 0},
		{"a: 10ns", "w..", "a: external(3ns@s) 7ns", 3},
		{"a: 1ns", "w..w", "a: external(1ns@s)", 1}, /* the first three are empty */
		{"a:", "w.w", "a:", 0},
		/* A run of sched_yield takes in the waits known from its samples, and moves them
		 * once. */
		{"a: yield() 20us yield() 1us yield()", ".wwwwwwwwwwwwwwwwwww.",
		 "a: external(21us@s)", 21000},
		{"a: yield() 21us yield() 1us yield()", ".wwwwwwwwwwwwwwwwwwww.",
		 "a: yield() 1us external(20us@s) yield() 1us yield()", 20000},
		{"a: 9us yield() 6us yield() 2us yield() 8us", "..........wwwww..wwwwwww.",
		 "a: 9us external(8us@s) external(7us@s) 1us", 15000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program program;
		struct spinning spinning;
		struct spun spun;

		steps_read(&program, cases[i].before);
		spinning_init(&spinning, &program, cases[i].parts);
		spin_to_waits(&program, &spinning.samples, &spun);
		assert_int_equal(spun.moved_ns, cases[i].moved_ns);
		assert_same_steps(&program, cases[i].after);
		spinning_release(&spinning);
		program_release(&program);
	}
}

static void three_calls_of_sched_yield_in_a_row_are_a_wait(void **state)
{
	static const struct {
		const char *before, *after;
		uint64_t calls, runs, waiting_ns;
	} cases[] = {
		{"a: 9us", "a: 9us", 0, 0, 0},
		{"a: 9us yield() 1us yield() 9us", "a: 9us yield() 1us yield() 9us", 2, 0, 0},
		{"a: 9us yield() 1us yield() 2us yield() 9us", "a: 9us external(3us@s) 9us", 3, 1,
		 3000},
		/* the longest allowed time between calls, and longer */
		{"a: yield() 20us yield() 20us yield()", "a: external(40us@s)", 3, 1, 40000},
		{"a: yield() 20us yield() 20001ns yield()",
		 "a: yield() 20us yield() 20001ns yield()", 3, 0, 0},
		{"a: yield() 1us yield() 1us yield() 1ms yield() 1us yield() 1us yield() 1us "
		 "yield()",
		 "a: external(2us@s) 1ms external(3us@s)", 7, 2, 5000},
		/* a step between two calls ends a run */
		{"a: yield() 1us yield() 1us sleep(1us) yield() 1us yield()",
		 "a: yield() 1us yield() 1us sleep(1us) yield() 1us yield()", 4, 0, 0},
		{"a: yield() 1us yield() lock(m) yield()", "a: yield() 1us yield() lock(m) yield()",
		 3, 0, 0},
		/* a failed trylock is a part of the run, and so is the one that ends the wait */
		{"a: mutex_trylock(m:0) yield() 1us mutex_trylock(m:1) 1us yield() 2us "
		 "mutex_trylock(m:2) yield() 1us mutex_trylock(m:3) 1ms mutex_unlock(m:4)",
		 "a: mutex_trylock(m:0) none() 1us mutex_trylock(m:3) 1ms mutex_unlock(m:4)", 3, 1,
		 4000},
		{"a: mutex_trylock(m:0) mutex_unlock(n:0) yield() 1us mutex_trylock(m:1) yield() "
		 "2us "
		 "yield() 1ms mutex_unlock(n:1)",
		 "a: mutex_trylock(m:0) mutex_unlock(n:0) external(3us@s) 1ms mutex_unlock(n:1)", 3,
		 1, 3000},
		{"a: mutex_trylock(m:0) mutex_unlock(n:0) yield() 1us mutex_trylock(m:1) yield() "
		 "2us "
		 "yield() 1us mutex_trylock(n:1)",
		 "a: mutex_trylock(m:0) mutex_unlock(n:0) external(3us@s) 1us mutex_trylock(n:1)",
		 3, 1, 3000},
		/* a loop with samples but without calls is part of it, too */
		{"a: yield() 1us yield() 2us yield() 1us loop(9us) 1ms",
		 "a: external(3us@s) 1us none() 1ms", 3, 1, 3000},
		/* but not a trylock that gets the mutex */
		{"a: yield() 1us mutex_trylock(m:0) mutex_unlock(m:1) yield() 1us yield()",
		 "a: yield() 1us mutex_trylock(m:0) mutex_unlock(m:1) yield() 1us yield()", 3, 0,
		 0},
		/* a thread that never ran between the calls has spent no time */
		{"a: 5us yield() yield() yield() 1us", "a: 5us yield() yield() yield() 1us", 3, 0,
		 0},
		/* each thread has its own runs */
		{"a: fork(b) yield() 1us yield()\nb: yield() 1us yield() 1us yield() 4us",
		 "a: fork(b) yield() 1us yield()\nb: external(2us@s) 4us", 5, 1, 2000},
	};
	const struct samples none = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct spun spun;
		uint64_t work_ns;

		steps_read(&program, cases[i].before);
		work_ns = program_work_ns(&program);
		spin_measure(&program, &none, &spun);
		assert_int_equal(spun.yielded.calls, cases[i].calls);
		assert_int_equal(spun.yielded.runs, cases[i].runs);
		assert_int_equal(spun.yielded.waiting_ns, cases[i].waiting_ns);
		assert_int_equal(spun.yielded.run_ns, work_ns);
		assert_int_equal(program_work_ns(&program), work_ns);
		spin_to_waits(&program, &none, &spun);
		assert_int_equal(spun.moved_ns, cases[i].waiting_ns);
		assert_same_steps(&program, cases[i].after);
		program_release(&program);
	}
}

static void the_share_is_known_if_calls_are_recorded(void **state)
{
	struct yielded yielded = {.run_ns = 200};

	(void)state;
	assert_true(isnan(yielded_share(&yielded)));
	yielded.calls = 3;
	assert_float_equal(yielded_share(&yielded), 0, 0);
	yielded.waiting_ns = 50;
	assert_close(yielded_share(&yielded), .25, 1e-12);
	assert_float_equal(yielded_share(&(struct yielded){.calls = 3}), 0, 0);
}

/* ... also without any samples. */
static void yielding_is_a_kind_of_spinning(void **state)
{
	const struct samples none = {0};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 96us yield() 1us yield() 2us yield() 1us");
	spin_measure(&program, &none, &spun);
	assert_close(yielded_share(&spun.yielded), .03, 1e-12);
	assert_int_equal(program_work_ns(&program), 100000);
	spin_to_waits(&program, &none, &spun);
	assert_close(yielded_share(&spun.yielded), .03, 1e-12);
	assert_int_equal(spun.moved_ns, 3000);
	assert_int_equal(program_work_ns(&program), 97000);
	assert_string_equal(program.sites[0].name, "spinning");
	program_release(&program);
}

static uint64_t wall_ns(const struct program *program, unsigned cores)
{
	const struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct err err;

	assert_int_equal(simulate(&simulated, program, &machine, false, &err), 0);
	return simulated.wall_ns;
}

/* Two threads that work for 6 ms; one of them has spun for 4 ms on a core of its own. */
static void a_thread_that_spins_leaves_its_core_to_other_threads(void **state)
{
	struct program program;
	struct spinning spinning;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms");
	assert_int_equal(wall_ns(&program, 1), 16000000);
	spinning_init(&spinning, &program, "...ww");
	spin_to_waits(&program, &spinning.samples, &spun);
	spinning_release(&spinning);
	assert_int_equal(spun.moved_ns, 4000000);
	assert_int_equal(program_work_ns(&program), 12000000);
	assert_int_equal(wall_ns(&program, 2), 10000000);
	/* Slices of 3 ms take turns: a has worked after the third, and b is done meanwhile. */
	assert_int_equal(wall_ns(&program, 1), 13000000);
	program_release(&program);
}

static void without_samples_nothing_changes(void **state)
{
	const struct samples none = {0};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms");
	spin_to_waits(&program, &none, &spun);
	assert_int_equal(program.site_count, 0);
	assert_int_equal(program_work_ns(&program), 16000000);
	assert_int_equal(spun.moved_ns, 0);
	assert_int_equal(spun.share.samples, 0);
	program_release(&program);
}

/* Places of unknown code are work; a number that occurs twice has no samples. */
static void samples_belong_to_the_thread_with_their_number(void **state)
{
	struct sampled rows[] = {
		{1, 1, 0, 10, 1, SAMPLED_KERNEL, 0},
		{1, 1, 0x1000, 20, 1, SAMPLED_USER, 0},
		{1, 2, 0, 10, 1, SAMPLED_KERNEL, 0},
		{1, 9, 0, 10, 1, SAMPLED_KERNEL, 0},
	};
	const struct samples samples = {.timed = true, .rows = rows, .row_count = 4};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms\nc: 6ms");
	program.threads[2].tid = program.threads[1].tid;
	for (int i = 0; i < 2; i++) {
		if (i)
			spin_to_waits(&program, &samples, &spun);
		else
			spin_measure(&program, &samples, &spun);
		assert_int_equal(spun.share.samples, 2);
		assert_int_equal(spun.share.unknown, 1);
		assert_int_equal(program_work_ns(&program), 22000000);
		assert_int_equal(program.site_count, i);
	}
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(parts_that_wait_are_waits_of_their_length),
	cmocka_unit_test(three_calls_of_sched_yield_in_a_row_are_a_wait),
	cmocka_unit_test(the_share_is_known_if_calls_are_recorded),
	cmocka_unit_test(yielding_is_a_kind_of_spinning),
	cmocka_unit_test(a_thread_that_spins_leaves_its_core_to_other_threads),
	cmocka_unit_test(without_samples_nothing_changes),
	cmocka_unit_test(samples_belong_to_the_thread_with_their_number),
};

TEST_FILE(tests);
