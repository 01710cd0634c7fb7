/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/perfdata_edit.h"

#include <string.h>

bool edit_is_swapped(const struct bytes *bytes)
{
	return bytes->count >= 8 && memcmp(bytes->at, "2ELIFREP", 8) == 0;
}

void edit_swap_words(void *words, size_t size)
{
	uint64_t word;

	for (size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (char *)words + at, sizeof(word));
		word = __builtin_bswap64(word);
		memcpy((char *)words + at, &word, sizeof(word));
	}
}

bool edit_get_header(struct perfdata_header *header, const struct bytes *bytes)
{
	if (bytes->count < sizeof(*header))
		return false;
	memcpy(header, bytes->at, sizeof(*header));
	if (edit_is_swapped(bytes))
		edit_swap_words(header, sizeof(*header));
	return header->size != PERFDATA_PIPE_HEADER_SIZE;
}

void edit_put_header(struct bytes *bytes, struct perfdata_header header)
{
	if (edit_is_swapped(bytes))
		edit_swap_words(&header, sizeof(header));
	memcpy(bytes->at, &header, sizeof(header));
}

void edit_move_sections(struct bytes *bytes, const struct perfdata_header *header, uint64_t by)
{
	uint64_t table = header->data.offset + header->data.size;
	struct perfdata_section section;

	for (int bit = 0; bit < PERFDATA_FEATURE_COUNT; bit++) {
		if (!(header->features[bit / 64] >> bit % 64 & 1))
			continue;
		if (table > bytes->count || bytes->count - table < sizeof(section))
			return;
		memcpy(&section, bytes->at + table, sizeof(section));
		if (edit_is_swapped(bytes))
			edit_swap_words(&section, sizeof(section));
		section.offset += by;
		if (edit_is_swapped(bytes))
			edit_swap_words(&section, sizeof(section));
		memcpy(bytes->at + table, &section, sizeof(section));
		table += sizeof(section);
	}
}
