/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/payload_field.h"

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
	field.is_signed = found->flags & TEP_FIELD_IS_SIGNED;
	field.relative = found->flags & TEP_FIELD_IS_RELATIVE;
	if (*needed < (size_t)field.offset + field.size)
		*needed = (size_t)field.offset + field.size;
	return field;
}

/* Of the second word only what belongs to it. */
void payload_copy_name(char comm[COMM_SIZE], const char *name, size_t size)
{
	uint64_t word = 0;

	if (size >= COMM_SIZE) {
		payload_put_name(comm, payload_load_word(name),
				 payload_load_word(name + sizeof(word)));
	} else if (size > sizeof(word)) {
		size_t rest = size - sizeof(word);

		word = payload_load_word(name + rest) >> 8 * (sizeof(word) - rest);
		payload_put_name(comm, payload_load_word(name), word);
	} else {
		for (size_t i = 0; i < size; i++)
			word |= (uint64_t)(unsigned char)name[i] << 8 * i;
		payload_put_name(comm, word, 0);
	}
}
