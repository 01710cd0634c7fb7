/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/call_format.h"

#include "perfdata/byte_order.h"

#include <string.h>

#include <traceevent/event-parse.h>

static bool find_place(struct call_place *place, struct tep_event *event, const char *name,
		       size_t *needed)
{
	struct tep_format_field *found = name ? tep_find_any_field(event, name) : NULL;

	*place = (struct call_place){0};
	if (!found || found->offset < 0 || (found->size != 4 && found->size != 8) ||
	    found->flags & (TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_ARRAY))
		return false;
	place->offset = (unsigned)found->offset;
	place->size = (unsigned)found->size;
	if (*needed < (size_t)place->offset + place->size)
		*needed = (size_t)place->offset + place->size;
	return true;
}

bool call_format_learn(struct call_format *format, struct tep_event *event, int number)
{
	format->number = number;
	format->needed = 0;
	if (!find_place(&format->tid, event, "common_pid", &format->needed))
		return false;
	for (enum call_field field = 0; field < CALL_FIELDS; field++)
		if (!find_place(&format->fields[field], event, call_event_field(number, field),
				&format->needed) &&
		    call_event_needs(number, field))
			return false;
	return true;
}

static uint64_t read_number(const struct call_place *place, const char *payload, bool swapped)
{
	uint32_t four;
	uint64_t eight;

	if (place->size == sizeof(four)) {
		memcpy(&four, payload + place->offset, sizeof(four));
		return byte_order_u32(four, swapped);
	}
	if (place->size == sizeof(eight)) {
		memcpy(&eight, payload + place->offset, sizeof(eight));
		return byte_order_u64(eight, swapped);
	}
	return 0;
}

int call_format_decode(const struct call_format *format, struct event *event, const char *payload,
		       size_t length, bool swapped)
{
	uint64_t values[CALL_FIELDS];

	if (length < format->needed)
		return -1;
	for (enum call_field field = 0; field < CALL_FIELDS; field++)
		values[field] = read_number(&format->fields[field], payload, swapped);
	event->tid = (int32_t)read_number(&format->tid, payload, swapped);
	return call_event_make(event, format->number, values);
}
