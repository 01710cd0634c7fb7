/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/collect_dir.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/lineage.h"
#include "random.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)

enum { ROOT = 100, STRANGER = 7, GIVEN_NS = 1000 };

static struct lineage make(void)
{
	struct lineage lineage = {.proc = "/nowhere", .started_ticks = 500};

	lineage_give_process(&lineage, ROOT, GIVEN_NS);
	lineage_give_thread(&lineage, ROOT, ROOT, GIVEN_NS);
	return lineage;
}

/* A birth by the first thread of a process. */
static void born(struct lineage *lineage, uint64_t time_ns, pid_t parent, pid_t pid, pid_t tid)
{
	lineage_birth(lineage, &(struct lineage_birth){time_ns, pid, tid, parent, parent, false});
}

static void settle(struct lineage *lineage)
{
	lineage_settle(lineage, UINT64_MAX);
}

static void ends(struct lineage *lineage, pid_t tid, uint64_t time_ns)
{
	lineage_end(lineage, tid, time_ns);
	settle(lineage);
}

/* For a thread of which only the tid is known. */
static bool has(struct lineage *lineage, pid_t tid, uint64_t time_ns)
{
	return lineage_has_thread(lineage, 0, tid, time_ns);
}

static void threads_and_children_belong_to_the_target(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, ROOT, 101);
	lineage_birth(&lineage, &(struct lineage_birth){2001, 102, 102, ROOT, 101, false});
	born(&lineage, 2002, STRANGER, 103, 103);
	born(&lineage, 2003, 102, 104, 104);
	settle(&lineage);
	assert_true(has(&lineage, 101, 3000));
	assert_true(has(&lineage, 102, 3000));
	assert_false(has(&lineage, 103, 3000));
	assert_true(has(&lineage, 104, 3000));
	assert_true(lineage_has_process(&lineage, ROOT, 3000));
	assert_true(lineage_has_process(&lineage, 102, 3000));
	assert_false(lineage_has_process(&lineage, 101, 3000));
	assert_false(lineage_has_process(&lineage, 103, 3000));
	assert_int_equal(lineage.threads, 4);
	assert_int_equal(lineage_process_of(&lineage, 101), ROOT);
	assert_int_equal(lineage_process_of(&lineage, 103), 103);
	assert_int_equal(lineage_process_of(&lineage, 0), 0);
	assert_int_equal(lineage_process_of(&lineage, 999), -1);
	lineage_release(&lineage);
}

static void births_are_judged_by_their_time_and_not_by_their_ring(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2003, 102, 103, 103);
	born(&lineage, 2002, 101, 102, 102);
	born(&lineage, 2001, ROOT, 101, 101);
	settle(&lineage);
	assert_true(has(&lineage, 103, 3000));
	lineage_release(&lineage);
}

static void a_birth_waits_until_the_birth_of_its_parent_is_known(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2002, 101, 102, 102);
	lineage_settle(&lineage, 2000);
	born(&lineage, 2001, ROOT, 101, 101);
	lineage_settle(&lineage, 2002);
	assert_true(has(&lineage, 102, 3000));
	assert_int_equal(lineage.change_count, 0);
	lineage_release(&lineage);
}

static void a_thread_belongs_to_the_target_from_its_birth_on(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, 101, 101);
	settle(&lineage);
	assert_false(has(&lineage, 101, 1999)); /* of the thread that had the number before */
	assert_true(has(&lineage, 101, 2000));
	assert_false(lineage_has_process(&lineage, 101, 1999));
	lineage_release(&lineage);
}

static void a_stranger_takes_over_the_number_of_an_ended_thread(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, 101, 101);
	settle(&lineage);
	born(&lineage, 3000, STRANGER, 101, 101);
	settle(&lineage);
	assert_true(has(&lineage, 101, 2999)); /* an event that is read late */
	assert_false(has(&lineage, 101, 3000));
	assert_false(lineage_has_process(&lineage, 101, 3000));
	assert_false(pid_set_has(&lineage.living_processes, 101));
	assert_true(lineage_had_process(&lineage, 101));
	born(&lineage, 3002, 101, 102, 102);
	settle(&lineage);
	assert_false(has(&lineage, 102, 4000));
	lineage_release(&lineage);
}

