/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What perf script prints of blocks behind the head of a line, where the kernel would put the
 * arguments of the first two into braces, {0x11,0xffffffffffffffff}:
 *
 *	pscal:enter: block=main args=17 18446744073709551615
 *	pscal:leave: block=main args=91
 *	pscal:task: site=fib fib.c:12 step=begin task=3 value=1 index=0
 *	pscal_enter:main: (55d0c0de1139) arg1=0x11 arg2=-1
 *	pscal_leave:main: (55d0c0de1180 <- 55d0c0de1139) ret=0x5b
 */
#ifndef PSCAL_DECODE_TEXT_BLOCK_TEXT_H
#define PSCAL_DECODE_TEXT_BLOCK_TEXT_H

#include <stddef.h>

#include "decode/event/blocks.h"

/*
 * `name` is what stands before `fields`, without "pscal:", and has `length` bytes up to its first
 * colon; `fields` end in a NUL. Returns 1 with what is about the block filled in; 0 when it tells
 * of none; -1 when it should and cannot be read. `blocks` NULL: the block gets no number.
 */
int block_text_parse(struct event *event, struct blocks *blocks, const char *name, size_t length,
		     const char *fields);

#endif
