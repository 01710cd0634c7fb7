/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/sched/bpf/bpf_private.h"
#include "collect/target/lineage.h"

#include <errno.h>

/* Formats in an order that no kernel has, so that the code must read the layout. */
#define FIELD(type, name, offset, size) \
	"\tfield:" type " " name ";\toffset:" offset ";\tsize:" size ";\tsigned:1;\n"
#define FORMAT(name, id, fields)                                                                 \
	"name: " name "\nID: " id "\nformat:\n" FIELD("unsigned short", "common_type", "0", "2") \
		FIELD("unsigned char", "common_flags", "3", "1")                                 \
			FIELD("int", "common_pid", "4", "4") "\n" fields "\nprint fmt: \"\"\n"
#define WAKE_FIELDS                          \
	FIELD("int", "target_cpu", "8", "4") \
	FIELD("int", "prio", "12", "4")      \
	FIELD("pid_t", "pid", "16", "4") FIELD("char", "comm[16]", "20", "16")

static const struct {
	const char *path, *text;
} formats[] = {
	{"events/sched/sched_switch/format",
	 FORMAT("sched_switch", "1",
		FIELD("pid_t", "next_pid", "8", "4") FIELD("pid_t", "prev_pid", "12", "4")
			FIELD("int", "next_prio", "16", "4") FIELD("int", "prev_prio", "20", "4")
				FIELD("long", "prev_state", "24", "8")
					FIELD("char", "next_comm[16]", "32", "16")
						FIELD("char", "prev_comm[16]", "48", "16"))},
	{"events/sched/sched_waking/format", FORMAT("sched_waking", "2", WAKE_FIELDS)},
	{"events/sched/sched_wakeup_new/format", FORMAT("sched_wakeup_new", "3", WAKE_FIELDS)},
	{"events/sched/sched_process_fork/format",
	 FORMAT("sched_process_fork", "4",
		FIELD("pid_t", "child_pid", "8", "4") FIELD("pid_t", "parent_pid", "12", "4")
			FIELD("char", "child_comm[16]", "16", "16")
				FIELD("char", "parent_comm[16]", "32", "16"))},
	{"events/sched/sched_process_exit/format",
	 FORMAT("sched_process_exit", "5",
		FIELD("bool", "group_dead", "8", "1") FIELD("int", "prio", "12", "4")
			FIELD("pid_t", "pid", "16", "4") FIELD("char", "comm[16]", "20", "16"))},
	{"events/syscalls/sys_enter_futex/format",
	 FORMAT("sys_enter_futex", "6",
		FIELD("int", "__syscall_nr", "8", "4") FIELD("u32 *", "uaddr", "16", "8")
			FIELD("int", "op", "24", "8") FIELD("u32", "val", "32", "8")
				FIELD("u32 *", "uaddr2", "40", "8"))},
	{"events/syscalls/sys_enter_nanosleep/format",
	 FORMAT("sys_enter_nanosleep", "7", FIELD("int", "__syscall_nr", "8", "4"))},
	{"events/syscalls/sys_enter_clock_nanosleep/format",
	 FORMAT("sys_enter_clock_nanosleep", "8", FIELD("int", "__syscall_nr", "8", "4"))},
	{"events/syscalls/sys_exit_futex/format",
	 FORMAT("sys_exit_futex", "10",
		FIELD("int", "__syscall_nr", "8", "4") FIELD("long", "ret", "16", "8"))},
	{"events/syscalls/sys_exit_nanosleep/format",
	 FORMAT("sys_exit_nanosleep", "11", FIELD("int", "__syscall_nr", "8", "4"))},
	{"events/syscalls/sys_exit_clock_nanosleep/format",
	 FORMAT("sys_exit_clock_nanosleep", "12", FIELD("int", "__syscall_nr", "8", "4"))},
};

struct fixture {
	struct bpf_expand expand;
	struct recording recording;
	struct lineage lineage;
};

static void begin_with(struct fixture *fixture, const struct bpf_expand_stacks *stacks,
		       const struct bpf_expand_stacks *call_stacks)
{
	char root[64];
	struct err err;

	memset(fixture, 0, sizeof(*fixture));
	dir_make(root);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		dir_put(root, formats[i].path, formats[i].text);
	assert_int_equal(
		bpf_expand_init(&fixture->expand, 1000, root, stacks, &fixture->lineage, &err), 0);
	assert_int_equal(fixture->expand.event_count, BPF_EXPAND_START + 1);
	assert_int_equal(bpf_expand_calls(&fixture->expand, root, call_stacks, &err), 0);
	dir_remove(root);
}

