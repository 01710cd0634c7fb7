/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of the C library from where a watched function is entered: it may use registers that hold
 * arguments there (block_stub.S saves only general ones).
 */
#ifndef PSCAL_PROBE_QUIET_CALL_H
#define PSCAL_PROBE_QUIET_CALL_H

/* Does nothing where there is no memory to save registers in. */
void quiet_call(void (*function)(void));

#endif
