/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include "collect/perfdata.h"
#include "random.h"

#include <linux/perf_event.h>

enum { RECORDS_MAX = 4096, LINES_MAX = 4096 };

/* A stretch of bytes. */
struct range {
	size_t begin, end;
};

/* Numbers at which things turn over. */
static uint64_t strange_number(struct random *random, size_t size)
{
	static const uint64_t numbers[] = {0,
					   1,
					   7,
					   8,
					   16,
					   104,
					   255,
					   256,
					   0x7fff,
					   0x8000,
					   0xfff8,
					   0xffff,
					   1 << 16,
					   1 << 22,
					   1 << 28,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   1ULL << 32,
					   INT64_MAX,
					   1ULL << 63,
					   UINT64_MAX,
					   UINT64_MAX - 7};
	uint64_t number = numbers[random_below(random, sizeof(numbers) / sizeof(numbers[0]))];

	switch (random_below(random, 4)) {
	case 0:
		return size + number % 9 - 4; /* just inside or outside */
	case 1:
		return random_next(random) % (2 * size + 1);
	default:
		return number;
	}
}

static struct range range_in(struct random *random, size_t count, size_t most)
{
	size_t begin = random_below(random, count);
	size_t length = 1 + random_below(random, random_one_in(random, 4) ? count : most);

	return (struct range){begin, length < count - begin ? begin + length : count};
}

static void erase(struct bytes *bytes, struct range range)
{
	memmove(bytes->at + range.begin, bytes->at + range.end, bytes->count - range.end);
	bytes->count -= range.end - range.begin;
}

static void insert(struct bytes *bytes, size_t place, const void *what, size_t length)
{
	size_t behind = bytes->count - place;

	put(bytes, what, length); /* makes room */
	memmove(bytes->at + place + length, bytes->at + place, behind);
	memcpy(bytes->at + place, what, length);
}

static void insert_copy(struct bytes *bytes, size_t place, struct range range)
{
	size_t length = range.end - range.begin;
	char *copy = xcalloc(length, 1);

	memcpy(copy, bytes->at + range.begin, length);
	insert(bytes, place, copy, length);
	free(copy);
}

/* Exchanges two stretches that do not overlap. */
static void exchange(struct bytes *bytes, struct range a, struct range b)
{
	if (a.begin > b.begin) {
		struct range swap = a;

		a = b;
		b = swap;
	}
	if (a.end > b.begin)
		return;
	insert_copy(bytes, b.end, a);
	insert_copy(bytes, a.begin, b);
	erase(bytes, (struct range){b.begin + b.end - b.begin, b.end + b.end - b.begin});
	erase(bytes, (struct range){a.begin + b.end - b.begin, a.end + b.end - b.begin});
}

/* --- Any bytes ----------------------------------------------------------------------------- */

static void cut_end(struct bytes *bytes, struct random *random)
{
	bytes->count = random_below(random, bytes->count + 1);
}

static void flip_bits(struct bytes *bytes, struct random *random)
{
	for (size_t i = 1 + random_below(random, 8); i; i--)
		bytes->at[random_below(random, bytes->count)] ^=
			(char)(1 << random_below(random, 8));
}

static void set_bytes(struct bytes *bytes, struct random *random)
{
	struct range range = range_in(random, bytes->count, 16);

	for (size_t i = range.begin; i < range.end; i++)
		bytes->at[i] = (char)random_next(random);
}

static void fill_bytes(struct bytes *bytes, struct random *random)
{
	static const char with[] = {0, -1, ' ', '9', '\n'};
	struct range range = range_in(random, bytes->count, 64);

	memset(bytes->at + range.begin, with[random_below(random, sizeof(with))],
	       range.end - range.begin);
}

static void set_number(struct bytes *bytes, struct random *random)
{
	size_t size = (size_t)1 << random_below(random, 4);
	size_t place = random_below(random, bytes->count);
	uint64_t number = strange_number(random, bytes->count);

	if (!random_one_in(random, 4))
		place &= ~(size_t)7;
	if (size > bytes->count - place)
		size = bytes->count - place;
	memcpy(bytes->at + place, &number, size);
}

static void erase_bytes(struct bytes *bytes, struct random *random)
{
	erase(bytes, range_in(random, bytes->count, 64));
}

static void repeat_bytes(struct bytes *bytes, struct random *random)
{
	struct range range = range_in(random, bytes->count, 64);
	size_t times = random_one_in(random, 8) ? 1 + random_below(random, 50) : 1;

	for (; times && bytes->count < 1 << 18; times--)
		insert_copy(bytes, range.end, range);
}