static void begin(struct fixture *fixture, const struct bpf_expand_stacks *stacks)
{
	begin_with(fixture, stacks, NULL);
}

static void end(struct fixture *fixture)
{
	bpf_expand_release(&fixture->expand);
	recording_drop(&fixture->recording);
	lineage_release(&fixture->lineage);
}

static void expand(struct fixture *fixture, struct bpf_event event)
{
	bpf_expand(&fixture->expand, &fixture->recording, &event);
}

/* A record with the name of a thread. */
static void tell(struct fixture *fixture, enum bpf_record_kind kind, pid_t pid, pid_t tid,
		 pid_t other, const char *comm, uint32_t detail)
{
	struct bpf_event event = {.time_ns = 1,
				  .kind = kind,
				  .tid = tid,
				  .other = other,
				  .prio = 120,
				  .detail = detail};
	struct bpf_ids ids = {.pid = (uint32_t)pid};

	memcpy(&event.body[0], comm, strlen(comm));
	memcpy(&event.body[1], &ids, sizeof(ids));
	expand(fixture, event);
}

/* --- Records as text ----------------------------------------------------------------------- */

static int32_t number(const uint8_t *bytes, size_t offset)
{
	int32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static uint64_t word(const uint8_t *bytes, size_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

/* The place, the time and the thread, as in a sample from byte 8 on. */
static void print_place(FILE *out, uint64_t id, const uint8_t *pid, uint64_t time_ns, int cpu)
{
	fprintf(out, " #%d %d/%d @%d cpu %d\n", (int)(id - RECORD_SCHED_ID), number(pid, 0),
		number(pid, 4), (int)time_ns, cpu);
}

static void print_sample(FILE *out, const uint8_t *record, int with_stack)
{
	const uint8_t *raw = record + (with_stack ? 48 : 40); /* an address comes with a stack */
	const uint8_t *at_ids;

	if (with_stack) {
		uint64_t depth = word(raw, 0);

		for (uint64_t i = 0; i < depth; i++)
			fprintf(out, "[%llx] ", (unsigned long long)word(raw, 8 + 8 * i));
		raw += 8 + 8 * depth;
	}
	raw += 4; /* size */
	switch (number(raw, 0) & 0xffff) {
	case 1:
		fprintf(out, "switch(%d) %.16s %d %d %lld > %.16s %d %d", number(raw, 4), raw + 48,
			number(raw, 12), number(raw, 20), (long long)word(raw, 24), raw + 32,
			number(raw, 8), number(raw, 16));
		break;
	case 2:
	case 3:
		fprintf(out, "%s(%d) %.16s %d %d on %d", raw[0] == 2 ? "waking" : "wakeup_new",
			number(raw, 4), raw + 20, number(raw, 16), number(raw, 12), number(raw, 8));
		if (raw[3])
			fprintf(out, " flags %02x", raw[3]);
		break;
	case 4:
		fprintf(out, "fork(%d) %.16s %d > %.16s %d", number(raw, 4), raw + 32,
			number(raw, 12), raw + 16, number(raw, 8));
		break;
	case 5:
		fprintf(out, "exit(%d) %.16s %d %d last %d", number(raw, 4), raw + 20,
			number(raw, 16), number(raw, 12), raw[8]);
		break;
	case 6:
		fprintf(out, "futex(%d) %llx %lld %lld to %llx", number(raw, 4),
			(unsigned long long)word(raw, 16), (long long)word(raw, 24),
			(long long)word(raw, 32), (unsigned long long)word(raw, 40));
		break;
	case 7:
	case 8:
		fprintf(out, "call(%d)", number(raw, 4));
		break;
	case 10:
		fprintf(out, "return(%d) %lld", number(raw, 4), (long long)word(raw, 16));
		break;
	case 11:
	case 12:
		fprintf(out, "return(%d)", number(raw, 4));
		break;
	default:
		fprintf(out, "?");
		break;
	}
	at_ids = record + (with_stack ? 24 : 16);
	print_place(out, word(record, 8), at_ids, word(at_ids, 8), number(at_ids, 16));
}

static void print_other(FILE *out, const uint8_t *record, const struct perf_event_header *header)
{
	const uint8_t *trailer = record + header->size - 32;

	switch (header->type) {
	case PERF_RECORD_COMM:
		fprintf(out, "COMM%s %d/%d %s",
			header->misc & PERF_RECORD_MISC_COMM_EXEC ? "(exec)" : "",
			number(record, 8), number(record, 12), (const char *)record + 16);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		fprintf(out, "%s %d/%d of %d/%d",
			header->type == PERF_RECORD_FORK ? "FORK" : "EXIT", number(record, 8),
			number(record, 16), number(record, 12), number(record, 20));
		break;
	case PERF_RECORD_SWITCH:
		fprintf(out, "SWITCH %s%s",
			header->misc & PERF_RECORD_MISC_SWITCH_OUT ? "out" : "in",
			header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " preempted" : "");
		break;
	case PERF_RECORD_LOST:
		fprintf(out, "LOST %d", (int)word(record, 16));
		break;
	default:
		fprintf(out, "?");
		break;
	}
	print_place(out, word(trailer, 24), trailer, word(trailer, 8), number(trailer, 16));
}

/* The text of all records since the last call must be `want`. */
static void check(struct fixture *fixture, const char *want)
{
	struct recording *recording = &fixture->recording;
	int with_stack = fixture->expand.stacks || fixture->expand.call_stacks;
	size_t size;
	char *got;
	FILE *out = open_memstream(&got, &size);

	for (size_t at = 0; at < recording->size;) {
		const uint8_t *record = recording->bytes + at;
		struct perf_event_header header;

		memcpy(&header, record, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE)
			print_sample(out, record, with_stack);
		else
			print_other(out, record, &header);
		at += header.size;
	}
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	recording->size = 0;
}

/* --- Tests --------------------------------------------------------------------------------- */

static void a_switch_has_names_priorities_and_the_state(void **state)
{
	static const struct {
		uint32_t recorded;
		int reported;
	} cases[] = {{0, 0},	   {1, 1},	 {2, 2},       {0x11, 0x10},
		     {0x20, 0x20}, {0x30, 0x20}, {0x80, 0x80}, {0x100, 0x100}};
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_NAME, 9, 9, 0, "fifteen letters", BPF_NAME_FIRST);
	check(&fixture, "COMM 7/8 a #5 7/8 @1001 cpu 0\n"
			"COMM 9/9 fifteen letters #5 9/9 @1001 cpu 0\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[128];

		expand(&fixture, (struct bpf_event){.time_ns = 5,
						    .cpu = 3,
						    .kind = BPF_RECORD_SWITCH,
						    .tid = 8,
						    .other = 9,
						    .prio = 100,
						    .detail = BPF_DETAIL(-1, cases[i].recorded)});
		snprintf(want, sizeof(want),
			 "switch(8) a 8 -1 %d > fifteen letters 9 100 #0 7/8 @1005 cpu 3\n",
			 cases[i].reported);
		check(&fixture, want);
	}
	end(&fixture);
}

static void idle_threads_are_named_after_their_cpu(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	fixture.recording.size = 0;
	expand(&fixture, (struct bpf_event){.cpu = 11,
					    .kind = BPF_RECORD_SWITCH,
					    .other = 8,
					    .prio = 120,
					    .detail = BPF_DETAIL(120, 0)});
	check(&fixture, "switch(0) swapper/11 0 120 0 > a 8 120 #0 0/0 @1000 cpu 11\n");
	end(&fixture);
}

static void wakes_of_new_threads_are_wakes_of_their_own_kind(void **state)
{
	struct fixture fixture;
	struct bpf_event event = {
		.kind = BPF_RECORD_WAKE, .tid = 8, .other = 9, .prio = 98, .detail = 300};

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_NAME, 7, 9, 0, "b", BPF_NAME_FIRST);
	fixture.recording.size = 0;
	expand(&fixture, event);
	event.detail |= BPF_WAKE_NEW;
	expand(&fixture, event);
	check(&fixture, "waking(8) b 9 98 on 300 #1 7/8 @1000 cpu 0\n"
			"wakeup_new(8) b 9 98 on 300 #2 7/8 @1000 cpu 0\n");
	end(&fixture);
}