static void a_strangers_thread_does_not_take_over_a_process(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, ROOT, 101);
	born(&lineage, 2001, STRANGER, STRANGER, 101);
	settle(&lineage);
	assert_false(has(&lineage, 101, 3000));
	assert_true(lineage_has_process(&lineage, ROOT, 3000));
	lineage_release(&lineage);
}

static void a_given_process_is_not_taken_away_by_an_earlier_birth(void **state)
{
	static const struct {
		uint64_t time_ns;
		bool stays;
	} cases[] = {{GIVEN_NS - 1, true}, {GIVEN_NS, true}, {GIVEN_NS + 1, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lineage lineage = make();

		born(&lineage, cases[i].time_ns, STRANGER, ROOT, ROOT);
		settle(&lineage);
		assert_int_equal(has(&lineage, ROOT, 2000), cases[i].stays);
		assert_int_equal(lineage_has_process(&lineage, ROOT, 2000), cases[i].stays);
		lineage_release(&lineage);
	}
}

/* A collector that does not see births of other programs learns from the end that a number is
 * free. */
static void a_thread_that_has_ended_is_soon_forgotten(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, 101, 101);
	born(&lineage, 2001, 101, 101, 102);
	settle(&lineage);
	ends(&lineage, 101, 3000);
	assert_true(has(&lineage, 101, 3001)); /* its last switch, by another clock */
	assert_true(lineage_has_process(&lineage, 101, 2 * SECOND_NS));
	ends(&lineage, 102, SECOND_NS);
	assert_false(has(&lineage, 102, 2 * SECOND_NS));
	assert_false(has(&lineage, 101, 2 * SECOND_NS));
	assert_false(lineage_has_process(&lineage, 101, 2 * SECOND_NS));
	lineage_release(&lineage);
}

static void the_second_thread_of_a_number_counts_too(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, ROOT, 101);
	settle(&lineage);
	ends(&lineage, 101, 3000);
	born(&lineage, 4000, ROOT, ROOT, 101);
	settle(&lineage);
	assert_true(has(&lineage, 101, 2500)); /* of the first one, read late */
	assert_true(has(&lineage, 101, 2 * SECOND_NS));
	assert_int_equal(lineage.threads, 3);
	lineage_release(&lineage);
}

static void a_thread_continues_under_the_number_of_the_process_after_an_exec(void **state)
{
	static const char *const orders[] = {"xe", "ex"};

	(void)state;
	for (size_t i = 0; i < 2; i++) { /* the end of the first thread may be read later */
		struct lineage lineage = make();

		born(&lineage, 2000, ROOT, ROOT, 101);
		settle(&lineage);
		for (const char *at = orders[i]; *at; at++)
			if (*at == 'x')
				lineage_exec(&lineage, ROOT, 4000);
			else
				lineage_end(&lineage, ROOT, 3000);
		settle(&lineage);
		assert_true(has(&lineage, ROOT, 2 * SECOND_NS));
		assert_false(has(&lineage, 101, 2 * SECOND_NS));
		assert_int_equal(lineage.threads, 2);
		ends(&lineage, ROOT, 2 * SECOND_NS);
		assert_false(lineage_has_process(&lineage, ROOT, 3 * SECOND_NS));
		lineage_release(&lineage);
	}
}

static void an_exec_does_not_end_threads_that_came_after_it(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 1500, ROOT, ROOT, 101);
	born(&lineage, 3000, ROOT, ROOT, 102);
	settle(&lineage);
	lineage_exec(&lineage, ROOT, 2000);
	settle(&lineage);
	assert_false(has(&lineage, 101, 2 * SECOND_NS));
	assert_true(has(&lineage, 102, 2 * SECOND_NS));
	ends(&lineage, ROOT, 2 * SECOND_NS);
	assert_true(lineage_has_thread(&lineage, ROOT, 102, 4 * SECOND_NS));
	assert_true(lineage_has_process(&lineage, ROOT, 4 * SECOND_NS));
	assert_int_equal(lineage.threads, 3);
	lineage_release(&lineage);
}

