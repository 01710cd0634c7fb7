/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of recordings that tell of calls (sync_call.h): how they are named, which fields
 * matter, and what these mean. Where the fields stand is the business of who reads them: in
 * payloads call_format, in texts call_text.
 */
#ifndef PSCAL_DECODE_EVENT_CALL_EVENT_H
#define PSCAL_DECODE_EVENT_CALL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

/* Each name has a number from 0 on: system calls, then what a probe of the C library may be. */
enum {
	CALL_EVENT_SYSTEM = 8,
	CALL_EVENTS = CALL_EVENT_SYSTEM + SYNC_CALLS - SYNC_MUTEX_LOCK,
};

/*
 * The number of "syscalls" "sys_enter_futex" or of "pscal" "mutex_lock", where `name` has `length`
 * bytes; `system` NULL: it was not printed. -1: it tells of no call.
 */
int call_event_find(const char *system, const char *name, size_t length);

/* The fields that an event may have. */
enum call_field {
	CALL_FIELD_OBJECT,
	CALL_FIELD_OBJECT2,
	CALL_FIELD_COUNT,
	CALL_FIELD_OP, /* of futex(2): which call it is */
	CALL_FIELDS,
};

/* What it is called there; NULL: that event has none. */
const char *call_event_field(int number, enum call_field field);

/* Does it say nothing without that field? */
bool call_event_needs(int number, enum call_field field);

/*
 * Fills in all of `event` that is about the call, whose fields have these values (0: not there).
 * Of an EVENT_RETURN the call is SYNC_NONE where only the beginning tells it. False: it is none
 * that sync_call.h knows, and `event` is as it was.
 */
bool call_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS]);

#endif
