/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/cpu_list.h"

#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A constant of linux/bpf.h since Linux 6.6. */
enum { TRACE_UPROBE_MULTI = 48 };

struct multi_link {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, multi_flags, pid, none;
};

/* Calls bpf(2). Returns its result, or -1 with errno. */
static int links_call(int command, void *attr, size_t size)
{
	return (int)syscall(SYS_bpf, command, attr, size);
}

static int links_map(uint32_t type, uint32_t value_size, uint32_t count)
{
	union bpf_attr attr = {.map_type = type,
			       .key_size = sizeof(uint32_t),
			       .value_size = value_size,
			       .max_entries = count};

	return links_call(BPF_MAP_CREATE, &attr, sizeof(attr));
}

static int links_put(int map, uint32_t key, const void *value)
{
	union bpf_attr attr = {
		.map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)value};

	return links_call(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

/* --- The program --------------------------------------------------------------------------- */

/* The contents of the filter's map; unused ids are 0, which no thread has. */
struct links_filter {
	uint32_t first; /* this id passes, and all that are higher */
	uint32_t tids[THREAD_FILTER_MAX];
};

/*
 * The offsets of a function's arguments, its address and its return address in the program's
 * context; x86_64 has the return address on the stack.
 */
#if defined(__x86_64__)
enum { AT_IP = 128, AT_RETURN = 152 };
static const int16_t argument_at[SYNC_ARGUMENTS] = {112, 104, 96};
#elif defined(__aarch64__)
enum { AT_IP = 256, AT_RETURN = 240 };
static const int16_t argument_at[SYNC_ARGUMENTS] = {0, 8, 16};
#elif defined(__riscv) && __riscv_xlen == 64
enum { AT_IP = 0, AT_RETURN = 8 };
static const int16_t argument_at[SYNC_ARGUMENTS] = {80, 88, 96};
#else
enum { AT_IP = -1, AT_RETURN = -1 };
static const int16_t argument_at[SYNC_ARGUMENTS] = {0};
#endif

/* The layout of a record, that of a probe of tracefs, see uprobe_record.c. */
enum {
	RAW_IP = 8,
	RAW_KIND = 16,
	RAW_ARGUMENTS = 24,
	RAW_RETURN = RAW_ARGUMENTS + 8 * SYNC_ARGUMENTS,
	RAW_SIZE = RAW_RETURN + 8
};
enum { STACK_KEY = -8, STACK_RAW = STACK_KEY - RAW_SIZE };
enum { CODE_MAX = 128 };

struct code {
	struct bpf_insn items[CODE_MAX];
	size_t count;
};

static void put_code(struct code *code, unsigned op, unsigned to, unsigned from, int offset,
		     int value)
{
	code->items[code->count++] = (struct bpf_insn){.code = (uint8_t)op,
						       .dst_reg = to & 0xfU,
						       .src_reg = from & 0xfU,
						       .off = (int16_t)offset,
						       .imm = value};
}

enum {
	MOVE = BPF_ALU64 | BPF_MOV,
	MOVE_LOW = BPF_ALU | BPF_MOV,
	LOAD = BPF_LDX | BPF_MEM,
	STORE = BPF_STX | BPF_MEM,
	STORE_NUMBER = BPF_ST | BPF_MEM,
};

static void put_map(struct code *code, unsigned to, int map)
{
	put_code(code, BPF_LD | BPF_IMM | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, map);
	put_code(code, 0, 0, 0, 0, 0);
}

static void put_call(struct code *code, int function)
{
	put_code(code, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

static void put_end(struct code *code)
{
	put_code(code, MOVE | BPF_K, BPF_REG_0, 0, 0, 0);
	put_code(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Writes code that ends the program for a thread, with id in register 7, that does not pass. */
static void put_filter(struct code *code, int map)
{
	size_t jumps[THREAD_FILTER_MAX + 1], count = 0;

	put_code(code, STORE_NUMBER | BPF_W, BPF_REG_10, 0, STACK_KEY, 0);
	put_map(code, BPF_REG_1, map);
	put_code(code, MOVE | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	put_code(code, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, STACK_KEY);
	put_call(code, BPF_FUNC_map_lookup_elem);
	put_code(code, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 0);
	put_end(code);
	put_code(code, LOAD | BPF_W, BPF_REG_1, BPF_REG_0, 0, 0);
	jumps[count++] = code->count;
	put_code(code, BPF_JMP | BPF_JGE | BPF_X, BPF_REG_7, BPF_REG_1, 0, 0);
	for (int i = 0; i < THREAD_FILTER_MAX; i++) {
		put_code(code, LOAD | BPF_W, BPF_REG_1, BPF_REG_0,
			 (int)offsetof(struct links_filter, tids) + 4 * i, 0);
		jumps[count++] = code->count;
		put_code(code, BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_7, BPF_REG_1, 0, 0);
	}
	put_end(code);
	for (size_t i = 0; i < count; i++)
		code->items[jumps[i]].off = (int16_t)(code->count - jumps[i] - 1);
}

/* Writes code that copies a word of the context, which register 6 points to. */
static void put_copy(struct code *code, int to, int from)
{
	put_code(code, LOAD | BPF_DW, BPF_REG_1, BPF_REG_6, from, 0);
	put_code(code, STORE | BPF_DW, BPF_REG_10, BPF_REG_1, STACK_RAW + to, 0);
}

/* Writes code that copies the return address; 0: its memory cannot be read. */
static void put_return(struct code *code)
{
#if defined(__x86_64__)
	put_code(code, MOVE | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0);
	put_code(code, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, STACK_RAW + RAW_RETURN);
	put_code(code, MOVE | BPF_K, BPF_REG_2, 0, 0, 8);
	put_code(code, LOAD | BPF_DW, BPF_REG_3, BPF_REG_6, AT_RETURN, 0);
	put_call(code, BPF_FUNC_probe_read_user);
#else
	put_copy(code, RAW_RETURN, AT_RETURN);
#endif
}

static void put_record(struct code *code, int output, uint16_t type)
{
	put_code(code, STORE_NUMBER | BPF_W, BPF_REG_10, 0, STACK_RAW, type);
	put_code(code, STORE | BPF_W, BPF_REG_10, BPF_REG_7, STACK_RAW + 4, 0);
	put_copy(code, RAW_IP, AT_IP);
	for (int i = 0; i < SYNC_ARGUMENTS; i++)
		put_copy(code, RAW_ARGUMENTS + 8 * i, argument_at[i]);
	put_return(code);
	put_code(code, MOVE | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0);
	put_call(code, BPF_FUNC_get_attach_cookie);
	put_code(code, STORE | BPF_DW, BPF_REG_10, BPF_REG_0, STACK_RAW + RAW_KIND, 0);
	put_code(code, MOVE | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0);
	put_map(code, BPF_REG_2, output);
	put_code(code, MOVE_LOW | BPF_K, BPF_REG_3, 0, 0, -1); /* BPF_F_CURRENT_CPU */
	put_code(code, MOVE | BPF_X, BPF_REG_4, BPF_REG_10, 0, 0);
	put_code(code, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, STACK_RAW);
	put_code(code, MOVE | BPF_K, BPF_REG_5, 0, 0, RAW_SIZE);
	put_call(code, BPF_FUNC_perf_event_output);
	put_end(code);
}

static int load_program(const struct call_links *links, uint16_t type)
{
	struct code code = {.count = 0};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)code.items,
		.license = (uintptr_t) "GPL", /* the license of the helpers; see LICENSE */
		.expected_attach_type = TRACE_UPROBE_MULTI,
	};

	put_code(&code, MOVE | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	put_call(&code, BPF_FUNC_get_current_pid_tgid);
	put_code(&code, MOVE_LOW | BPF_X, BPF_REG_7, BPF_REG_0, 0, 0);
	put_filter(&code, links->filter);
	put_record(&code, links->output, type);
	attr.insn_cnt = (uint32_t)code.count;
	return links_call(BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* --- Links --------------------------------------------------------------------------------- */

int call_links_open(struct call_links *links, uint16_t type)
{
	struct err ignored;
	uint32_t cpus = (uint32_t)cpu_numbers(CPU_POSSIBLE_PATH, &ignored);

	*links = (struct call_links){.is_open = true, .filter = -1, .output = -1, .program = -1};
	if (AT_IP < 0 || !cpus)
		return ENOTSUP;
	links->filter = links_map(BPF_MAP_TYPE_ARRAY, sizeof(struct links_filter), 1);
	links->output = links_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t), cpus);
	links->program = links->filter < 0 || links->output < 0 ? -1 : load_program(links, type);
	return links->program < 0 ? errno : 0;
}

int call_links_add(struct call_links *links, const char *path, const uint64_t *offsets,
		   const uint64_t *kinds, size_t count)
{
	struct multi_link attr = {
		.program = (uint32_t)links->program,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)kinds,
		.count = (uint32_t)count,
	};
	int fd = links_call(BPF_LINK_CREATE, &attr, sizeof(attr));

	if (fd < 0)
		return errno;
	array_reserve(&links->items, &links->capacity, links->count + 1);
	links->items[links->count++] = fd;
	return 0;
}

int call_links_output(const struct call_links *links, int cpu, int fd, struct err *err)
{
	if (fd < 0 || !links_put(links->output, (uint32_t)cpu, &fd))
		return 0;
	return err_set(err, "--sync=all: the calls on CPU %d cannot be recorded: %m", cpu);
}

int call_links_filter(const struct call_links *links, const struct thread_filter *filter,
		      struct err *err)
{
	struct links_filter value = {.first = UINT32_MAX};

	if (filter->first)
		value.first = (uint32_t)filter->first;
	if (thread_filter_passes_all(filter))
		value.first = 0;
	else
		memcpy(value.tids, filter->tids, filter->count * sizeof(*filter->tids));
	if (!links_put(links->filter, 0, &value))
		return 0;
	return err_set(err, "--sync=all: threads cannot be told apart: %m");
}

static void close_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void *detach_links(void *context)
{
	const struct call_links *links = context;

	for (size_t i = 0; i < links->count; i++)
		close(links->items[i]);
	return NULL;
}

void call_links_detach(struct call_links *links)
{
	links->is_detached = pthread_create(&links->detaching, NULL, detach_links, links) == 0;
}

void call_links_release(struct call_links *links)
{
	if (!links->is_open)
		return;
	if (links->is_detached)
		pthread_join(links->detaching, NULL);
	else
		detach_links(links);
	free(links->items);
	close_open(links->program);
	close_open(links->output);
	close_open(links->filter);
	*links = (struct call_links){.is_open = false};
}
