/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from the textual traces of [Mosli Bouksiaa 2018], which tell nothing but what threads
 * enter and leave:
 *
 *	#timestamp #ThreadId #Event
 *	0.00175s   1       Enter function Foo(arg1=17)
 *	0.31054s   2       Leave function Baz(a=21, b=40) return value=91
 *
 * The last parentheses hold the arguments if all of them are NAME=VALUE, or if they are empty; else
 * they belong to the name of the function, as in "f(int)". Text in them may be quoted. Numbers are
 * kept, decimal or 0x..., and have the place of their name in the block, which is that where it was
 * met first; texts are not, and so an event has those arguments that come before the first that
 * it lacks. What a Leave says of arguments is not looked at.
 *
 * Threads have numbers from 1 on. Lines that begin with # are comments.
 */
#ifndef PSCAL_DECODE_TEXT_ENTER_LEAVE_SOURCE_H
#define PSCAL_DECODE_TEXT_ENTER_LEAVE_SOURCE_H

#include <stdbool.h>

#include "decode/event/event_source.h"

struct input;

/* Does a text that begins with these bytes begin with the line above? */
bool enter_leave_source_is(const char *bytes, size_t length);

/* Takes `input` over. */
struct event_source *enter_leave_source_new(struct input *input);

#endif