/* TRACE_FLAG_HARDIRQ of linux/trace_events.h is 8, _SOFTIRQ 16. */
static void names_of_any_length_follow_the_fields(void **state)
{
	struct tracefs_format *format;
	struct fixture fixture;
	const uint8_t *payload;

	(void)state;
	begin(&fixture, NULL);
	format = &fixture.expand.formats[BPF_EXPAND_WAKEUP_NEW];
	format->fields[0] = (struct tracefs_field){.offset = 20, .size = 4, .dynamic = 1};
	format->size = 28;
	tell(&fixture, BPF_RECORD_NAME, 10, 11, 0, "a name", BPF_NAME_FIRST);
	for (unsigned from = 0; from <= 24; from += 24) { /* __data_loc, __rel_loc */
		format->fields[0].from = from;
		fixture.recording.size = 0;
		expand(&fixture, (struct bpf_event){.kind = BPF_RECORD_WAKE,
						    .other = 11,
						    .detail = BPF_WAKE_NEW});
		payload = (const uint8_t *)fixture.recording.bytes + 44;
		assert_int_equal(number(payload, 20), sizeof("a name") << 16 | (28 - from));
		assert_string_equal((const char *)payload + 28, "a name");
	}
	end(&fixture);
}

static void a_wake_in_an_interrupt_has_the_flags_of_one(void **state)
{
	static const struct {
		uint32_t how;
		const char *want;
	} cases[] = {
		{0, "waking(8) b 9 98 on 8191 #1 7/8 @1000 cpu 0\n"},
		{BPF_WAKE_HARD, "waking(8) b 9 98 on 8191 flags 08 #1 7/8 @1000 cpu 0\n"},
		{BPF_WAKE_SOFT, "waking(8) b 9 98 on 8191 flags 10 #1 7/8 @1000 cpu 0\n"},
		{BPF_WAKE_HARD | BPF_WAKE_SOFT,
		 "waking(8) b 9 98 on 8191 flags 18 #1 7/8 @1000 cpu 0\n"},
		{BPF_WAKE_NEW, "wakeup_new(8) b 9 98 on 8191 #2 7/8 @1000 cpu 0\n"},
	};
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_NAME, 7, 9, 0, "b", BPF_NAME_FIRST);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture.recording.size = 0;
		expand(&fixture, (struct bpf_event){.kind = BPF_RECORD_WAKE,
						    .tid = 8,
						    .other = 9,
						    .prio = 98,
						    .detail = 8191 | cases[i].how});
		check(&fixture, cases[i].want);
	}
	end(&fixture);
}

