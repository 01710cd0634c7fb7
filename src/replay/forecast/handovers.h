/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that look like those for locks: threads compete for something that each of them gives back,
 * so that everybody wakes everybody, one at a time. In a replay of the wakes alone it goes round in
 * the recorded order, and who needed not wait then never does; on other cores neither is so.
 *
 * It is the pattern that tells, and so this is a suspicion: three threads or more of which each two
 * wake each other. Neighbours in pipelines, and workers and who feeds them, have no such triangles,
 * and at barriers and at the end of a phase many are woken in a row. What is known to be the signal
 * of a condition is none either.
 */
#ifndef PSCAL_REPLAY_FORECAST_HANDOVERS_H
#define PSCAL_REPLAY_FORECAST_HANDOVERS_H

#include <stdint.h>

#include "replay/program/program.h"

/* How many waits on record for other threads are such ones; of a program after recognise(). */
uint64_t handovers_count(const struct program *program);

#endif
