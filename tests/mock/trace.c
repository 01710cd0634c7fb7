/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/state.h"

#include <inttypes.h>
#include <stdio.h>

static int tid_of(int thread)
{
	return thread == MOCK_NO_THREAD ? 0 : MOCK_FIRST_TID + thread;
}

static const char *comm_of(int thread)
{
	return thread == MOCK_NO_THREAD ? "swapper" : "mock";
}

/* Each idle thread has a name with its number. */
static void name(char comm[16], int thread, int core)
{
	if (thread == MOCK_NO_THREAD)
		snprintf(comm, 16, "swapper/%d", core);
	else
		snprintf(comm, 16, "mock");
}

static uint64_t address(uint32_t object, unsigned word)
{
	return word == MOCK_WORD_JOIN ? 0x7f2000000910 + UINT64_C(0x801000) * object
				      : 0x55d000004040 + UINT64_C(2048) * object + word;
}

/* Returns the file for the rest of the line, or NULL: nothing is recorded. */
static FILE *head(const struct mock_machine *machine, int core, int thread, const char *system,
		  const char *event, bool interrupt)
{
	FILE *file = machine->run->trace;
	uint64_t ns = machine->now_ns;
	int pid = thread == MOCK_NO_THREAD ? 0 : MOCK_FIRST_TID;

	if (!file)
		return NULL;
	/* The reader of ftrace does not read groups. */
	if (machine->run->layout != MOCK_PERF_SCRIPT)
		system = "";
	if (machine->run->layout == MOCK_PERF_SCRIPT)
		fprintf(file, "%16s %5d/%-5d [%03d] ", comm_of(thread), pid, tid_of(thread), core);
	else
		fprintf(file, "%16s-%-5d (%7d) [%03d] %s ", pid ? comm_of(thread) : "<idle>",
			tid_of(thread), pid, core, interrupt ? "d.h2." : "d..2.");
	fprintf(file, "%6" PRIu64 ".%09" PRIu64 ": %s%s%s: ", ns / 1000000000, ns % 1000000000,
		system, machine->run->layout == MOCK_PERF_SCRIPT ? ":" : "", event);
	return file;
}

void mock_trace_switch(const struct mock_machine *machine, int core, int from, char state, int to)
{
	FILE *file = head(machine, core, from, "sched", "sched_switch", false);
	char from_comm[16], to_comm[16];

	if (!file)
		return;
	name(from_comm, from, core);
	name(to_comm, to, core);
	fprintf(file,
		"prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c ==> next_comm=%s next_pid=%d "
		"next_prio=120\n",
		from_comm, tid_of(from), from == MOCK_NO_THREAD ? 'R' : state, to_comm, tid_of(to));
}

void mock_trace_wake(const struct mock_machine *machine, int core, int woken, bool interrupt)
{
	FILE *file = head(machine, core, machine->cores[core].current, "sched", "sched_waking",
			  interrupt);

	if (file)
		fprintf(file, "comm=%s pid=%d prio=120 target_cpu=%03d\n", comm_of(woken),
			tid_of(woken), machine->threads[woken].core);
}

void mock_trace_fork(const struct mock_machine *machine, int parent, int child)
{
	int core = machine->threads[parent].core;
	FILE *file = head(machine, core, parent, "sched", "sched_process_fork", false);

	if (!file)
		return;
	fprintf(file, "comm=%s pid=%d child_comm=%s child_pid=%d\n", comm_of(parent),
		tid_of(parent), comm_of(child), tid_of(child));
	head(machine, core, parent, "sched", "sched_wakeup_new", false);
	fprintf(file, "comm=%s pid=%d prio=120 target_cpu=%03d\n", comm_of(child), tid_of(child),
		machine->threads[child].core);
}

void mock_trace_exit(const struct mock_machine *machine, int thread)
{
	FILE *file = head(machine, machine->threads[thread].core, thread, "sched",
			  "sched_process_exit", false);

	if (file)
		fprintf(file, "comm=%s pid=%d prio=120\n", comm_of(thread), tid_of(thread));
}

/* The same for calls, if they are recorded. */
static FILE *call_head(const struct mock_machine *machine, int thread, enum mock_calls calls,
		       const char *system, const char *event)
{
	if (machine->run->calls < calls)
		return NULL;
	return head(machine, machine->threads[thread].core, thread, system, event, false);
}

void mock_trace_futex(const struct mock_machine *machine, int thread, enum mock_futex op,
		      uint32_t object, unsigned word, uint32_t count)
{
	/* FUTEX_WAIT_PRIVATE, FUTEX_WAIT_BITSET with CLOCK_REALTIME, FUTEX_WAKE_PRIVATE */
	static const unsigned ops[] = {0x80, 0x189, 0x81};
	unsigned number = word == MOCK_WORD_JOIN ? 0x109 : ops[op];
	FILE *file = call_head(machine, thread, MOCK_CALLS_FUTEX, "syscalls", "sys_enter_futex");

	if (file)
		fprintf(file,
			"uaddr: 0x%" PRIx64 ", op: 0x%08x, val: 0x%08x, utime: 0x00000000, uaddr2: "
			"0x00000000, val3: 0x%08x\n",
			address(object, word), number, count,
			op == MOCK_FUTEX_WAIT_BITSET ? -1U : 0);
}

void mock_trace_futex_exit(const struct mock_machine *machine, int thread, long result)
{
	FILE *file = call_head(machine, thread, MOCK_CALLS_FUTEX, "syscalls", "sys_exit_futex");

	if (file)
		fprintf(file, "0x%lx\n", result);
}

void mock_trace_sleep(const struct mock_machine *machine, int thread, bool enter)
{
	const char *event = enter ? "sys_enter_clock_nanosleep" : "sys_exit_clock_nanosleep";
	FILE *file = call_head(machine, thread, MOCK_CALLS_FUTEX, "syscalls", event);

	if (file && enter)
		fprintf(file, "which_clock: 0x00000000, flags: 0x00000000, rqtp: 0x7ffc0000, rmtp: "
			      "0x00000000\n");
	else if (file)
		fprintf(file, "0x0\n");
}

void mock_trace_call(const struct mock_machine *machine, int thread, const char *call,
		     uint32_t object, unsigned word, const char *what)
{
	FILE *file = call_head(machine, thread, MOCK_CALLS_ALL, "pscal", call);

	if (file)
		fprintf(file, "(7f0012345678) object=0x%" PRIx64 "%s\n", address(object, word),
			what);
}

void mock_trace_wait(const struct mock_machine *machine, int thread, uint32_t object, unsigned word,
		     uint32_t mutex)
{
	char what[48];

	snprintf(what, sizeof(what), " object2=0x%" PRIx64, address(mutex, 0));
	mock_trace_call(machine, thread, "cond_wait", object, word, what);
}