static void exchange_bytes(struct bytes *bytes, struct random *random)
{
	struct range one = range_in(random, bytes->count, 64);

	exchange(bytes, one, range_in(random, bytes->count, 64));
}

static void move_copy(struct bytes *bytes, struct random *random)
{
	struct range from = range_in(random, bytes->count, 64);
	size_t place = random_below(random, bytes->count);
	size_t length = from.end - from.begin;

	if (length > bytes->count - place)
		length = bytes->count - place;
	memmove(bytes->at + place, bytes->at + from.begin, length);
}

/* --- perf.data: the header ----------------------------------------------------------------- */

static void set_header_word(struct bytes *bytes, struct random *random)
{
	size_t place = 8 * (1 + random_below(random, 12));
	uint64_t number = strange_number(random, bytes->count);

	if (place + 8 > bytes->count)
		return;
	if (random_one_in(random, 3)) /* sections overlap */
		memcpy(&number, bytes->at + 8 * (1 + random_below(random, 8)), 8);
	memcpy(bytes->at + place, &number, 8);
}

/* Is it of the other byte order? */
static bool is_swapped(const struct bytes *bytes)
{
	return bytes->count >= 8 && memcmp(bytes->at, "2ELIFREP", 8) == 0;
}

static void swap_words(void *words, size_t size)
{
	uint64_t word;

	for (size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (char *)words + at, sizeof(word));
		word = __builtin_bswap64(word);
		memcpy((char *)words + at, &word, sizeof(word));
	}
}

/* Returns false where there is none. */
static bool get_header(struct perfdata_header *header, const struct bytes *bytes)
{
	if (bytes->count < sizeof(*header))
		return false;
	memcpy(header, bytes->at, sizeof(*header));
	if (is_swapped(bytes))
		swap_words(header, sizeof(*header));
	return header->size != PERFDATA_PIPE_HEADER_SIZE;
}

static void put_header(struct bytes *bytes, struct perfdata_header header)
{
	if (is_swapped(bytes))
		swap_words(&header, sizeof(header));
	memcpy(bytes->at, &header, sizeof(header));
}

static void set_attr_word(struct bytes *bytes, struct random *random)
{
	struct perfdata_header header = {0};
	uint64_t number = strange_number(random, bytes->count);
	size_t size = 4 + 4 * random_below(random, 2), place;

	if (!get_header(&header, bytes))
		header.attrs = (struct perfdata_section){24, 136};
	place = header.attrs.offset + 4 * random_below(random, header.attrs.size / 4);
	if (place < bytes->count && size <= bytes->count - place)
		memcpy(bytes->at + place, &number, size);
}

