/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/seeds.h"

#include <stdarg.h>
#include <stdio.h>

void put_line(struct bytes *bytes, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	put(bytes, text, strlen(text));
	free(text);
}

/* The form of an event in one layout: the text before its fields, and the fields. */
struct layout {
	const char *header;
	void (*head)(struct bytes *bytes, const struct move *move, const char *name);
	void (*fields)(struct bytes *bytes, const struct move *move);
	const char *end; /* of the line, and further lines */
};

/* Names of threads, some of which mislead a reader. */
static const char *name_of(int32_t tid)
{
	static const char *const names[] = {
		"t1", "kworker/0:2-vir",     "a 1 2.5: b:", "=> pid=7", "x prev_pid=3 ==>",
		"",   "\xc3\xa4 [000] 1.0:", "#no comment"};

	return tid ? names[(size_t)tid % 8] : "swapper";
}

static const char *plain_name_of(int32_t tid)
{
	static const char *const names[] = {"alpha", "beta", "gamma", "delta"};

	return tid ? names[(size_t)tid % 4] : "swapper";
}

static unsigned long long seconds(const struct move *move)
{
	return move->time_ns / 1000000000;
}

static unsigned long long us(const struct move *move)
{
	return move->time_ns / 1000 % 1000000;
}

/* --- Fields -------------------------------------------------------------------------------- */

static void put_switch(struct bytes *bytes, const struct move *move, const char *from,
		       const char *to)
{
	put_line(bytes,
		 "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c%s ==> next_comm=%s "
		 "next_pid=%d next_prio=120",
		 from, move->tid, move->state, move->state == 'R' && move->tid ? "+" : "", to,
		 move->other);
}

static void put_fields(struct bytes *bytes, const struct move *move,
		       const char *(*name)(int32_t tid))
{
	switch (move->kind) {
	case MOVE_SWITCH:
		put_switch(bytes, move, name(move->tid), name(move->other));
		break;
	case MOVE_WAKE:
		put_line(bytes, "comm=%s pid=%d prio=120 target_cpu=%03d", name(move->other),
			 move->other, move->cpu);
		break;
	case MOVE_FORK:
		put_line(bytes, "comm=%s pid=%d child_comm=%s child_pid=%d", name(move->tid),
			 move->tid, name(move->other), move->other);
		break;
	case MOVE_EXIT:
		put_line(bytes, "comm=%s pid=%d prio=120", name(move->tid), move->tid);
		break;
	}
}

static void plain_fields(struct bytes *bytes, const struct move *move)
{
	put_fields(bytes, move, plain_name_of);
}

static void hostile_fields(struct bytes *bytes, const struct move *move)
{
	put_fields(bytes, move, name_of);
}

/* The two events for which libtraceevent has a plugin. */
static void plugin_fields(struct bytes *bytes, const struct move *move)
{
	if (move->kind == MOVE_SWITCH)
		put_line(bytes, "%s:%d [120] %c ==> %s:%d [120]", plain_name_of(move->tid),
			 move->tid, move->state, plain_name_of(move->other), move->other);
	else if (move->kind == MOVE_WAKE)
		put_line(bytes, "%s:%d [120] CPU:%03d", plain_name_of(move->other), move->other,
			 move->cpu);
	else
		plain_fields(bytes, move);
}

/* --- Heads --------------------------------------------------------------------------------- */

static void script_head(struct bytes *bytes, const struct move *move, const char *name)
{
	put_line(bytes, "%16s %5d/%-5d [%03d] %5llu.%06llu: %s: ", plain_name_of(move->tid),
		 move->tid ? SCHEDULE_FIRST_TID : 0, move->tid, move->cpu, seconds(move), us(move),
		 name);
}

static void hostile_head(struct bytes *bytes, const struct move *move, const char *name)
{
	put_line(bytes, "%16s %5d [%03d] %5llu.%06llu:          1  %s: ", name_of(move->tid),
		 move->tid, move->cpu, seconds(move), us(move), name);
}

