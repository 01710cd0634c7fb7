/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs a thread that a block of its is recorded; see cost_trial.h. */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_COST_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_COST_H

#include <stdint.h>

/*
 * CPU time in ns that is added to a call of a function with so many arguments recorded, for its
 * enter and its leave; 0 where that cannot be measured.
 */
double block_cost_measure(const char *library, uint32_t arguments);

#endif
