/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/tracing_section.h"

#include "base/err.h"
#include "perfdata/byte_cursor.h"

#include <stdint.h>
#include <string.h>

/* A size of 8 bytes and so many bytes of text. */
static const char *take_block(struct byte_cursor *cursor, uint64_t *length)
{
	*length = byte_cursor_u64(cursor);
	return cursor->short_of ? NULL : byte_cursor_take(cursor, *length);
}

static int read_events(const struct tracing_section *section, struct byte_cursor *cursor,
		       const char *system)
{
	for (uint32_t left = byte_cursor_u32(cursor); left; left--) {
		uint64_t length;
		const char *format = take_block(cursor, &length);

		if (!format || section->add(section->context, system, format, (size_t)length))
			return -1;
	}
	return cursor->short_of ? -1 : 0;
}

static int read_systems(const struct tracing_section *section, struct byte_cursor *cursor)
{
	if (read_events(section, cursor, "ftrace"))
		return -1;
	for (uint32_t left = byte_cursor_u32(cursor); left; left--) {
		const char *system = byte_cursor_text(cursor);

		if (!system || read_events(section, cursor, system))
			return -1;
	}
	return cursor->short_of ? -1 : 0;
}

/* The word that introduces a block ("header_page"), and the block itself, which is passed over. */
static int skip_header(struct byte_cursor *cursor, const char *word)
{
	const char *text = byte_cursor_text(cursor);
	uint64_t length;

	return text && strcmp(text, word) == 0 && take_block(cursor, &length) ? 0 : -1;
}

int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err)
{
	struct byte_cursor cursor = {.at = bytes, .left = length};
	const char *magic = byte_cursor_take(&cursor, 10);
	const char *version, *big_endian, *long_size;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10) != 0)
		return err_set(err, "its tracing data do not begin as they should");
	version = byte_cursor_text(&cursor);
	big_endian = byte_cursor_take(&cursor, 1);
	long_size = byte_cursor_take(&cursor, 1);
	byte_cursor_u32(&cursor); /* the size of a page */
	if (!version || !big_endian || !long_size || cursor.short_of)
		return err_set(err, "its tracing data are cut short");
	if (*big_endian != 0 && *big_endian != 1)
		return err_set(err, "its tracing data name no byte order");
	section->swapped = *big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	section->long_size = *long_size;
	cursor.swapped = section->swapped;
	if (skip_header(&cursor, "header_page") || skip_header(&cursor, "header_event") ||
	    read_systems(section, &cursor))
		return err_set(err, "its tracing data are cut short or damaged");
	return 0;
}
