/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/damage.h"
#include "damage/perfdata_edit.h"

#include <linux/perf_event.h>

/* --- perf.data: the header ----------------------------------------------------------------- */

static void set_header_word(struct bytes *bytes, struct random *random)
{
	size_t place = 8 * (1 + random_below(random, 12)), other;
	uint64_t number = damage_number(random, bytes->count);

	if (place + 8 > bytes->count)
		return;
	other = 8 * (1 + random_below(random, 8));
	if (other + 8 <= bytes->count && random_one_in(random, 3)) /* sections overlap */
		memcpy(&number, bytes->at + other, 8);
	memcpy(bytes->at + place, &number, 8);
}

static void set_attr_word(struct bytes *bytes, struct random *random)
{
	struct perfdata_header header = {0};
	uint64_t number = damage_number(random, bytes->count);
	size_t size = 4 + 4 * random_below(random, 2), place;

	if (!edit_get_header(&header, bytes))
		header.attrs = (struct perfdata_section){24, 136};
	place = header.attrs.offset + 4 * random_below(random, header.attrs.size / 4);
	if (place < bytes->count && size <= bytes->count - place)
		memcpy(bytes->at + place, &number, size);
}

static void set_feature_word(struct bytes *bytes, struct random *random)
{
	struct perfdata_header header = {0};
	uint64_t number = damage_number(random, bytes->count), place;

	if (!edit_get_header(&header, bytes))
		return;
	if (random_one_in(random, 4)) {
		header.features[random_below(random, 4)] ^= (uint64_t)1 << random_below(random, 64);
		edit_put_header(bytes, header);
		return;
	}
	place = header.data.offset + header.data.size + 8 * random_below(random, 4);
	if (random_one_in(random, 3))
		number = header.data.offset + random_below(random, 256);
	if (place < bytes->count && bytes->count - place >= 8)
		memcpy(bytes->at + place, &number, 8);
}

static void clear_data_size(struct bytes *bytes, struct random *random)
{
	struct perfdata_header header = {0};

	(void)random;
	if (!edit_get_header(&header, bytes))
		return;
	header.data.size = 0;
	edit_put_header(bytes, header);
}

/* --- perf.data: records -------------------------------------------------------------------- */

static struct perf_event_header swap_record(struct perf_event_header header)
{
	return (struct perf_event_header){__builtin_bswap32(header.type),
					  __builtin_bswap16(header.misc),
					  __builtin_bswap16(header.size)};
}

static struct perf_event_header get_record(const struct bytes *bytes, size_t at)
{
	struct perf_event_header header;

	memcpy(&header, bytes->at + at, sizeof(header));
	return edit_is_swapped(bytes) ? swap_record(header) : header;
}

/* Finds records as far as possible; returns how many. */
size_t damage_records(struct range records[DAMAGE_PIECES], const struct bytes *bytes)
{
	struct perfdata_header file = {0};
	bool has_header = edit_get_header(&file, bytes);
	size_t count = 0, at = has_header ? file.data.offset : PERFDATA_PIPE_HEADER_SIZE;
	struct perf_event_header header;

	while (count < DAMAGE_PIECES && at < bytes->count && bytes->count - at >= sizeof(header)) {
		uint32_t behind = 0;
		size_t end;

		header = get_record(bytes, at);
		end = at + header.size;
		if (header.size < sizeof(header) || end > bytes->count)
			break;
		if (header.type == PERFDATA_RECORD_TRACING_DATA && header.size >= 12)
			memcpy(&behind, bytes->at + at + sizeof(header), sizeof(behind));
		if (edit_is_swapped(bytes))
			behind = __builtin_bswap32(behind);
		if (behind > bytes->count - end)
			break;
		end += behind;
		if (has_header && end > file.data.offset + file.data.size)
			break;
		records[count++] = (struct range){at, end};
		at = end;
	}
	return count;
}

