/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tracepoint_field.h"

#include "base/err.h"
#include "collect/tracefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <traceevent/event-parse.h>

/* What the library files the event under; nobody asks for it. */
#define SYSTEM "any"

static int find(size_t *offset, const char *text, size_t length, const char *name)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_format_field *field = NULL;
	struct tep_event *event;
	int rc = -1;

	/* It would print to standard error what it thinks of the text. */
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep && tep_parse_event(tep, text, length, SYSTEM) == 0 &&
	    (event = tep_get_first_event(tep)))
		field = tep_find_field(event, name);
	if (field && field->size == 4) {
		*offset = (size_t)field->offset;
		rc = 0;
	}
	tep_free(tep);
	return rc;
}

int tracepoint_field_offset(size_t *offset, const char *tracefs, const char *event,
			    const char *field, struct err *err)
{
	char path[128];
	size_t length;
	char *text;
	int rc;

	snprintf(path, sizeof(path), "events/%s/format", event);
	text = tracefs_read(tracefs, path, &length, err);
	if (!text)
		return -1;
	rc = find(offset, text, length, field);
	if (rc)
		err_set(err, "%s/%s: has no field %s of 4 bytes", tracefs, path, field);
	free(text);
	return rc;
}
