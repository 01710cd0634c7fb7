/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes to decode, made by hand: format texts of tracepoints, as kernels print them, and the
 * tracing data section that holds them.
 */
#ifndef PSCAL_TESTS_RECORDING_BYTES_H
#define PSCAL_TESTS_RECORDING_BYTES_H

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	char *at;
	size_t count, capacity;
};

static inline void put(struct bytes *bytes, const void *what, size_t length)
{
	array_reserve(&bytes->at, &bytes->capacity, bytes->count + length);
	if (length)
		memcpy(bytes->at + bytes->count, what, length);
	bytes->count += length;
}

static inline void put_u32(struct bytes *bytes, uint32_t number)
{
	put(bytes, &number, sizeof(number));
}

static inline void put_u64(struct bytes *bytes, uint64_t number)
{
	put(bytes, &number, sizeof(number));
}

static inline void put_text(struct bytes *bytes, const char *text)
{
	put(bytes, text, strlen(text) + 1);
}

/* A size and so many bytes of text. */
static inline void put_block(struct bytes *bytes, const char *text)
{
	put_u64(bytes, strlen(text));
	put(bytes, text, strlen(text));
}

#define FORMAT_HEAD(name, id)                                                          \
	"name: " name "\nID: " id "\nformat:\n"                                        \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Linux 6.x, 64 bits */
#define FORMAT_SWITCH                                                    \
	FORMAT_HEAD("sched_switch", "372")                               \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"       \
	"\nprint fmt: \"prev_comm=%s prev_state=%s\", REC->prev_comm, "  \
	"(REC->prev_state & 1) ? __print_flags(REC->prev_state, \"|\", { 1, \"S\" }) : \"R\"\n"

/* 32 bits, and older: names of constants, no sign */
#define FORMAT_SWITCH_32                                                            \
	FORMAT_HEAD("sched_switch", "54")                                           \
	"\tfield:char prev_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;\n"  \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"                  \
	"\tfield:long prev_state;\toffset:32;\tsize:4;\tsigned:1;\n"                \
	"\tfield:char next_comm[TASK_COMM_LEN];\toffset:36;\tsize:16;\tsigned:1;\n" \
	"\tfield:pid_t next_pid;\toffset:52;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:int next_prio;\toffset:56;\tsize:4;\tsigned:1;\n"                  \
	"\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n"

#define FORMAT_WAKING                                               \
	FORMAT_HEAD("sched_waking", "375")                          \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n" \
	"\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n"

/* Before Linux 4.8 */
#define FORMAT_WAKEUP_OLD                                           \
	FORMAT_HEAD("sched_wakeup", "55")                           \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"  \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
	"\tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n"    \
	"\tfield:int target_cpu;\toffset:36;\tsize:4;\tsigned:1;\n" \
	"\nprint fmt: \"comm=%s success=%d\", REC->comm, REC->success\n"

/* Linux 6.x */
#define FORMAT_FORK                                                               \
	FORMAT_HEAD("sched_process_fork", "366")                                  \
	"\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"             \
	"\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n"              \
	"\nprint fmt: \"comm=%s\", __get_str(parent_comm)\n"

/* Earlier kernels */
#define FORMAT_FORK_OLD                                                   \
	FORMAT_HEAD("sched_process_fork", "60")                           \
	"\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n" \
	"\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
	"\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:1;\n" \
	"\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n"      \
	"\nprint fmt: \"comm=%s\", REC->parent_comm\n"

#define FORMAT_EXIT                                                \
	FORMAT_HEAD("sched_process_exit", "369")                   \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"      \
	"\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n"

/* Linux 6.x, 64 bits */
#define FORMAT_ENTER_FUTEX                                                                  \
	FORMAT_HEAD("sys_enter_futex", "522")                                               \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"                        \
	"\tfield:u32 * uaddr;\toffset:16;\tsize:8;\tsigned:0;\n"                            \
	"\tfield:int op;\toffset:24;\tsize:8;\tsigned:0;\n"                                 \
	"\tfield:u32 val;\toffset:32;\tsize:8;\tsigned:0;\n"                                \
	"\tfield:const struct __kernel_timespec * utime;\toffset:40;\tsize:8;\tsigned:0;\n" \
	"\tfield:u32 * uaddr2;\toffset:48;\tsize:8;\tsigned:0;\n"                           \
	"\tfield:u32 val3;\toffset:56;\tsize:8;\tsigned:0;\n"                               \
	"\nprint fmt: \"uaddr: 0x%08lx\", ((unsigned long)(REC->uaddr))\n"

#define FORMAT_EXIT_FUTEX                                            \
	FORMAT_HEAD("sys_exit_futex", "521")                         \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"        \
	"\nprint fmt: \"0x%lx\", REC->ret\n"