static void ftrace_head(struct bytes *bytes, const struct move *move, const char *name)
{
	put_line(bytes, "%16s-%-7d [%03d] d..2. %5llu.%06llu: %s: ",
		 move->tid ? plain_name_of(move->tid) : "<idle>", move->tid, move->cpu,
		 seconds(move), us(move), strchr(name, ':') ? strchr(name, ':') + 1 : name);
}

static void trace_cmd_head(struct bytes *bytes, const struct move *move, const char *name)
{
	put_line(bytes, "%16s-%-5d [%03d] %5llu.%06llu: %s:         ",
		 move->tid ? plain_name_of(move->tid) : "<idle>", move->tid, move->cpu,
		 seconds(move), us(move), strchr(name, ':') ? strchr(name, ':') + 1 : name);
}

/* The `turn`-th call of the C library or of the kernel, with one of a few objects. */
static void put_call(struct bytes *bytes, const struct move *move, size_t turn)
{
	static const struct {
		const char *name, *more;
	} calls[] = {
		{"pscal:mutex_lock", ""},
		{"pscal:cond_wait", " object2=0x1000"},
		{"pscal:cond_signal", ""},
		{"pscal:mutex_unlock", ""},
		{"pscal:barrier_init", " count=2"},
		{"pscal:barrier_wait", ""},
		{"pscal:sem_init", " count=1"},
		{"pscal:sem_wait", ""},
		{"pscal:sem_post", ""},
		{"pscal:write_lock", ""},
		{"pscal:rw_unlock", ""},
		{"pscal:mutex_trylock", ""},
		{"pscal:mutex_unlock", ""},
		{"syscalls:sys_enter_sched_yield", NULL},
		{"syscalls:sys_enter_sched_yield", NULL},
		{"syscalls:sys_enter_sched_yield", NULL},
		{"syscalls:sys_enter_nanosleep", NULL},
	};
	enum { COUNT = sizeof(calls) / sizeof(calls[0]) };
	const char *more = calls[turn % COUNT].more;

	script_head(bytes, move, calls[turn % COUNT].name);
	if (more)
		put_line(bytes, "(7f0012345678) object=0x%zx%s\n", 0x1000 + turn / COUNT % 4 * 16,
			 more);
	else
		put_line(bytes, "rqtp: 0x7ffe0, rmtp: 0x7ffe0\n");
}

/* Calls of the thread before the move, in any order. */
static void calls_head(struct bytes *bytes, const struct move *move, const char *name)
{
	size_t turn = move->time_ns / 1000;

	for (size_t i = 0; move->tid && i < turn % 4; i++)
		put_call(bytes, move, turn + i);
	script_head(bytes, move, name);
}

static const char *const move_names[] = {
	[MOVE_SWITCH] = "sched:sched_switch",
	[MOVE_WAKE] = "sched:sched_waking",
	[MOVE_FORK] = "sched:sched_process_fork",
	[MOVE_EXIT] = "sched:sched_process_exit",
};

static struct bytes write_lines(const struct layout *layout, const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	put_line(&bytes, "%s", layout->header);
	for (size_t i = 0; i < count; i++) {
		layout->head(&bytes, &moves[i], move_names[moves[i].kind]);
		layout->fields(&bytes, &moves[i]);
		put_line(&bytes, "%s", layout->end);
	}
	return bytes;
}