/*
 * The threads may have any of millions of ids. Only a loop over the threads of the process meets
 * the bound; one over all ids takes an hour.
 */
static void an_exec_takes_no_longer_than_the_threads_of_the_process(void **state)
{
	enum { EXECS = 200000, APART = 1000, SECONDS = 60 };
	struct lineage lineage = make();
	uint64_t time_ns = SECOND_NS;
	clock_t begin = clock();

	(void)state;
	for (pid_t pid = APART; pid < SPARSE_MAX; pid += APART)
		lineage_give_process(&lineage, pid, GIVEN_NS);
	for (pid_t pid = APART; pid < SPARSE_MAX; pid += APART)
		lineage_give_thread(&lineage, pid, pid, GIVEN_NS);
	for (int i = 0; i < EXECS; i++) {
		born(&lineage, time_ns, ROOT, ROOT, 101 + i % 10);
		lineage_exec(&lineage, ROOT, time_ns + 1);
		settle(&lineage);
		time_ns += SECOND_NS;
		if (clock() - begin > SECONDS * CLOCKS_PER_SEC)
			fail_msg("%d of %d", i, EXECS);
	}
	assert_true(has(&lineage, ROOT, time_ns));
	assert_false(has(&lineage, 101, time_ns));
	lineage_release(&lineage);
}

/* --- Kinds of targets ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool wide, alone, by_thread; /* the user named thread 101 of ROOT, not ROOT */
	const char *members;	     /* of 'a' to 'f' below */
} targets[] = {
	{"a process", false, false, false, "abcdef"},
	{"a process alone", false, true, false, "abc"},
	{"a thread", false, false, true, "bcde"},
	{"a thread alone", false, true, true, "b"},
	{"all", true, false, false, "abcdefg"},
};

static void each_kind_of_target_grows_in_its_way(void **state)
{
	static const struct lineage_birth births[] = {
		{2000, ROOT, 102, ROOT, 101, false}, /* c: a thread by 101 */
		{2001, 200, 200, ROOT, 101, false},  /* d: a child of 101 */
		{2002, 200, 201, 200, 200, false},   /* e: a thread of that */
		{2003, 300, 300, ROOT, ROOT, false}, /* f: a child of ROOT */
		{2004, 400, 400, 9, 9, false},	     /* g: of a stranger */
	};
	static const struct {
		char letter;
		pid_t pid, tid;
	} threads[] = {{'a', ROOT, ROOT}, {'b', ROOT, 101}, {'c', ROOT, 102}, {'d', 200, 200},
		       {'e', 200, 201},	  {'f', 300, 300},  {'g', 400, 400}};

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct lineage lineage = {
			.wide = targets[i].wide, .alone = targets[i].alone, .proc = "/nowhere"};
		char members[16] = "";

		if (!targets[i].by_thread) {
			lineage_give_process(&lineage, ROOT, GIVEN_NS);
			lineage_give_thread(&lineage, ROOT, ROOT, GIVEN_NS);
		}
		lineage_give_thread(&lineage, ROOT, 101, GIVEN_NS);
		for (size_t k = 0; k < sizeof(births) / sizeof(births[0]); k++)
			lineage_birth(&lineage, &births[k]);
		settle(&lineage);
		for (size_t k = 0; k < sizeof(threads) / sizeof(threads[0]); k++)
			if (lineage_has_thread(&lineage, threads[k].pid, threads[k].tid, 3000))
				members[strlen(members)] = threads[k].letter;
		if (strcmp(members, targets[i].members) != 0)
			fail_msg("%s: %s, not %s", targets[i].name, members, targets[i].members);
		if (lineage.threads != strlen(members))
			fail_msg("%s: %d threads", targets[i].name, (int)lineage.threads);
		assert_true(lineage_has_process(&lineage, ROOT, 3000)); /* by its mapping */
		lineage_release(&lineage);
	}
}

