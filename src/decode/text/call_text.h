/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads calls, blocks and tasks in the rest of a line, behind its head. Calls:
 *
 *	perf script     sys_enter_futex: uaddr: 0x7f1c, op: 0x00000080, val: 0x00000002, ...
 *	libtraceevent   sys_enter_futex: op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7f1c val=0x2
 *	ftrace          sys_futex(uaddr: 7f1c, op: 80, val: 2, ...), sys_futex -> 0x0
 *	all, of probes  mutex_lock: (7f1c00001234) object=0x7ffc12345678
 */
#ifndef PSCAL_DECODE_TEXT_CALL_TEXT_H
#define PSCAL_DECODE_TEXT_CALL_TEXT_H

#include <stddef.h>

#include "decode/event/blocks.h"
#include "decode/event/event.h"

/*
 * Reads a call with this name (without its system, `length` bytes) and `fields`, which end in a
 * NUL. Returns 1 and sets the call in `event`; 0 if it is no call; -1 if it cannot be read.
 */
int call_text_parse(struct event *event, const char *name, size_t length, const char *fields);

/* Reads a system call as the kernel prints it in ftrace; `text` is the line behind the time. */
int call_text_parse_kernel(struct event *event, const char *text);

/*
 * Reads blocks and tasks as perf script prints them. The kernel puts the arguments of the first two
 * into braces, {0x11,0xffffffffffffffff}:
 *
 *	pscal:enter: block=main args=17 18446744073709551615
 *	pscal:leave: block=main args=91
 *	pscal:task: site=fib fib.c:12 step=begin task=3 value=1 index=0
 *	pscal_enter:main: (55d0c0de1139) arg1=0x11 arg2=-1
 *	pscal_leave:main: (55d0c0de1180 <- 55d0c0de1139) ret=0x5b
 *
 * `name` is the text before `fields`, without "pscal:", with `length` bytes up to its first colon;
 * `fields` end in a NUL. Returns 1 and sets the block in `event`; 0 if it is no block; -1 if it
 * cannot be read. `blocks` NULL: the block gets no number.
 */
int block_text_parse(struct event *event, struct blocks *blocks, const char *name, size_t length,
		     const char *fields);

#endif