static void set_feature_word(struct bytes *bytes, struct random *random)
{
	struct perfdata_header header = {0};
	uint64_t number = strange_number(random, bytes->count), place;

	if (!get_header(&header, bytes))
		return;
	if (random_one_in(random, 4)) {
		header.features[random_below(random, 4)] ^= (uint64_t)1 << random_below(random, 64);
		put_header(bytes, header);
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
	if (!get_header(&header, bytes))
		return;
	header.data.size = 0;
	put_header(bytes, header);
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
	return is_swapped(bytes) ? swap_record(header) : header;
}

/* Records as far as they can be told; returns how many. */
static size_t find_records(struct range records[RECORDS_MAX], const struct bytes *bytes)
{
	struct perfdata_header file = {0};
	bool has_header = get_header(&file, bytes);
	size_t count = 0, at = has_header ? file.data.offset : PERFDATA_PIPE_HEADER_SIZE;
	struct perf_event_header header;

	while (count < RECORDS_MAX && at < bytes->count && bytes->count - at >= sizeof(header)) {
		uint32_t behind = 0;
		size_t end;

		header = get_record(bytes, at);
		end = at + header.size;
		if (header.size < sizeof(header) || end > bytes->count)
			break;
		if (header.type == PERFDATA_RECORD_TRACING_DATA && header.size >= 12)
			memcpy(&behind, bytes->at + at + sizeof(header), sizeof(behind));
		if (is_swapped(bytes))
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
	struct range records[RECORDS_MAX];
	size_t count = find_records(records, bytes);

	return count ? records[random_below(random, count)] : (struct range){0, 0};
}

static void swap_records(struct bytes *bytes, struct random *random)
{
	struct range one = any_record(bytes, random);

	exchange(bytes, one, any_record(bytes, random));
}

/* The table behind the data has moved, and so has what it points to. */
static void move_sections(struct bytes *bytes, const struct perfdata_header *header, uint64_t by)
{
	uint64_t table = header->data.offset + header->data.size;
	struct perfdata_section section;

	for (int bit = 0; bit < PERFDATA_FEATURE_COUNT; bit++) {
		if (!(header->features[bit / 64] >> bit % 64 & 1))
			continue;
		if (table > bytes->count || bytes->count - table < sizeof(section))
			return;
		memcpy(&section, bytes->at + table, sizeof(section));
		if (is_swapped(bytes))
			swap_words(&section, sizeof(section));
		section.offset += by;
		if (is_swapped(bytes))
			swap_words(&section, sizeof(section));
		memcpy(bytes->at + table, &section, sizeof(section));
		table += sizeof(section);
	}
}

static void grow_data(struct bytes *bytes, uint64_t by)
{
	struct perfdata_header header = {0};

	if (!get_header(&header, bytes))
		return;
	header.data.size += by;
	put_header(bytes, header);
	move_sections(bytes, &header, by);
}

static void repeat_record(struct bytes *bytes, struct random *random)
{
	struct range record = any_record(bytes, random);

	insert_copy(bytes, any_record(bytes, random).begin, record);
	grow_data(bytes, record.end - record.begin);
}

static void drop_record(struct bytes *bytes, struct random *random)
{
	struct range record = any_record(bytes, random);

	erase(bytes, record);
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
		header.size = (uint16_t)strange_number(random, header.size);
		break;
	default:
		header.size = (uint16_t)(header.size + 8 * random_below(random, 9) - 32);
		break;
	}
	if (is_swapped(bytes))
		header = swap_record(header);
	memcpy(bytes->at + record.begin, &header, sizeof(header));
}

/* Ids, times and counts are words; most are small, and wrong ones are near to right ones. */
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
	if (is_swapped(bytes))
		number =
			size == 4 ? __builtin_bswap32((uint32_t)number) : __builtin_bswap64(number);
	switch (random_below(random, 4)) {
	case 0:
		number += random_below(random, 9) - 4;
		break;
	case 1:
		number += random_below(random, 2000000) - 1000000; /* of ns: time goes back */
		break;
	default:
		number = strange_number(random, room);
		break;
	}
	if (is_swapped(bytes))
		number =
			size == 4 ? __builtin_bswap32((uint32_t)number) : __builtin_bswap64(number);
	memcpy(bytes->at + place, &number, size);
}

/* --- Text ---------------------------------------------------------------------------------- */

static size_t find_lines(struct range lines[LINES_MAX], const struct bytes *bytes)
{
	size_t count = 0, at = 0;

	while (count < LINES_MAX && at < bytes->count) {
		const char *newline = memchr(bytes->at + at, '\n', bytes->count - at);
		size_t end = newline ? (size_t)(newline - bytes->at) + 1 : bytes->count;

		lines[count++] = (struct range){at, end};
		at = end;
	}
	return count;
}

static struct range any_line(const struct bytes *bytes, struct random *random)
{
	struct range lines[LINES_MAX];
	size_t count = find_lines(lines, bytes);

	return count ? lines[random_below(random, count)] : (struct range){0, 0};
}

static void swap_lines(struct bytes *bytes, struct random *random)
{
	struct range one = any_line(bytes, random);

	exchange(bytes, one, any_line(bytes, random));
}

static void repeat_line(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);

	insert_copy(bytes, any_line(bytes, random).begin, line);
}

static void drop_line(struct bytes *bytes, struct random *random)
{
	erase(bytes, any_line(bytes, random));
}

/* As a newline in a name does. */
static void break_line(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);
	static const char *const breaks[] = {"\n", "\r\n", "\t", "\r", "\n\n", ">"};
	const char *with = breaks[random_below(random, sizeof(breaks) / sizeof(breaks[0]))];

	insert(bytes, line.begin + random_below(random, line.end - line.begin), with, strlen(with));
}

static void join_lines(struct bytes *bytes, struct random *random)
{
	struct range line = any_line(bytes, random);

	if (line.end > line.begin)
		erase(bytes, (struct range){line.end - 1, line.end});
}