static void the_living_are_those_that_tell_when_it_ends(void **state)
{
	struct lineage lineage = {.proc = "/nowhere"};

	(void)state;
	lineage_give_thread(&lineage, ROOT, 101, GIVEN_NS);
	born(&lineage, 2000, 101, 200, 200);
	born(&lineage, 2001, 101, ROOT, 102);
	settle(&lineage);
	assert_false(pid_set_has(&lineage.living_processes, ROOT));
	assert_true(pid_set_has(&lineage.living_processes, 200));
	assert_true(pid_set_has(&lineage.living_threads, 101));
	assert_false(pid_set_has(&lineage.living_threads, 200));
	lineage_release(&lineage);
}

static void it_lives_until_its_last_thread_has_left_its_cpu(void **state)
{
	struct lineage lineage = {.proc = "/nowhere"}, wide = {.wide = true};

	(void)state;
	assert_false(lineage_lives(&lineage));
	assert_true(lineage_lives(&wide));
	lineage_give_thread(&lineage, ROOT, 101, GIVEN_NS);
	lineage_give_thread(&lineage, ROOT, 102, GIVEN_NS);
	born(&lineage, 2000, 101, 200, 200);
	settle(&lineage);
	pid_set_remove(&lineage.living_threads, 101); /* target_end_ask() has seen their ends */
	pid_set_remove(&lineage.living_threads, 102);
	pid_set_remove(&lineage.living_processes, 200);
	for (pid_t tid = 101; tid <= 200; tid += tid == 102 ? 98 : 1) {
		assert_true(lineage_lives(&lineage));
		ends(&lineage, tid, 3000);
	}
	assert_false(lineage_lives(&lineage));
	lineage_release(&lineage);
}

static void a_thread_that_the_scan_saw_counts_once(void **state)
{
	struct lineage lineage = make();

	(void)state;
	lineage_give_thread(&lineage, ROOT, 101, GIVEN_NS);
	lineage_give_thread(&lineage, ROOT, 101, GIVEN_NS);
	born(&lineage, GIVEN_NS - 1, ROOT, ROOT, 101); /* between the start and the scan */
	settle(&lineage);
	assert_int_equal(lineage.threads, 2);
	born(&lineage, GIVEN_NS + 1, ROOT, ROOT, 101); /* another thread with its number */
	settle(&lineage);
	assert_int_equal(lineage.threads, 3);
	lineage_release(&lineage);
}

/* --- Lost births ---------------------------------------------------------------------------- */

static void the_process_of_a_thread_tells_when_its_birth_was_lost(void **state)
{
	struct lineage lineage = make();

	(void)state;
	assert_true(lineage_has_thread(&lineage, ROOT, 101, 2000));
	born(&lineage, 3000, 101, 102, 102);
	settle(&lineage);
	assert_true(has(&lineage, 102, 3000));
	lineage_release(&lineage);
}

static void put_stat(const char *root, pid_t pid, pid_t parent, int start_ticks)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "%d/stat", (int)pid);
	snprintf(text, sizeof(text), "%d (x) S %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0\n",
		 (int)pid, (int)parent, start_ticks);
	dir_put(root, path, text);
}

