/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it costs a thread that a block of its is recorded: measured in a child of this process, into
 * which the probe library is loaded, and which has a spool of its own that nobody reads.
 */
#ifndef PSCAL_COLLECT_BLOCK_COST_H
#define PSCAL_COLLECT_BLOCK_COST_H

#include <stdint.h>

/*
 * CPU time in ns that is added to a call of a function with so many arguments recorded, for its
 * enter and its leave; 0 where that cannot be measured. The spool is made with this prefix, and is
 * gone afterwards. Takes about 10 ms.
 */
double block_cost_measure(const char *library, const char *prefix, uint32_t arguments);

#endif
