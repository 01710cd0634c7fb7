/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/tracing_section.h"

#include "base/err.h"

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

/* What is left of a section of untrusted bytes. */
struct cursor {
	const char *at;
	size_t left;
	bool swapped;
};

/* The next `count` bytes, or NULL when there are not so many. */
static const char *take_bytes(struct cursor *cursor, uint64_t count)
{
	const char *at = cursor->at;

	if (count > cursor->left)
		return NULL;
	cursor->at += count;
	cursor->left -= (size_t)count;
	return at;
}

static const char *take_text(struct cursor *cursor)
{
	const char *end = memchr(cursor->at, '\0', cursor->left);

	return end ? take_bytes(cursor, (uint64_t)(end - cursor->at) + 1) : NULL;
}

static int take_u32(struct cursor *cursor, uint32_t *value)
{
	const char *bytes = take_bytes(cursor, sizeof(*value));

	if (!bytes)
		return -1;
	memcpy(value, bytes, sizeof(*value));
	if (cursor->swapped)
		*value = bswap_32(*value);
	return 0;
}

/* A size of 8 bytes and so many bytes of text. */
static const char *take_block(struct cursor *cursor, uint64_t *length)
{
	const char *bytes = take_bytes(cursor, sizeof(*length));

	if (!bytes)
		return NULL;
	memcpy(length, bytes, sizeof(*length));
	if (cursor->swapped)
		*length = bswap_64(*length);
	return take_bytes(cursor, *length);
}

static int read_events(const struct tracing_section *section, struct cursor *cursor,
		       const char *system, uint32_t count)
{
	while (count--) {
		uint64_t length;
		const char *format = take_block(cursor, &length);

		if (!format || section->add(section->context, system, format, (size_t)length))
			return -1;
	}
	return 0;
}

static int read_systems(const struct tracing_section *section, struct cursor *cursor)
{
	uint32_t systems, events;

	if (take_u32(cursor, &events) || read_events(section, cursor, "ftrace", events) ||
	    take_u32(cursor, &systems))
		return -1;
	while (systems--) {
		const char *system = take_text(cursor);

		if (!system || take_u32(cursor, &events) ||
		    read_events(section, cursor, system, events))
			return -1;
	}
	return 0;
}

/* The word that introduces a block ("header_page"), and the block itself, which is passed over. */
static int skip_header(struct cursor *cursor, const char *word)
{
	const char *text = take_text(cursor);
	uint64_t length;

	return text && strcmp(text, word) == 0 && take_block(cursor, &length) ? 0 : -1;
}

int tracing_section_read(struct tracing_section *section, const void *bytes, size_t length,
			 struct err *err)
{
	struct cursor cursor = {bytes, length, false};
	const char *magic = take_bytes(&cursor, 10);
	const char *version, *big_endian, *long_size;
	uint32_t page_size;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10) != 0)
		return err_set(err, "its tracing data do not begin as they should");
	version = take_text(&cursor);
	big_endian = take_bytes(&cursor, 1);
	long_size = take_bytes(&cursor, 1);
	if (!version || !big_endian || !long_size || take_u32(&cursor, &page_size))
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