/* Births are recorded from 500 ticks on. */
static void a_thread_without_a_known_birth_is_looked_up(void **state)
{
	static const struct {
		const char *name;
		pid_t pid;
		bool member;
		int unknown;
	} cases[] = {
		{"a child", 200, true, 0},
		{"a grandchild", 201, true, 0},
		{"a process from before", 300, false, 0},
		{"one that a process from before has inherited", 301, false, 2},
		{"a stranger's child", 401, false, 0},
		{"one that is gone", 500, false, 2},
	};
	char root[64];

	(void)state;
	dir_make(root);
	put_stat(root, 200, ROOT, 600);
	put_stat(root, 201, 202, 602); /* 202 has no file of its own */
	put_stat(root, 202, ROOT, 601);
	put_stat(root, 300, 1, 400);
	put_stat(root, 301, 1, 600);
	put_stat(root, 1, 0, 0);
	put_stat(root, 401, 400, 600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lineage lineage = make();
		pid_t pid = cases[i].pid;

		lineage.proc = root;
		born(&lineage, 2000, STRANGER, 400, 400);
		settle(&lineage);
		assert_false(lineage_has_thread(&lineage, pid, pid, 3000)); /* no birth was lost */
		lineage.lossy = true;
		for (int times = 0; times < 2; times++)
			if (lineage_has_thread(&lineage, pid, pid, 3000) != cases[i].member)
				fail_msg("%s", cases[i].name);
		if (lineage.unknown != (uint64_t)cases[i].unknown)
			fail_msg("%s: %d unknown", cases[i].name, (int)lineage.unknown);
		lineage_release(&lineage);
	}
	dir_remove(root);
}

/* --- Any order ------------------------------------------------------------------------------ */

/*
 * A machine whose threads are born, have events, do an exec, and end; any thread of a process may
 * do so. Rings of several CPUs record that. In each pass the rings are marked one after the other,
 * and then read ahead one after the other, while the threads run.
 */
enum { IDS = 40, RINGS = 4, PASSES = 150, LIVING_MAX = 20 };

enum kind { BIRTH, DOES, EXEC, END };

struct event {
	enum kind kind;
	uint64_t time_ns;
	struct lineage_birth birth;
	pid_t pid, tid;
	bool ours;
};

struct machine {
	struct random random;
	struct lineage lineage;
	bool only_ours; /* births of strangers are hidden; numbers rest before reuse */
	uint64_t now_ns;
	struct {
		pid_t pid; /* 0: no such thread */
		bool ours;
		int births[2]; /* in this pass, and in the one before */
		uint64_t end_ns;
	} threads[IDS];
	int living;
	struct {
		struct event events[PASSES * 256];
		size_t count, marked, learnt, taken;
	} rings[RINGS];
	int judged, wrong, born;
};

static void write_event(struct machine *machine, struct event event)
{
	size_t at = random_below(&machine->random, RINGS);

	event.time_ns = event.birth.time_ns = ++machine->now_ns;
	assert_true(machine->rings[at].count < PASSES * 256);
	machine->rings[at].events[machine->rings[at].count++] = event;
}

static bool is_free(const struct machine *machine, pid_t id)
{
	for (pid_t tid = 0; tid < IDS; tid++)
		if (machine->threads[tid].pid && (tid == id || machine->threads[tid].pid == id))
			return false;
	/* A number may be reused, but not twice between passes. */
	return !machine->threads[id].births[0] && !machine->threads[id].births[1] &&
	       (!machine->only_ours || !machine->threads[id].end_ns ||
		machine->now_ns > machine->threads[id].end_ns + SECOND_NS);
}

static void bear(struct machine *machine, pid_t parent)
{
	pid_t tid = 1 + (pid_t)random_below(&machine->random, IDS - 1);
	bool ours = machine->threads[parent].ours;
	pid_t pid = random_below(&machine->random, 2) ? tid : machine->threads[parent].pid;

	if (machine->living == LIVING_MAX || !is_free(machine, tid))
		return;
	machine->threads[tid].pid = pid;
	machine->threads[tid].ours = ours;
	machine->threads[tid].births[0]++;
	machine->living++;
	machine->born += ours;
	write_event(machine, (struct event){.kind = BIRTH,
					    .birth = {.pid = pid,
						      .tid = tid,
						      .parent_pid = machine->threads[parent].pid,
						      .parent_tid = parent,
						      .ours = machine->only_ours},
					    .ours = ours});
}

static void write_of(struct machine *machine, enum kind kind, pid_t pid, pid_t tid, bool ours)
{
	write_event(machine, (struct event){.kind = kind, .pid = pid, .tid = tid, .ours = ours});
}

