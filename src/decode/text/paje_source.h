/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from traces of Paje, as EZTrace, StarPU and SimGrid write them and ViTE shows them. They
 * describe their own layout first ([Schnorr, "Paje trace file format", version 1.3, 2014]):
 *
 *	%EventDef PajePushState 12
 *	%	Time date
 *	%	Type string
 *	%	Container string
 *	%	Value string
 *	%EndEventDef
 *	12 0.205730 ST_Thread T1 STV_Compute
 *
 * A container is a thread for each type of states that it has, as each of these is a stack of its
 * own: they are numbered from 1 on where their first state begins, and have the name of the
 * container. A state is a block, under the name that PajeDefineEntityValue gives its value.
 * PushState enters one, PopState leaves the innermost, ResetState all, SetState too before it
 * enters another; and with DestroyContainer threads end. Times are seconds. All other events are
 * passed over.
 */
#ifndef PSCAL_DECODE_TEXT_PAJE_SOURCE_H
#define PSCAL_DECODE_TEXT_PAJE_SOURCE_H

#include <stdbool.h>

#include "decode/event/event_source.h"

struct input;

/* Does a text that begins with these bytes describe events of Paje, after comments? */
bool paje_source_is(const char *bytes, size_t length);

/* Takes `input` over. */
struct event_source *paje_source_new(struct input *input);

#endif
