/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of functions whose entry has been patched (patcher.h). block_stub.S calls these two
 * functions, with all registers of the program saved; they use only general registers.
 *
 * An enter replaces the return address of the call by the address of the stub, which returns to the
 * original address (open_call.h). Unwinders also find that, from the unwind information of
 * block_stub.S.
 *
 * A watched function that ends in a jump to another one ends there: the other one is entered in its
 * place, and its result is not that of the first.
 */
#ifndef PSCAL_PROBE_BLOCK_ENTRY_H
#define PSCAL_PROBE_BLOCK_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* Integer arguments, as saved by the stub. */
struct probe_registers {
	uint64_t arguments[6];
};

/* Records the enter of a call whose return address is at `slot`. */
void probe_entered(uint64_t block, uint64_t *slot, const struct probe_registers *registers);

/* Records the end of the call of `slot`, with `result`. Returns the original return address. */
uint64_t probe_left(uint64_t *slot, uint64_t result);

/* The entries of block_stub.S, for patched entries and for returns, which C code must not call. */
void probe_stub_enter(void);
void probe_stub_leave(void);

#endif
