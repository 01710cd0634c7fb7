/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/payload.h"

#include "base/err.h"
#include "collect/kernel/tracefs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

enum { COMM_BYTES = 16 };

/* --- Formats ------------------------------------------------------------------------------- */

static struct payload_field field_of(const struct tep_format_field *field)
{
	if (!field || field->offset < 0 || field->size <= 0 ||
	    field->offset + field->size > PAYLOAD_MAX)
		return (struct payload_field){0};
	return (struct payload_field){(unsigned)field->offset, (unsigned)field->size,
				      (field->flags & TEP_FIELD_IS_DYNAMIC) != 0};
}

static size_t end_of(const struct tep_event *event)
{
	size_t end = 0;

	for (const struct tep_format_field *field = event->format.fields; field;
	     field = field->next) {
		struct payload_field place = field_of(field);

		if (place.offset + place.size > end)
			end = place.offset + place.size;
	}
	return end;
}

static void learn_fields(struct payload_format *format, struct tep_event *event,
			 const char *const *fields)
{
	format->type = (uint16_t)event->id;
	format->size = end_of(event);
	format->common_type = field_of(tep_find_common_field(event, "common_type"));
	format->common_flags = field_of(tep_find_common_field(event, "common_flags"));
	format->common_pid = field_of(tep_find_common_field(event, "common_pid"));
	for (size_t i = 0; i < PAYLOAD_FIELDS && fields[i]; i++)
		format->fields[i] = field_of(tep_find_field(event, fields[i]));
}

int payload_format_read(struct payload_format *format, const char *tracefs, const char *event,
			const char *const *fields, struct err *err)
{
	struct tep_event *parsed = NULL;
	struct tep_handle *tep;
	char path[128];
	char *text, *print;
	size_t length;

	*format = (struct payload_format){0};
	snprintf(path, sizeof(path), "events/%s/format", event);
	text = tracefs_read(tracefs, path, &length, err);
	if (!text)
		return err_wrap(err, "this kernel does not offer the event %s", event);
	print = strstr(text, "\nprint fmt:"); /* a small program that does not matter here */
	if (print)
		strcpy(print, "\n");
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	if (tep)
		tep_parse_format(tep, &parsed, text, strlen(text), "sched");
	if (parsed)
		learn_fields(format, parsed, fields);
	tep_free(tep);
	free(text);
	if (!format->size || !format->common_type.size)
		return err_set(err, "%s/%s: is not the format of an event", tracefs, path);
	return 0;
}

/* --- Payloads ------------------------------------------------------------------------------ */

static void put_number(struct payload *payload, const struct payload_field *field, int64_t value)
{
	uint8_t *to = payload->bytes + field->offset;

	switch (field->size) {
	case 1:
		*to = (uint8_t)value;
		break;
	case 2:
		memcpy(to, &(int16_t){(int16_t)value}, 2);
		break;
	case 4:
		memcpy(to, &(int32_t){(int32_t)value}, 4);
		break;
	case 8:
		memcpy(to, &value, 8);
		break;
	default:
		break;
	}
}

void payload_begin(struct payload *payload, const struct payload_format *format, pid_t tid)
{
	payload->format = format;
	payload->size = format->size;
	memset(payload->bytes, 0, format->size);
	put_number(payload, &format->common_type, format->type);
	put_number(payload, &format->common_pid, tid);
}

void payload_put_flags(struct payload *payload, uint8_t flags)
{
	put_number(payload, &payload->format->common_flags, flags);
}

void payload_put_number(struct payload *payload, size_t index, int64_t value)
{
	put_number(payload, &payload->format->fields[index], value);
}

void payload_put_comm(struct payload *payload, size_t index, const char text[16])
{
	const struct payload_field *field = &payload->format->fields[index];
	size_t length = strnlen(text, COMM_BYTES - 1);

	if (!field->dynamic) {
		if (field->size >= COMM_BYTES)
			memcpy(payload->bytes + field->offset, text, COMM_BYTES);
		return;
	}
	if (payload->size + length + 1 > PAYLOAD_MAX)
		return;
	put_number(payload, field, (int64_t)((length + 1) << 16 | payload->size));
	memcpy(payload->bytes + payload->size, text, length);
	payload->bytes[payload->size + length] = '\0';
	payload->size += length + 1;
}
