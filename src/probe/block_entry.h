/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of functions whose entry has been patched (patcher.h). What calls these two is
 * block_stub.S, with all registers of the program saved; they use none but general ones.
 *
 * An enter puts the address of the stub where the call would return to, and the stub returns to
 * where it should have (open_call.h). Unwinders find that as well, from what block_stub.S
 * says of itself.
 *
 * A watched function that ends in a jump to another one is over then: the other one is entered in
 * its place, and what that returns is no result of the first.
 */
#ifndef PSCAL_PROBE_BLOCK_ENTRY_H
#define PSCAL_PROBE_BLOCK_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* Integer arguments, as the stub has saved them. */
struct probe_registers {
	uint64_t arguments[6];
};

/* `slot`: where the return address of the call is on the stack. */
void probe_entered(uint64_t block, uint64_t *slot, const struct probe_registers *registers);

/* The call whose return address was in `slot` has ended with `result`. Where it is to return to. */
uint64_t probe_left(uint64_t *slot, uint64_t result);

/*
 * The entries of block_stub.S, for patched entries and for returns; neither is to be called from C.
 */
void probe_stub_enter(void);
void probe_stub_leave(void);

#endif