static void a_child_has_a_name_from_its_birth_on(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	fixture.recording.size = 0;
	tell(&fixture, BPF_RECORD_FORK, 20, 20, 8, "child", 0);
	tell(&fixture, BPF_RECORD_FORK, 7, 21, 8, "worker", 1);
	expand(&fixture,
	       (struct bpf_event){.kind = BPF_RECORD_WAKE, .tid = 20, .other = 21, .prio = 120});
	check(&fixture, "FORK 20/20 of 7/8 #5 7/8 @1001 cpu 0\n"
			"fork(8) a 8 > child 20 #3 7/8 @1001 cpu 0\n"
			"FORK 7/21 of 7/8 #5 7/8 @1001 cpu 0\n"
			"waking(20) worker 21 120 on 0 #1 20/20 @1000 cpu 0\n");
	end(&fixture);
}

static void names_change(void **state)
{
	struct fixture fixture;
	struct bpf_event wake = {.kind = BPF_RECORD_WAKE, .tid = 8, .other = 8, .prio = 120};

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a longer name", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "b", BPF_NAME_RENAMED);
	expand(&fixture, wake);
	tell(&fixture, BPF_RECORD_NAME, 8, 8, 0, "c", BPF_NAME_EXEC);
	expand(&fixture, wake);
	check(&fixture, "COMM 7/8 a longer name #5 7/8 @1001 cpu 0\n"
			"COMM 7/8 b #5 7/8 @1001 cpu 0\n"
			"waking(8) b 8 120 on 0 #1 7/8 @1000 cpu 0\n"
			"COMM(exec) 8/8 c #5 8/8 @1001 cpu 0\n"
			"waking(8) c 8 120 on 0 #1 8/8 @1000 cpu 0\n");
	end(&fixture);
}