struct bytes seed_script(const struct move *moves, size_t count)
{
	static const struct layout layout = {"", script_head, plain_fields, "\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_script_plugin(const struct move *moves, size_t count)
{
	static const struct layout layout = {"# captured on: today\n", script_head, plugin_fields,
					     "\r\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_script_chains(const struct move *moves, size_t count)
{
	static const struct layout layout = {
		"", script_head, plain_fields,
		"\n\tffffffff8100 __schedule+0x2c0 ([kernel.kallsyms])\n"
		"\t    7f0001 main+0x1 (/bin/x)\n\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_script_hostile(const struct move *moves, size_t count)
{
	static const struct layout layout = {"", hostile_head, hostile_fields, "\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_ftrace(const struct move *moves, size_t count)
{
	static const struct layout layout = {
		"# tracer: nop\n#\n# entries-in-buffer/entries-written: 80/80   #P:2\n#\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n",
		ftrace_head, plain_fields, "\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_trace_cmd(const struct move *moves, size_t count)
{
	static const struct layout layout = {"cpus=2\n", trace_cmd_head, plugin_fields, "\n"};

	return write_lines(&layout, moves, count);
}

/* --- Lines and events ------------------------------------------------------------------------ */

static void put_record(struct bytes *bytes, struct move move, int32_t tid, const char *words,
		       int32_t other)
{
	move.tid = tid;
	script_head(bytes, &move, "PERF_RECORD_SWITCH_CPU_WIDE");
	bytes->count -= 2; /* no colon */
	put_line(bytes, "%s pid/tid: %5d/%-5d\n", words, other ? SCHEDULE_FIRST_TID : 0, other);
}

struct bytes seed_script_records(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		if (move->kind == MOVE_SWITCH) {
			put_record(&bytes, *move, move->tid,
				   move->state == 'R' ? " OUT preempt  next" : " OUT          next",
				   move->other);
			put_record(&bytes, *move, move->other, " IN           prev", move->tid);
		}
		if (i % 16 == 15)
			put_line(&bytes, "swapper 0 [000] %llu.%06llu: PERF_RECORD_LOST lost 3\n",
				 seconds(move), us(move));
	}
	return bytes;
}

/* Before each switch a call of its thread, as tracers of calls print it. */
struct bytes seed_calls(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		if (i % 2) {
			script_head(&bytes, move, "syscalls:sys_enter_futex");
			put_line(&bytes,
				 "uaddr: 0x7f6c446eea4c, op: 0x%08zx, val: 0x7fffffff, utime: "
				 "0x00000000, uaddr2: 0x00000003, val3: 0x00000000\n",
				 i % 16 + 128);
			script_head(&bytes, move, "syscalls:sys_exit_futex");
			put_line(&bytes, "0x0\n");
		} else {
			script_head(&bytes, move, "pscal:barrier_init");
			put_line(&bytes, "(7f0012345678) object=0x7ffc12345678 count=%zu\n", i);
		}
		script_head(&bytes, move, move_names[move->kind]);
		plain_fields(&bytes, move);
		put_line(&bytes, "\n");
	}
	return bytes;
}

struct bytes seed_script_blocks(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		script_head(&bytes, move, i % 3 ? "pscal:enter" : "pscal:leave");
		put_line(&bytes, "block=f<int, %zu>(char) args=%zu 18446744073709551615\n", i % 4,
			 i);
		script_head(&bytes, move, i % 3 ? "pscal_enter:main" : "pscal_leave:main");
		put_line(&bytes,
			 i % 3 ? "(55d0c0de1139) arg1=0x%zx arg2=-1\n"
			       : "(55d0c0de1180 <- 55d0c0de1139) ret=0x%zx\n",
			 i);
		script_head(&bytes, move, move_names[move->kind]);
		plain_fields(&bytes, move);
		put_line(&bytes, "\n");
	}
	return bytes;
}

struct bytes seed_script_tasks(const struct move *moves, size_t count)
{
	static const char *const steps[] = {"begin", "spawn",  "spawned", "sync_of", "sync",
					    "end",   "synced", "pause",	  "resume",  "barrier"};
	struct bytes bytes = {0};

	for (size_t i = 0; i < count; i++) {
		const struct move *move = &moves[i];

		script_head(&bytes, move, "pscal:task");
		put_line(&bytes, "site=f step=1 f.c:%zu step=%s task=%zu value=%zu index=%zu\n",
			 i % 9, steps[i % 10], i % 7 + 1, i % 7, i);
		script_head(&bytes, move, move_names[move->kind]);
		plain_fields(&bytes, move);
		put_line(&bytes, "\n");
	}
	return bytes;
}

struct bytes seed_sync(const struct move *moves, size_t count)
{
	static const struct layout layout = {"", calls_head, plain_fields, "\n"};

	return write_lines(&layout, moves, count);
}

struct bytes seed_ftrace_calls(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	put_line(&bytes, "# tracer: nop\n#\n");
	for (size_t i = 0; i < count; i++) {
		ftrace_head(&bytes, &moves[i], "sched:sys_futex");
		bytes.count -= 2; /* no colon */
		put_line(&bytes, i % 2 ? " -> 0x0\n" : "(uaddr: 7f22, op: %zx, val: 1)\n", i % 16);
		ftrace_head(&bytes, &moves[i], move_names[moves[i].kind]);
		plain_fields(&bytes, &moves[i]);
		put_line(&bytes, "\n");
	}
	return bytes;
}

/* perf sched script: raw fields */
struct bytes seed_sched_script(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	for (size_t i = 0; i < count; i++) {
		if (i % 8 == 0)
			put_line(&bytes,
				 "0x%zx [0x60]: event: 9\n.\n. ... raw event: size 96 "
				 "bytes\n.  0000:  09 00 00 00 02 00 60 00  ......`.\n.\n",
				 i * 96);
		script_head(&bytes, &moves[i], move_names[moves[i].kind]);
		plain_fields(&bytes, &moves[i]);
		put_line(&bytes, "\n");
	}
	return bytes;
}

static void put_timehist(struct bytes *bytes, const struct move *move, size_t i)
{
	const char *name = move->tid ? plain_name_of(move->tid) : "<idle>";
	const char *other = move->other ? plain_name_of(move->other) : "swapper/0";

	if (move->kind == MOVE_SWITCH)
		put_line(
			bytes,
			"%8llu.%06llu [%04d]  %s[%d/%d]%*s 0.0%02zu      0.001      0.050      %c  "
			"next: %s[%d]\n",
			seconds(move), us(move), move->cpu, name, move->tid, SCHEDULE_FIRST_TID, 12,
			"", i % 100, move->state, other, move->other);
	else if (move->kind == MOVE_WAKE)
		put_line(bytes, "%8llu.%06llu [%04d]  %s[%d/%d]%*s awakened: %s[%d/%d]\n",
			 seconds(move), us(move), move->cpu, name, move->tid, SCHEDULE_FIRST_TID,
			 40, "", other, move->other, SCHEDULE_FIRST_TID);
}

struct bytes seed_timehist(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	put_line(&bytes,
		 "Samples do not have callchains.\n"
		 "           time    cpu  task name                       wait time  sch delay   "
		 "run time  state\n"
		 "                        [tid/pid]                          (msec)     (msec)     "
		 "(msec)\n"
		 "--------------- ------  ------------------------------  ---------  ---------  "
		 "---------  -----\n");
	for (size_t i = 0; i < count; i++)
		put_timehist(&bytes, &moves[i], i);
	return bytes;
}

struct bytes seed_levels_csv(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	put_line(&bytes, "active,wall_s,share\n");
	for (size_t i = 0; i < count && i < 12; i++)
		put_line(&bytes, "%zu,%g,0.1\n", i, (double)(moves[i].time_ns % 1000) / 100);
	put_line(&bytes, "unknown,0.5,0.1\n");
	return bytes;
}

struct bytes seed_series_csv(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};

	put_line(&bytes, "\xef\xbb\xbf# by hand\n\"threads\";\"throughput\"\n");
	for (size_t i = 1; i < count && i < 12; i++)
		put_line(&bytes, "%zu;%g\n", i,
			 (double)i * (1 + (double)(moves[i].time_ns % 10) / 100));
	return bytes;
}

struct bytes seed_log_csv(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};
	double total = 0;

	put_line(&bytes, "Time (ms)\tcores\trequests_total\n");
	for (size_t i = 0; i < count; i++) {
		size_t n = i < count / 3 ? 1 : i < count / 2 ? 4 : 2;

		total += (double)n * (1 + (double)(moves[i].time_ns % 10) / 100);
		put_line(&bytes, "%zu,5\t%zu\t%.0f\n", 100 * i, n, 100 * total);
	}
	return bytes;
}