static void put_word(struct bytes *bytes, struct random *random)
{
	static const char *const words[] = {" prev_pid=",
					    "next_comm=",
					    " ==> ",
					    " [000] ",
					    "1.000001:",
					    " 5/5 ",
					    "sched_switch:",
					    "PERF_RECORD_SWITCH",
					    " IN ",
					    "#",
					    "99999999999999999999",
					    "-1",
					    "=>",
					    "[120] ",
					    "pid=2147483647 ",
					    "success=0",
					    "\xff\xfe",
					    "target_cpu=",
					    " (msec)",
					    "[4/4]",
					    "9999999999.999999999: ",
					    " 4194303 ",
					    "<idle>-0",
					    "\"",
					    ",",
					    ";",
					    "1e308",
					    "nan"};
	const char *word = words[random_below(random, sizeof(words) / sizeof(words[0]))];

	insert(bytes, random_below(random, bytes->count), word, strlen(word));
}

/* Times go back, CPUs and threads change. */
static void change_digits(struct bytes *bytes, struct random *random)
{
	size_t from = random_below(random, bytes->count), left = 1 + random_below(random, 4);

	for (size_t i = from; left && i < bytes->count; i++) {
		if (bytes->at[i] < '0' || bytes->at[i] > '9')
			continue;
		bytes->at[i] = (char)('0' + random_below(random, 10));
		left--;
	}
}

/* --- All of them --------------------------------------------------------------------------- */

typedef void way_fn(struct bytes *bytes, struct random *random);

struct way {
	const char *name;
	way_fn *apply;
};

static const struct way any_ways[] = {
	{"cut the end off", cut_end},	    {"flip bits", flip_bits},
	{"write noise", set_bytes},	    {"fill a stretch", fill_bytes},
	{"write a number", set_number},	    {"erase a stretch", erase_bytes},
	{"repeat a stretch", repeat_bytes}, {"exchange two stretches", exchange_bytes},
	{"copy over", move_copy},
};

static const struct way perfdata_ways[] = {
	{"a word of the header", set_header_word},
	{"a word of an attr", set_attr_word},
	{"a word of the table of sections", set_feature_word},
	{"no size of the data", clear_data_size},
	{"swap two records", swap_records},
	{"repeat a record", repeat_record},
	{"drop a record", drop_record},
	{"the header of a record", set_record_header},
	{"a word of a record", set_record_word}, /* most of a file are those */
	{"a word of a record", set_record_word},
	{"a word of a record", set_record_word},
	{"a word of a record", set_record_word},
};

static const struct way text_ways[] = {
	{"swap two lines", swap_lines},	  {"repeat a line", repeat_line},
	{"drop a line", drop_line},	  {"break a line", break_line},
	{"join two lines", join_lines},	  {"put a word in", put_word},
	{"change digits", change_digits},
};

enum { ANY_COUNT = sizeof(any_ways) / sizeof(any_ways[0]) };

static const struct way *way_of(enum seed_kind kind, size_t number)
{
	if (number < ANY_COUNT)
		return &any_ways[number];
	return kind == SEED_PERFDATA ? &perfdata_ways[number - ANY_COUNT]
				     : &text_ways[number - ANY_COUNT];
}

size_t mutate_count(enum seed_kind kind)
{
	return ANY_COUNT + (kind == SEED_PERFDATA ? sizeof(perfdata_ways) / sizeof(perfdata_ways[0])
						  : sizeof(text_ways) / sizeof(text_ways[0]));
}

const char *mutate_name(enum seed_kind kind, size_t way)
{
	return way_of(kind, way)->name;
}

void mutate(struct bytes *bytes, enum seed_kind kind, size_t way, struct random *random)
{
	if (bytes->count)
		way_of(kind, way)->apply(bytes, random);
}

/* What has structure is damaged there more often than anywhere. */
static void mutate_some(struct bytes *bytes, const struct seed *seed, struct random *random)
{
	size_t ways = mutate_count(seed->kind);

	for (size_t times = 1 + random_below(random, 4); times; times--) {
		size_t way = ANY_COUNT + random_below(random, ways - ANY_COUNT);

		if (random_one_in(random, 4))
			way = random_below(random, ANY_COUNT);
		mutate(bytes, seed->kind, way, random);
	}
}

struct bytes mutant_make(const struct seed *seed, uint64_t number)
{
	struct random random = {number * 0x9e3779b97f4a7c15};
	struct bytes bytes = seed_make(seed);
	size_t when = random_below(&random, 4); /* 0: only what is compressed, as it is then */

	random_next(&random);
	if (number && (!seed->wrap || when))
		mutate_some(&bytes, seed, &random);
	if (seed->wrap)
		seed->wrap(&bytes);
	if (number && seed->wrap && when < 2)
		mutate_some(&bytes, seed, &random);
	return bytes;
}