static void an_end_names_the_parent_and_tells_if_it_is_the_last(void **state)
{
	struct fixture fixture;
	struct bpf_event event = {
		.kind = BPF_RECORD_EXIT, .tid = 8, .other = 3, .prio = 120, .detail = 1};
	struct bpf_ids ids = {.pid = 7, .other_pid = 2};

	(void)state;
	begin(&fixture, NULL);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	fixture.recording.size = 0;
	memcpy(&event.body[0], &ids, sizeof(ids));
	expand(&fixture, event);
	check(&fixture, "exit(8) a 8 120 last 1 #4 7/8 @1000 cpu 0\n"
			"EXIT 7/8 of 2/3 #5 7/8 @1000 cpu 0\n");
	end(&fixture);
}

static void a_gap_is_marked_at_both_ends_and_counted_once(void **state)
{
	struct fixture fixture;
	struct bpf_event event = {
		.time_ns = 10, .cpu = 2, .kind = BPF_RECORD_LOST, .body = {{{50, 4}}}};

	(void)state;
	begin(&fixture, NULL);
	expand(&fixture, event);
	check(&fixture, "LOST 3 #0 -1/-1 @1010 cpu 2\nLOST 1 #0 -1/-1 @1050 cpu 2\n");
	event.body[0].words[1] = 1;
	expand(&fixture, event);
	check(&fixture, "LOST 1 #0 -1/-1 @1010 cpu 2\n");
	event.body[0].words[1] = 0;
	expand(&fixture, event);
	check(&fixture, "");
	end(&fixture);
}

static void an_unknown_thread_is_not_invented(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, NULL);
	expand(&fixture,
	       (struct bpf_event){.kind = BPF_RECORD_WAKE, .tid = 8, .other = 9, .prio = 120});
	check(&fixture, "waking(8) <...> 9 120 on 0 #1 -1/8 @1000 cpu 0\n");
	end(&fixture);
}

static size_t get_stack(void *context, uint32_t id, uint64_t *ips)
{
	(void)context;
	if (id != 6)
		return 0;
	ips[0] = 0xabc;
	ips[1] = 0xdef;
	return 2;
}

