/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a thread that is at a place in the code waits there by looking again and again: at a
 * short loop that does nothing but that. The rules, for any loop of at most CODE_REACH bytes that
 * leads back to the place:
 *
 *  - It calls nothing, and stores nothing. Atomic exchanges that are tried again are no stores, if
 *    they always try to write the same: one that writes what it makes of what it has read, as in
 *    adding to a counter, gets somewhere each time.
 *  - It says itself that it waits (PAUSE; YIELD, ISB, WFE): that is enough, and then it may also
 *    keep variables on the stack, and try to write anything.
 *  - Else a branch out of it depends on what it has loaded and on nothing that changes from round
 *    to round; whatever it loads is at an address that does not change either, by which waiting
 *    differs from searching; and nothing is carried from round to round but counters that end it,
 *    by which it differs from computing until somebody says stop.
 *
 * A place at an instruction by which code says that it waits, or right behind one, is one of
 * waiting whatever the loop is, and so is one on a way back to itself by such an instruction on
 * which nothing is called and stored.
 *
 * So a place that takes a lock without having to wait is in a wait loop as well, if it would try
 * again from there.
 */
#ifndef PSCAL_STATS_SPIN_WAIT_LOOP_H
#define PSCAL_STATS_SPIN_WAIT_LOOP_H

#include "code/code_loop.h"

enum code_use { CODE_UNKNOWN, CODE_WORKS, CODE_WAITS };

/* CODE_UNKNOWN: there is no instruction at `address`. `code` should reach CODE_REACH around it. */
enum code_use wait_loop_find(struct instruction_reader *reader, const struct code *code,
			     uint64_t address);

#endif