static void bury(struct machine *machine, pid_t tid)
{
	machine->threads[machine->threads[tid].pid].end_ns = machine->now_ns;
	machine->threads[tid].end_ns = machine->now_ns;
	machine->threads[tid].pid = 0;
	machine->living--;
}

static void end_thread(struct machine *machine, pid_t tid)
{
	write_of(machine, END, machine->threads[tid].pid, tid, machine->threads[tid].ours);
	bury(machine, tid);
}

static int count_threads(const struct machine *machine, pid_t pid)
{
	int count = 0;

	for (pid_t tid = 0; tid < IDS; tid++)
		count += machine->threads[tid].pid == pid;
	return count;
}

/*
 * All other threads end, and the thread continues as the first one: that one leaves its CPU for the
 * last time before or after both have changed their numbers.
 */
static void exec(struct machine *machine, pid_t tid)
{
	pid_t pid = machine->threads[tid].pid;
	bool ours = machine->threads[tid].ours;

	for (pid_t other = 1; other < IDS; other++)
		if (machine->threads[other].pid == pid && other != tid && other != pid)
			end_thread(machine, other);
	if (tid != pid) {
		if (machine->threads[pid].pid) {
			write_of(machine, END, pid, random_below(&machine->random, 2) ? tid : pid,
				 ours);
			machine->living--;
		}
		bury(machine, tid);
		machine->threads[pid].pid = pid;
		machine->threads[pid].ours = ours;
		machine->living++;
		write_of(machine, DOES, pid, pid, ours);
	}
	write_of(machine, EXEC, pid, pid, ours);
}

/* The first process of either side does not end. */
static void step(struct machine *machine)
{
	pid_t tid = 1 + (pid_t)random_below(&machine->random, IDS - 1);
	pid_t pid = machine->threads[tid].pid;
	size_t what = random_below(&machine->random, 16);

	if (machine->only_ours)
		machine->now_ns += SECOND_NS / 20;
	else if (random_below(&machine->random, 40) == 0)
		machine->now_ns += SECOND_NS;
	if (!pid)
		return;
	if (what < 4)
		bear(machine, tid);
	else if (what < 6 && (pid > 2 || count_threads(machine, pid) > 1))
		end_thread(machine, tid);
	else if (what == 6)
		exec(machine, tid);
	else
		write_of(machine, DOES, pid, tid, machine->threads[tid].ours);
}

static void step_often(struct machine *machine, size_t most)
{
	for (size_t i = random_below(&machine->random, most); i > 0; i--)
		step(machine);
}

static void tell(struct machine *machine, const struct event *event)
{
	if (event->kind == BIRTH)
		lineage_birth(&machine->lineage, &event->birth);
	else if (event->kind == EXEC)
		lineage_exec(&machine->lineage, event->pid, event->time_ns);
	else if (event->kind == END)
		lineage_end(&machine->lineage, event->tid, event->time_ns);
}

/* A collector that sees the target alone gets its births up to a time. */
static void watch_target(struct machine *machine, uint64_t until_ns)
{
	for (size_t at = 0; at < RINGS; at++)
		while (machine->rings[at].learnt < machine->rings[at].count &&
		       machine->rings[at].events[machine->rings[at].learnt].time_ns <= until_ns) {
			const struct event *event =
				&machine->rings[at].events[machine->rings[at].learnt++];

			if (event->kind != BIRTH || event->ours)
				tell(machine, event);
		}
	lineage_settle(&machine->lineage, UINT64_MAX);
}

/* A collector that sees the machine gets all births in its rings, while these grow. */
static void watch_all(struct machine *machine, uint64_t until_ns)
{
	for (size_t at = 0; at < RINGS; at++) {
		while (machine->rings[at].learnt < machine->rings[at].count)
			tell(machine, &machine->rings[at].events[machine->rings[at].learnt++]);
		step_often(machine, 10);
	}
	lineage_settle(&machine->lineage, until_ns);
}

