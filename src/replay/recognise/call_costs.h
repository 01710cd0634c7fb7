/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time that threads only took because their calls were recorded. A program that calls often may
 * take half as long again while that is done, and would not on any number of cores when nobody
 * looks.
 */
#ifndef PSCAL_REPLAY_RECOGNISE_CALL_COSTS_H
#define PSCAL_REPLAY_RECOGNISE_CALL_COSTS_H

#include <stdint.h>

struct program;

/*
 * Takes what the costs of `program` say out of the CPU time behind each call, as far as there is
 * any up to the next one. They are none of its costs any more then. To be done while it has its
 * calls. Returns how much that was, in ns.
 */
uint64_t call_costs_take_out(struct program *program);

#endif
