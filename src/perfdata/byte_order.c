/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/byte_order.h"

#include <traceevent/event-parse.h>

struct payload_field payload_field_find(struct tep_event *event, const char *name, size_t *needed)
{
	struct tep_format_field *found = name ? tep_find_any_field(event, name) : NULL;
	struct payload_field field = {0};

	if (!found || found->offset < 0 || found->size <= 0)
		return field;
	field.dynamic = found->flags & TEP_FIELD_IS_DYNAMIC;
	if (field.dynamic && found->size != 4)
		return field;
	field.offset = (unsigned)found->offset;
	field.size = (unsigned)found->size;
	field.is_array = found->flags & TEP_FIELD_IS_ARRAY;
	field.is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	field.relative = found->flags & TEP_FIELD_IS_RELATIVE;
	if (*needed < (size_t)field.offset + field.size)
		*needed = (size_t)field.offset + field.size;
	return field;
}