/* With the number of the process and without it, as events may lack it. */
static void take(struct machine *machine, size_t at)
{
	while (machine->rings[at].taken < machine->rings[at].marked) {
		const struct event *event = &machine->rings[at].events[machine->rings[at].taken++];
		pid_t pid = random_below(&machine->random, 2) ? event->pid : 0;

		if (event->kind != DOES)
			continue;
		machine->judged++;
		machine->wrong += lineage_has_thread(&machine->lineage, pid, event->tid,
						     event->time_ns) != event->ours;
	}
}

static void run_pass(struct machine *machine)
{
	step_often(machine, 60);
	for (size_t at = 0; at < RINGS; at++) {
		machine->rings[at].marked = machine->rings[at].count;
		step_often(machine, 10);
	}
	if (machine->only_ours)
		watch_target(machine, machine->now_ns);
	else
		watch_all(machine, machine->now_ns);
	for (size_t at = 0; at < RINGS; at++)
		take(machine, at);
	for (size_t tid = 0; tid < IDS; tid++) {
		int *births = machine->threads[tid].births;

		births[1] = births[0];
		births[0] = 0;
	}
}

static void no_event_is_misjudged_in_any_order_of_the_rings(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		memset(machine, 0, sizeof(*machine)); /* too large for the stack */
		machine->only_ours = seed % 2;
		machine->living = 2;
		machine->born = 1;
		machine->now_ns = 1000;
		machine->random.state = seed;
		machine->lineage.proc = "/nowhere";
		lineage_give_process(&machine->lineage, 1, 999);
		lineage_give_thread(&machine->lineage, 1, 1, 999);
		machine->threads[1].pid = 1;
		machine->threads[1].ours = true;
		machine->threads[2].pid = 2;
		for (int pass = 0; pass < PASSES; pass++)
			run_pass(machine);
		if (machine->wrong)
			fail_msg("seed %u: %d of %d", seed, machine->wrong, machine->judged);
		assert_true(machine->judged > 500);
		watch_target(machine, machine->now_ns); /* births since the last pass */
		if (machine->lineage.threads != (uint64_t)machine->born)
			fail_msg("seed %u: %d threads, not %d", seed, (int)machine->lineage.threads,
				 machine->born);
		assert_int_equal(machine->lineage.unknown, 0);
		lineage_release(&machine->lineage);
	}
	free(machine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(threads_and_children_belong_to_the_target),
	cmocka_unit_test(births_are_judged_by_their_time_and_not_by_their_ring),
	cmocka_unit_test(a_birth_waits_until_the_birth_of_its_parent_is_known),
	cmocka_unit_test(a_thread_belongs_to_the_target_from_its_birth_on),
	cmocka_unit_test(a_stranger_takes_over_the_number_of_an_ended_thread),
	cmocka_unit_test(a_strangers_thread_does_not_take_over_a_process),
	cmocka_unit_test(a_given_process_is_not_taken_away_by_an_earlier_birth),
	cmocka_unit_test(a_thread_that_has_ended_is_soon_forgotten),
	cmocka_unit_test(the_second_thread_of_a_number_counts_too),
	cmocka_unit_test(a_thread_continues_under_the_number_of_the_process_after_an_exec),
	cmocka_unit_test(an_exec_does_not_end_threads_that_came_after_it),
	cmocka_unit_test(an_exec_takes_no_longer_than_the_threads_of_the_process),
	cmocka_unit_test(each_kind_of_target_grows_in_its_way),
	cmocka_unit_test(the_living_are_those_that_tell_when_it_ends),
	cmocka_unit_test(it_lives_until_its_last_thread_has_left_its_cpu),
	cmocka_unit_test(a_thread_that_the_scan_saw_counts_once),
	cmocka_unit_test(the_process_of_a_thread_tells_when_its_birth_was_lost),
	cmocka_unit_test(a_thread_without_a_known_birth_is_looked_up),
	cmocka_unit_test(no_event_is_misjudged_in_any_order_of_the_rings),
};

TEST_FILE(tests);
