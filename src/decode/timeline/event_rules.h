/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each kind of event means for the states of threads: the rules that timeline.h lists. */
#ifndef PSCAL_DECODE_TIMELINE_EVENT_RULES_H
#define PSCAL_DECODE_TIMELINE_EVENT_RULES_H

struct event;
struct states;

/* `event` happens now. */
void event_rules_apply(struct states *states, const struct event *event);

/* Between this event and the one before lies a time of which nothing is known. */
void event_rules_forget(struct states *states);

#endif