static struct range any_record(const struct bytes *bytes, struct random *random)
{
	struct range records[DAMAGE_PIECES];
	size_t count = damage_records(records, bytes);

	return count ? records[random_below(random, count)] : (struct range){0, 0};
}

static void swap_records(struct bytes *bytes, struct random *random)
{
	struct range one = any_record(bytes, random);

	damage_exchange(bytes, one, any_record(bytes, random));
}

static void grow_data(struct bytes *bytes, uint64_t by)
{
	struct perfdata_header header = {0};

	if (!edit_get_header(&header, bytes))
		return;
	header.data.size += by;
	edit_put_header(bytes, header);
	edit_move_sections(bytes, &header, by);
}

static void repeat_record(struct bytes *bytes, struct random *random)
{
	struct range record = any_record(bytes, random);

	damage_insert_copy(bytes, any_record(bytes, random).begin, record);
	grow_data(bytes, record.end - record.begin);
}

static void drop_record(struct bytes *bytes, struct random *random)
{
	struct range record = any_record(bytes, random);

	damage_erase(bytes, record);
	grow_data(bytes, (uint64_t)0 - (record.end - record.begin));
}

static void set_record_header(struct bytes *bytes, struct random *random)
{
	static const uint32_t types[] = {0,  1,	 2,  3,	 4,  5,	 7,  8,	 9,  12, 13, 14,
					 15, 16, 64, 65, 66, 68, 71, 78, 80, 81, 83, 1000};
	struct range record = any_record(bytes, random);
	struct perf_event_header header;

	if (record.end - record.begin < sizeof(header))
		return;
	header = get_record(bytes, record.begin);
	switch (random_below(random, 4)) {
	case 0:
		header.type = types[random_below(random, sizeof(types) / sizeof(types[0]))];
		break;
	case 1:
		header.misc = (uint16_t)random_next(random);
		break;
	case 2:
		header.size = (uint16_t)damage_number(random, header.size);
		break;
	default:
		header.size = (uint16_t)(header.size + 8 * random_below(random, 9) - 32);
		break;
	}
	if (edit_is_swapped(bytes))
		header = swap_record(header);
	memcpy(bytes->at + record.begin, &header, sizeof(header));
}

/* Ids, times and counts are words; most are small, and wrong ones are near right ones. */
static void set_record_word(struct bytes *bytes, struct random *random)
{
	struct range record = any_record(bytes, random);
	size_t size = 4 + 4 * random_below(random, 2);
	size_t room = record.end - record.begin, place;
	uint64_t number = 0;

	if (room < sizeof(struct perf_event_header) + 8)
		return;
	place = record.begin + 8 + 4 * random_below(random, (room - 8 - size) / 4 + 1);
	memcpy(&number, bytes->at + place, size);
	if (edit_is_swapped(bytes))
		number =
			size == 4 ? __builtin_bswap32((uint32_t)number) : __builtin_bswap64(number);
	switch (random_below(random, 4)) {
	case 0:
		number += random_below(random, 9) - 4;
		break;
	case 1:
		number += random_below(random, 2000000) - 1000000; /* in ns: time goes back */
		break;
	default:
		number = damage_number(random, room);
		break;
	}
	if (edit_is_swapped(bytes))
		number =
			size == 4 ? __builtin_bswap32((uint32_t)number) : __builtin_bswap64(number);
	memcpy(bytes->at + place, &number, size);
}

const struct way damage_perfdata[] = {
	{"a word of the header", set_header_word},
	{"a word of an attr", set_attr_word},
	{"a word of the table of sections", set_feature_word},
	{"no size of the data", clear_data_size},
	{"swap two records", swap_records},
	{"repeat a record", repeat_record},
	{"drop a record", drop_record},
	{"the header of a record", set_record_header},
	{"a word of a record", set_record_word}, /* most of a file are such words */
	{"a word of a record", set_record_word},
	{"a word of a record", set_record_word},
	{"a word of a record", set_record_word},
	{NULL, NULL},
};
