/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events from the text of perf script: the default layout, and any -F that keeps tid and time. */
#ifndef PSCAL_DECODE_TEXT_SCRIPT_SOURCE_H
#define PSCAL_DECODE_TEXT_SCRIPT_SOURCE_H

#include "decode/event/event_source.h"

struct input;

/* Takes `input` over. */
struct event_source *script_source_new(struct input *input);

#endif
