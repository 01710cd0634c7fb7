/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names for where threads wait, by the functions in which they do: "take < worker". Waits for other
 * threads, and those for time and devices, that are made in the same calls are one site then; an
 * object, as a lock, stays one site, and is also named by where it is mostly waited for. What no
 * call chain is known of keeps its name.
 */
#ifndef PSCAL_REPLAY_FORECAST_WAIT_NAMES_H
#define PSCAL_REPLAY_FORECAST_WAIT_NAMES_H

struct chain_names;
struct program;

/* After recognise(). What the program does in a simulation stays the same. */
void wait_names_apply(struct program *program, struct chain_names *names);

#endif
