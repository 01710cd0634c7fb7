/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/server_state.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

static int tid_of(int thread)
{
	return thread == SERVER_NONE ? 0 : SERVER_FIRST_TID + thread;
}

static const char *comm_of(const struct server_state *state, int thread)
{
	const struct server_thread *self = &state->threads[thread];

	switch (self->role) {
	case SERVER_MAIN:
		return "server";
	case SERVER_SOURCE:
		return "source";
	case SERVER_CLIENT:
		return "client";
	default:
		return server_pool_name(self->pool);
	}
}

static uint64_t address(struct server_object object, unsigned word)
{
	static const uint64_t begins[] = {
		[SERVER_OF_QUEUE] = 0x55d000004040, [SERVER_OF_CONDITION] = 0x55d000004068,
		[SERVER_OF_LOCK] = 0x55d000008040,  [SERVER_OF_ANSWER] = 0x55d000010040,
		[SERVER_OF_END] = 0x7f2000000910,
	};

	return begins[object.kind] + UINT64_C(256) * object.number + word;
}

/* Returns the file for the rest of the line, or NULL: nothing is recorded. */
static FILE *head(const struct server_state *state, int core, int thread, const char *event)
{
	FILE *file = state->run->trace;
	uint64_t ns = state->now_ns + 1000000000;
	int pid = thread == SERVER_NONE ? 0 : SERVER_FIRST_TID;

	if (!file || (double)state->now_ns < state->run->attached_s * 1e9)
		return NULL;
	fprintf(file, "%16s %5d/%-5d [%03d] %6" PRIu64 ".%09" PRIu64 ": %s: ",
		thread == SERVER_NONE ? "swapper" : comm_of(state, thread), pid, tid_of(thread),
		core, ns / 1000000000, ns % 1000000000, event);
	return file;
}

/* Each idle thread has a name with its number. */
static const char *name(char text[16], const struct server_state *state, int thread, int core)
{
	if (thread == SERVER_NONE)
		snprintf(text, 16, "swapper/%d", core);
	else
		snprintf(text, 16, "%s", comm_of(state, thread));
	return text;
}

void server_trace_switch(const struct server_state *state, int core, int from, char how, int to)
{
	FILE *file = head(state, core, from, "sched:sched_switch");
	char from_comm[16], to_comm[16];

	if (file)
		fprintf(file,
			"prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c ==> next_comm=%s "
			"next_pid=%d next_prio=120\n",
			name(from_comm, state, from, core), tid_of(from),
			from == SERVER_NONE ? 'R' : how, name(to_comm, state, to, core),
			tid_of(to));
}

void server_trace_wake(const struct server_state *state, int by, int core, int thread)
{
	FILE *file;

	/* A timer interrupts the current thread of its core. */
	if (by == SERVER_NONE)
		by = state->cores[core].current;
	else
		core = state->threads[by].core;
	file = head(state, core, by, "sched:sched_waking");
	if (file)
		fprintf(file, "comm=%s pid=%d prio=120 target_cpu=%03d\n", comm_of(state, thread),
			tid_of(thread), state->threads[thread].core);
}

void server_trace_fork(const struct server_state *state, int parent, int child)
{
	int core = state->threads[parent].core;
	FILE *file = head(state, core, parent, "sched:sched_process_fork");

	if (!file)
		return;
	fprintf(file, "comm=%s pid=%d child_comm=%s child_pid=%d\n", comm_of(state, parent),
		tid_of(parent), comm_of(state, child), tid_of(child));
	head(state, core, parent, "sched:sched_wakeup_new");
	fprintf(file, "comm=%s pid=%d prio=120 target_cpu=%03d\n", comm_of(state, child),
		tid_of(child), core);
}

void server_trace_exit(const struct server_state *state, int thread)
{
	FILE *file = head(state, state->threads[thread].core, thread, "sched:sched_process_exit");

	if (file)
		fprintf(file, "comm=%s pid=%d prio=120\n", comm_of(state, thread), tid_of(thread));
}

static FILE *call_head(const struct server_state *state, int thread, const char *event)
{
	return state->run->no_calls ? NULL
				    : head(state, state->threads[thread].core, thread, event);
}

/* FUTEX_WAIT_PRIVATE, FUTEX_WAIT_BITSET with CLOCK_REALTIME, FUTEX_WAKE_PRIVATE */
void server_trace_futex(const struct server_state *state, int thread, bool wake,
			struct server_object object)
{
	static const unsigned waits[] = {
		[SERVER_OF_QUEUE] = 0x80,   [SERVER_OF_CONDITION] = 0x189, [SERVER_OF_LOCK] = 0x80,
		[SERVER_OF_ANSWER] = 0x189, [SERVER_OF_END] = 0x109,
	};
	FILE *file = call_head(state, thread, "syscalls:sys_enter_futex");
	bool bits = !wake && waits[object.kind] != 0x80;

	if (file)
		fprintf(file,
			"uaddr: 0x%" PRIx64 ", op: 0x%08x, val: 0x%08x, utime: 0x00000000, uaddr2: "
			"0x00000000, val3: 0x%08x\n",
			address(object, object.kind == SERVER_OF_CONDITION ? 40 : 0),
			wake ? 0x81 : waits[object.kind],
			wake   ? 1
			: bits ? 0
			       : 2,
			bits ? -1U : 0);
}

void server_trace_futex_exit(const struct server_state *state, int thread, long result)
{
	FILE *file = call_head(state, thread, "syscalls:sys_exit_futex");

	if (file)
		fprintf(file, "0x%lx\n", result);
}

void server_trace_sleep(const struct server_state *state, int thread, bool enter)
{
	FILE *file = call_head(state, thread,
			       enter ? "syscalls:sys_enter_clock_nanosleep"
				     : "syscalls:sys_exit_clock_nanosleep");

	if (file && enter)
		fprintf(file, "which_clock: 0x00000000, flags: 0x00000000, rqtp: 0x7ffc0000, rmtp: "
			      "0x00000000\n");
	else if (file)
		fprintf(file, "0x0\n");
}

void server_trace_call(const struct server_state *state, int thread, const char *call,
		       struct server_object object)
{
	char event[40];
	FILE *file;

	snprintf(event, sizeof(event), "pscal:%s", call);
	file = call_head(state, thread, event);
	if (!file)
		return;
	fprintf(file, "(7f0012345678) object=0x%" PRIx64, address(object, 0));
	/* The call names the mutex, too. */
	if (object.kind == SERVER_OF_CONDITION && call[5] == 'w')
		fprintf(file, " object2=0x%" PRIx64,
			address((struct server_object){SERVER_OF_QUEUE, object.number}, 0));
	fputc('\n', file);
}