static void a_switch_has_the_stack_of_a_thread_that_blocks(void **state)
{
	static const struct bpf_expand_stacks stacks = {get_stack, NULL};
	struct bpf_event event = {.kind = BPF_RECORD_SWITCH_STACK,
				  .prio = 120,
				  .detail = BPF_DETAIL(120, 1),
				  .body = {{{6, 0}}}};
	struct fixture fixture;

	(void)state;
	begin(&fixture, &stacks);
	assert_true(fixture.expand.attrs[BPF_EXPAND_SWITCH].sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(fixture.expand.attrs[BPF_EXPAND_WAKING].sample_type & PERF_SAMPLE_CALLCHAIN);
	expand(&fixture, event);
	event.body[0].words[0] = UINT32_MAX; /* the kernel could not get the stack */
	expand(&fixture, event);
	assert_int_equal(fixture.expand.missed_stacks, 1);
	event.kind = BPF_RECORD_SWITCH;
	expand(&fixture, event);
	check(&fixture, "[fffffffffffffe00] [abc] [def] "
			"switch(0) swapper/0 0 120 1 > swapper/0 0 120 #0 0/0 @1000 cpu 0\n"
			"switch(0) swapper/0 0 120 1 > swapper/0 0 120 #0 0/0 @1000 cpu 0\n"
			"switch(0) swapper/0 0 120 1 > swapper/0 0 120 #0 0/0 @1000 cpu 0\n");
	end(&fixture);
}

static void a_call_has_the_words_of_its_stack_before_the_frames(void **state)
{
	static const struct bpf_expand_stacks stacks = {get_stack, NULL};
	struct bpf_event event = {.kind = BPF_RECORD_CALL,
				  .tid = 8,
				  .detail = BPF_CALL_FUTEX | BPF_CALL_STACK,
				  .body = {{{0, 0}}, {{0, 0}}, {{0, 0}}, {{6, 0x11}}, {{0x12, 0}}}};
	struct fixture fixture;

	(void)state;
	begin_with(&fixture, NULL, &stacks);
	tell(&fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	fixture.recording.size = 0;
	expand(&fixture, event);
	event.body[3].words[1] = 0; /* no wake follows a call */
	expand(&fixture, event);
	event.body[3].words[0] = 5; /* no stack */
	event.body[3].words[1] = 0x11;
	expand(&fixture, event);
	check(&fixture, "[fffffffffffffe00] [abc] [11] [12] [fffffffffffffe00] [def] "
			"futex(8) 0 0 0 to 0 #7 7/8 @1000 cpu 0\n"
			"[fffffffffffffe00] [abc] [def] futex(8) 0 0 0 to 0 #7 7/8 @1000 cpu 0\n"
			"futex(8) 0 0 0 to 0 #7 7/8 @1000 cpu 0\n");
	end(&fixture);
}

/* Thread 8 is a thread of the target, born since the last pass; thread 9 is none. */
static void stacks_come_with_the_time_off_the_cpu_of_the_target(void **state)
{
	static const struct bpf_expand_stacks stacks = {get_stack, NULL};
	struct bpf_event event = {.time_ns = 2, .prio = 120, .kind = BPF_RECORD_SWITCH};
	struct fixture fixture;

	(void)state;
	begin(&fixture, &stacks);
	assert_true(fixture.expand.attrs[BPF_EXPAND_TASK].context_switch);
	tell(&fixture, BPF_RECORD_NAME, 9, 9, 0, "other", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_NAME, 7, 7, 0, "prog", BPF_NAME_FIRST);
	tell(&fixture, BPF_RECORD_FORK, 7, 8, 7, "prog", 1);
	fixture.recording.size = 0;
	event.tid = 8, event.other = 9;
	event.detail = BPF_DETAIL(120, BPF_STATE_PREEMPTED);
	expand(&fixture, event);
	event.tid = 9, event.other = 8, event.detail = BPF_DETAIL(120, 1);
	expand(&fixture, event);
	event.tid = 8, event.other = 0;
	expand(&fixture, event);
	check(&fixture, "switch(8) prog 8 120 256 > other 9 120 #0 7/8 @1002 cpu 0\n"
			"SWITCH out preempted #5 7/8 @1002 cpu 0\n"
			"switch(9) other 9 120 1 > prog 8 120 #0 9/9 @1002 cpu 0\n"
			"SWITCH in #5 7/8 @1002 cpu 0\n"
			"switch(8) prog 8 120 1 > swapper/0 0 120 #0 7/8 @1002 cpu 0\n"
			"SWITCH out #5 7/8 @1002 cpu 0\n");
	end(&fixture);
}

/* The kernel reports that for a thread that is about to end. */
static void a_thread_without_a_user_stack_misses_none(void **state)
{
	static const struct bpf_expand_stacks stacks = {get_stack, NULL};
	struct fixture fixture;

	(void)state;
	begin(&fixture, &stacks);
	expand(&fixture, (struct bpf_event){.kind = BPF_RECORD_SWITCH_STACK,
					    .prio = 120,
					    .detail = BPF_DETAIL(120, 1),
					    .body = {{{(uint32_t)-EFAULT, 0}}}});
	assert_int_equal(fixture.expand.missed_stacks, 0);
	end(&fixture);
}

static void put_call(struct fixture *fixture, uint64_t time_ns, pid_t tid, enum bpf_call call)
{
	expand(fixture, (struct bpf_event){.time_ns = time_ns,
					   .kind = BPF_RECORD_CALL,
					   .tid = tid,
					   .detail = call,
					   .body = {{{0xabc, 128}}, {{2, 0}}, {{0xdef, 0}}}});
}

static void put_switch(struct fixture *fixture, uint64_t time_ns, pid_t tid, pid_t other)
{
	expand(fixture, (struct bpf_event){.time_ns = time_ns,
					   .kind = BPF_RECORD_SWITCH,
					   .tid = tid,
					   .other = other,
					   .detail = BPF_DETAIL(120, 1)});
}

/* Two threads with names, without records so far. */
static void begin_two(struct fixture *fixture)
{
	begin(fixture, NULL);
	tell(fixture, BPF_RECORD_NAME, 7, 8, 0, "a", BPF_NAME_FIRST);
	tell(fixture, BPF_RECORD_NAME, 7, 9, 0, "b", BPF_NAME_FIRST);
	fixture->recording.size = 0;
}

/* Events of calls are numbered after the scheduler's seven: three calls, three returns. */
static void a_call_lasts_until_its_thread_has_its_cpu_again(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_two(&fixture);
	put_call(&fixture, 1, 8, BPF_CALL_FUTEX);
	put_switch(&fixture, 2, 8, 9);
	put_switch(&fixture, 5, 9, 8);
	put_switch(&fixture, 6, 8, 9); /* outside of any call */
	check(&fixture, "futex(8) abc 128 2 to def #7 7/8 @1001 cpu 0\n"
			"switch(8) a 8 120 1 > b 9 0 #0 7/8 @1002 cpu 0\n"
			"switch(9) b 9 120 1 > a 8 0 #0 7/9 @1005 cpu 0\n"
			"return(8) 0 #10 7/8 @1005 cpu 0\n"
			"switch(8) a 8 120 1 > b 9 0 #0 7/8 @1006 cpu 0\n");
	assert_int_equal(fixture.expand.calls, 1);
	assert_true(pid_set_has(&fixture.expand.callers, 7));
	end(&fixture);
}

static void a_call_that_wakes_ends_after_the_wake(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_two(&fixture);
	put_call(&fixture, 1, 8, BPF_CALL_FUTEX);
	expand(&fixture,
	       (struct bpf_event){
		       .time_ns = 2, .kind = BPF_RECORD_WAKE, .tid = 8, .other = 9, .prio = 120});
	put_switch(&fixture, 3, 8, 9);
	check(&fixture, "futex(8) abc 128 2 to def #7 7/8 @1001 cpu 0\n"
			"waking(8) b 9 120 on 0 #1 7/8 @1002 cpu 0\n"
			"return(8) 0 #10 7/8 @1002 cpu 0\n"
			"switch(8) a 8 120 1 > b 9 0 #0 7/8 @1003 cpu 0\n");
	end(&fixture);
}

/* A switch was lost: the thread was on its CPU again before it leaves it now. */
static void a_call_ends_before_its_thread_leaves_its_cpu_again(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_two(&fixture);
	put_call(&fixture, 1, 8, BPF_CALL_CLOCK_NANOSLEEP);
	put_switch(&fixture, 2, 8, 9);
	fixture.recording.size = 0;
	put_switch(&fixture, 3, 8, 9);
	check(&fixture, "return(8) #12 7/8 @1003 cpu 0\n"
			"switch(8) a 8 120 1 > b 9 0 #0 7/8 @1003 cpu 0\n");
	end(&fixture);
}

static void no_call_outlives_lost_records(void **state)
{
	const struct bpf_event lost = {
		.time_ns = 3, .cpu = 1, .kind = BPF_RECORD_LOST, .body = {{{5, 1}}}};
	struct fixture fixture;

	(void)state;
	begin_two(&fixture);
	put_call(&fixture, 1, 8, BPF_CALL_FUTEX);
	put_switch(&fixture, 2, 8, 9);
	expand(&fixture, lost);
	put_call(&fixture, 4, 9, BPF_CALL_FUTEX); /* also if its CPU has lost no record */
	fixture.recording.size = 0;
	put_switch(&fixture, 6, 8, 9);
	put_switch(&fixture, 7, 9, 8);
	check(&fixture, "switch(8) a 8 120 1 > b 9 0 #0 7/8 @1006 cpu 0\n"
			"switch(9) b 9 120 1 > a 8 0 #0 7/9 @1007 cpu 0\n");
	put_call(&fixture, 8, 8, BPF_CALL_NANOSLEEP);
	put_switch(&fixture, 9, 8, 9);
	fixture.recording.size = 0;
	put_switch(&fixture, 10, 9, 8);
	check(&fixture, "switch(9) b 9 120 1 > a 8 0 #0 7/9 @1010 cpu 0\n"
			"return(8) #11 7/8 @1010 cpu 0\n");
	end(&fixture);
}

static void no_call_outlives_its_thread_or_program(void **state)
{
	static const enum bpf_record_kind kinds[] = {BPF_RECORD_NAME, BPF_RECORD_FORK};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture fixture;

		begin_two(&fixture);
		put_call(&fixture, 1, 8, BPF_CALL_NANOSLEEP);
		tell(&fixture, kinds[i], 7, 8, 9, "c", i ? 1 : BPF_NAME_EXEC);
		fixture.recording.size = 0;
		put_switch(&fixture, 2, 8, 9);
		put_switch(&fixture, 3, 9, 8);
		check(&fixture, "switch(8) c 8 120 1 > b 9 0 #0 7/8 @1002 cpu 0\n"
				"switch(9) b 9 120 1 > c 8 0 #0 7/9 @1003 cpu 0\n");
		end(&fixture);
	}
}

/* Memory shared with the kernel's programs may hold anything. */
static void an_invalid_call_is_left_out(void **state)
{
	struct fixture fixture;

	(void)state;
	begin_two(&fixture);
	put_call(&fixture, 1, 8, BPF_CALLS + 1);
	put_call(&fixture, 1, 8, BPF_CALL_STACK);
	put_call(&fixture, 1, 99, BPF_CALL_FUTEX); /* of no thread */
	bpf_expand_no_calls(&fixture.expand);
	put_call(&fixture, 1, 8, BPF_CALL_FUTEX);
	check(&fixture, "");
	end(&fixture);
}

static void a_thread_begins_with_its_function_and_its_argument(void **state)
{
	const struct bpf_event event = {.cpu = 2,
					.tid = 9,
					.other = 8,
					.body = {{{0xabc, 7}},
						 {{0x1001, 0x1002}},
						 {{42, UINT64_C(0x6e65646464696821)}},
						 {{0x1005, 0x7fffffffffff}},
						 {{0x7000, 0x1000}}}};
	static const uint64_t words[] = {0x1001, 0x1002, 0, 0, 0x1005, 0x7fffffffffff};
	struct fixture fixture;
	const uint8_t *record;
	uint32_t raw;

	(void)state;
	begin(&fixture, NULL);
	assert_int_equal(event.kind, BPF_RECORD_START);
	assert_int_equal(fixture.expand.attrs[BPF_EXPAND_START].config, PERF_COUNT_SW_DUMMY);
	expand(&fixture, event);
	record = fixture.recording.bytes;
	assert_int_equal(word(record, 8), fixture.expand.ids[BPF_EXPAND_START]);
	assert_int_equal(word(record, 16), 0xabc);
	assert_int_equal(number(record, 24), 7);
	assert_int_equal(number(record, 28), 9);
	assert_int_equal(word(record, 48), 2);
	assert_int_equal(word(record, 64), 0xabc);
	memcpy(&raw, record + 72, sizeof(raw));
	assert_int_equal(raw, 6 * 8 + 4);
	for (size_t i = 0; i < BPF_START_WORDS; i++)
		assert_int_equal(word(record, 76 + 8 * i), words[i]);
	record += number(record, 4) >> 16;
	assert_int_equal(number(record, 0), PERF_RECORD_MMAP2);
	assert_int_equal(number(record, 8), 7);
	assert_int_equal(number(record, 12), 9);
	assert_int_equal(word(record, 16), 0x7000);
	assert_int_equal(word(record, 24), 0x1000);
	assert_string_equal(record + 72, "[stack:9]");
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_begins_with_its_function_and_its_argument),
	cmocka_unit_test(a_call_lasts_until_its_thread_has_its_cpu_again),
	cmocka_unit_test(a_call_that_wakes_ends_after_the_wake),
	cmocka_unit_test(a_call_ends_before_its_thread_leaves_its_cpu_again),
	cmocka_unit_test(no_call_outlives_its_thread_or_program),
	cmocka_unit_test(no_call_outlives_lost_records),
	cmocka_unit_test(an_invalid_call_is_left_out),
	cmocka_unit_test(a_switch_has_names_priorities_and_the_state),
	cmocka_unit_test(idle_threads_are_named_after_their_cpu),
	cmocka_unit_test(wakes_of_new_threads_are_wakes_of_their_own_kind),
	cmocka_unit_test(names_of_any_length_follow_the_fields),
	cmocka_unit_test(a_wake_in_an_interrupt_has_the_flags_of_one),
	cmocka_unit_test(a_child_has_a_name_from_its_birth_on),
	cmocka_unit_test(names_change),
	cmocka_unit_test(an_end_names_the_parent_and_tells_if_it_is_the_last),
	cmocka_unit_test(a_gap_is_marked_at_both_ends_and_counted_once),
	cmocka_unit_test(an_unknown_thread_is_not_invented),
	cmocka_unit_test(a_switch_has_the_stack_of_a_thread_that_blocks),
	cmocka_unit_test(a_call_has_the_words_of_its_stack_before_the_frames),
	cmocka_unit_test(stacks_come_with_the_time_off_the_cpu_of_the_target),
	cmocka_unit_test(a_thread_without_a_user_stack_misses_none),
};

TEST_FILE(tests);