#define FORMAT_ENTER_YIELD                                           \
	FORMAT_HEAD("sys_enter_sched_yield", "388")                  \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\nprint fmt: \"\"\n"

/* 32 bits */
#define FORMAT_ENTER_FUTEX_32                                                \
	FORMAT_HEAD("sys_enter_futex", "301")                                \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"         \
	"\tfield:u32 * uaddr;\toffset:12;\tsize:4;\tsigned:0;\n"             \
	"\tfield:int op;\toffset:16;\tsize:4;\tsigned:0;\n"                  \
	"\tfield:u32 val;\toffset:20;\tsize:4;\tsigned:0;\n"                 \
	"\tfield:struct timespec * utime;\toffset:24;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 * uaddr2;\toffset:28;\tsize:4;\tsigned:0;\n"            \
	"\tfield:u32 val3;\toffset:32;\tsize:4;\tsigned:0;\n"                \
	"\nprint fmt: \"uaddr: 0x%08lx\", ((unsigned long)(REC->uaddr))\n"

/* Probes of a program, in the kernel's format. */
#define FORMAT_PROBE(name, id, more)                                         \
	FORMAT_HEAD(name, id)                                                \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 object;\toffset:16;\tsize:8;\tsigned:0;\n" more         \
	"\nprint fmt: \"(%lx) object=0x%Lx\", REC->__probe_ip, REC->object\n"

/* Blocks recorded in the process; `names` as "{0, \"main\"}". */
#define FORMAT_BLOCK(name, id, names)                                                     \
	FORMAT_HEAD(name, id)                                                             \
	"\tfield:unsigned int block;\toffset:8;\tsize:4;\tsigned:0;\n"                    \
	"\tfield:__data_loc unsigned long[] args;\toffset:12;\tsize:4;\tsigned:0;\n"      \
	"\nprint fmt: \"block=%s args=%s\", __print_symbolic(REC->block, " names          \
	"), __print_array(__get_dynamic_array(args), __get_dynamic_array_len(args) / 8, " \
	"8)\n"

/* Steps of tasks; `names` of their sites. */
#define FORMAT_TASK(id, names)                                                      \
	FORMAT_HEAD("task", id)                                                     \
	"\tfield:unsigned int site;\toffset:8;\tsize:4;\tsigned:0;\n"               \
	"\tfield:unsigned int step;\toffset:12;\tsize:4;\tsigned:0;\n"              \
	"\tfield:unsigned long task;\toffset:16;\tsize:8;\tsigned:0;\n"             \
	"\tfield:unsigned long value;\toffset:24;\tsize:8;\tsigned:0;\n"            \
	"\tfield:unsigned int index;\toffset:32;\tsize:4;\tsigned:0;\n"             \
	"\nprint fmt: \"site=%s step=%s task=%lu value=%lu index=%u\", "            \
	"__print_symbolic(REC->site, " names "), __print_symbolic(REC->step, { 1, " \
	"\"begin\" }, { 2, \"end\" }), REC->task, REC->value, REC->index\n"

/* ... and recorded from outside. */
#define FORMAT_UPROBE(name, id, fields, print)                                      \
	FORMAT_HEAD(name, id)                                                       \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n" fields \
	"\nprint fmt: \"(%lx)\" " print ", REC->__probe_ip\n"

/* A tracing data section, version 0.6, up to its systems. */
static inline void put_tracing_head(struct bytes *bytes, uint32_t systems)
{
	put(bytes, "\x17\x08\x44tracing0.6\0\0\x08\x00\x10\0\0", 20);
	put_text(bytes, "header_page");
	put_block(bytes, "page\n");
	put_text(bytes, "header_event");
	put_block(bytes, "event\n");
	put_u32(bytes, 1); /* ftrace formats */
	put_block(bytes, "name: function\nID: 1\n");
	put_u32(bytes, systems);
}

static inline void put_system(struct bytes *bytes, const char *system, const char *const *formats,
			      uint32_t count)
{
	put_text(bytes, system);
	put_u32(bytes, count);
	for (uint32_t i = 0; i < count; i++)
		put_block(bytes, formats[i]);
}

/* One system. */
static inline void put_tracing_data(struct bytes *bytes, const char *system,
				    const char *const *formats, uint32_t count)
{
	put_tracing_head(bytes, 1);
	put_system(bytes, system, formats, count);
}

/* ... and the part after the systems, which no reader needs. */
static inline void put_tracing_data_end(struct bytes *bytes)
{
	put_u32(bytes, 0); /* kallsyms */
	put_u32(bytes, 0); /* printk formats */
	put_u64(bytes, 0); /* saved comms */
}

#endif
