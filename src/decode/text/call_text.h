/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What texts print of calls behind the head of a line:
 *
 *	perf script     sys_enter_futex: uaddr: 0x7f1c, op: 0x00000080, val: 0x00000002, ...
 *	libtraceevent   sys_enter_futex: op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7f1c val=0x2
 *	ftrace          sys_futex(uaddr: 7f1c, op: 80, val: 2, ...), sys_futex -> 0x0
 *	all, of probes  mutex_lock: (7f1c00001234) object=0x7ffc12345678
 */
#ifndef PSCAL_DECODE_TEXT_CALL_TEXT_H
#define PSCAL_DECODE_TEXT_CALL_TEXT_H

#include <stddef.h>

#include "decode/event/event.h"

/*
 * `name` (without its system, `length` bytes) and `fields`, which end in a NUL. Returns 1 with what
 * is about the call filled in; 0 when it tells of none; -1 when it should and cannot be read.
 */
int call_text_parse(struct event *event, const char *name, size_t length, const char *fields);

/* The same of a system call as the kernel prints it in ftrace: `text` is all behind the time. */
int call_text_parse_kernel(struct event *event, const char *text);

#endif
