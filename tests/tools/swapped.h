/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data file as a machine of the other byte order would have written it. This shares no code
 * with the reader: it follows linux/perf_event.h, perf.data-file-format.txt and the format texts in
 * the file; perf itself prints the same for both files.
 *
 *	swap_perfdata(bytes, length);
 *
 * Swaps bytes of this machine's order in file or pipe mode, without compressed records, in place.
 * Removes feature sections that hold numbers and are not needed from the table.
 */
#ifndef PSCAL_TESTS_SWAPPED_H
#define PSCAL_TESTS_SWAPPED_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWAP_EVENTS_MAX = 64, SWAP_IDS_MAX = 65536, SWAP_FORMATS_MAX = 8192, SWAP_FIELDS_MAX = 64 };

struct swap_event {
	uint64_t sample_type, read_format;
	bool sample_id_all;
};

struct swap_format {
	unsigned type, fields;
	struct {
		unsigned offset, size;
	} field[SWAP_FIELDS_MAX];
};

struct swap {
	struct swap_event events[SWAP_EVENTS_MAX];
	size_t event_count;
	struct {
		uint64_t id;
		size_t event;
	} ids[SWAP_IDS_MAX];
	size_t id_count;
	struct swap_format formats[SWAP_FORMATS_MAX];
	size_t format_count;
};

static inline void swap_fail(const char *what)
{
	fprintf(stderr, "swap_perfdata: %s\n", what);
	exit(1);
}

/* --- Numbers ------------------------------------------------------------------------------- */

static inline uint64_t swap_get(const char *at, size_t width)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (width) {
	case 2:
		memcpy(&two, at, 2);
		return two;
	case 4:
		memcpy(&four, at, 4);
		return four;
	default:
		memcpy(&eight, at, 8);
		return eight;
	}
}

static inline void swap_flip(char *at, size_t width)
{
	for (size_t i = 0; i < width / 2; i++) {
		char kept = at[i];

		at[i] = at[width - 1 - i];
		at[width - 1 - i] = kept;
	}
}

/* Returns the number before its swap, and moves on. */
static inline uint64_t swap_take(char **at, const char *end, size_t width)
{
	uint64_t number;

	if ((size_t)(end - *at) < width)
		swap_fail("something is cut short");
	number = swap_get(*at, width);
	swap_flip(*at, width);
	*at += width;
	return number;
}

static inline void swap_words(char *at, const char *end)
{
	while (end - at >= 8)
		swap_take(&at, end, 8);
}

/* --- Events -------------------------------------------------------------------------------- */

static inline void swap_attr(struct swap *swap, char *at, size_t length)
{
	static const size_t widths[] = {4, 4, 8, 8, 8, 8, 0, 4, 4, 8, 8,
					8, 8, 4, 4, 8, 4, 2, 2, 4, 4};
	const size_t count = sizeof(widths) / sizeof(widths[0]);
	char *end = at + length;
	struct perf_event_attr attr = {0};

	memcpy(&attr, at, length < sizeof(attr) ? length : sizeof(attr));
	if (swap && swap->event_count == SWAP_EVENTS_MAX)
		swap_fail("too many events");
	if (swap)
		swap->events[swap->event_count++] =
			(struct swap_event){attr.sample_type, attr.read_format, attr.sample_id_all};
	for (size_t i = 0; at < end; i++) {
		if (i < count && !widths[i]) { /* one-bit fields */
			for (int byte = 0; byte < 8; byte++, at++) {
				unsigned char from = (unsigned char)*at, to = 0;

				for (int bit = 0; bit < 8; bit++)
					if (from & 1 << bit)
						to |= (unsigned char)(0x80 >> bit);
				*at = (char)to;
			}
		} else {
			swap_take(&at, end, i < count ? widths[i] : 8);
		}
	}
}

static inline void swap_ids(struct swap *swap, char *at, const char *end)
{
	while (end - at >= 8) {
		if (swap->id_count == SWAP_IDS_MAX)
			swap_fail("too many ids");
		swap->ids[swap->id_count].event = swap->event_count - 1;
		swap->ids[swap->id_count++].id = swap_take(&at, end, 8);
	}
}

/* The event with this id; the first one if there is none. */
static inline const struct swap_event *swap_event_of(const struct swap *swap, uint64_t id)
{
	for (size_t i = 0; i < swap->id_count; i++)
		if (swap->ids[i].id == id)
			return &swap->events[swap->ids[i].event];
	return &swap->events[0];
}

/* --- Tracing data -------------------------------------------------------------------------- */

/* The numbers of a payload: all fields but text. */
static inline void swap_learn(struct swap *swap, const char *text, size_t length)
{
	struct swap_format *format = &swap->formats[swap->format_count];
	char *copy = calloc(length + 1, 1), *rest = copy, *line;

	memcpy(copy, text, length);
	if (swap->format_count++ == SWAP_FORMATS_MAX)
		swap_fail("too many formats");
	while ((line = strsep(&rest, "\n"))) {
		const char *offset = strstr(line, "offset:"), *size = strstr(line, "size:");

		if (strncmp(line, "ID: ", 4) == 0)
			format->type = (unsigned)atoi(line + 4);
		if (strncmp(line, "\tfield:", 7) != 0 || !offset || !size)
			continue;
		if (strchr(line, '[') && !strstr(line, "__data_loc"))
			continue;
		if (format->fields == SWAP_FIELDS_MAX)
			swap_fail("too many fields");
		format->field[format->fields].offset = (unsigned)atoi(offset + 7);
		format->field[format->fields++].size = (unsigned)atoi(size + 5);
	}
	free(copy);
}

static inline void swap_text(char **at, const char *end)
{
	const char *nul = memchr(*at, '\0', (size_t)(end - *at));

	if (!nul)
		swap_fail("a name in the tracing data does not end");
	*at += nul - *at + 1;
}

/* A size and so many bytes of text. */
static inline void swap_block(struct swap *swap, char **at, const char *end, size_t width)
{
	uint64_t size = swap_take(at, end, width);

	if (size > (uint64_t)(end - *at))
		swap_fail("the tracing data are cut short");
	if (swap)
		swap_learn(swap, *at, size);
	*at += size;
}

static inline void swap_tracing_data(struct swap *swap, char *at, size_t length)
{
	char *end = at + length, *endian;

	if (!length)
		return;
	at += 10;
	swap_text(&at, end); /* version */
	endian = at;
	*endian = !*endian;
	at += 2;
	swap_take(&at, end, 4); /* page size */
	for (int i = 0; i < 2; i++) {
		swap_text(&at, end);
		swap_block(NULL, &at, end, 8);
	}
	for (uint64_t count = swap_take(&at, end, 4); count; count--)
		swap_block(swap, &at, end, 8);
	for (uint64_t systems = swap_take(&at, end, 4); systems; systems--) {
		swap_text(&at, end);
		for (uint64_t count = swap_take(&at, end, 4); count; count--)
			swap_block(swap, &at, end, 8);
	}
	swap_block(NULL, &at, end, 4); /* kallsyms */
	swap_block(NULL, &at, end, 4); /* printk */
	if (end - at >= 8)
		swap_block(NULL, &at, end, 8); /* comms */
}

static inline void swap_payload(const struct swap *swap, char *at, size_t length)
{
	uint64_t type = length < 2 ? 0 : swap_get(at, 2);

	for (size_t i = 0; i < swap->format_count; i++) {
		const struct swap_format *format = &swap->formats[i];

		if (format->type != type)
			continue;
		for (unsigned k = 0; k < format->fields; k++)
			if (format->field[k].offset + format->field[k].size <= length)
				swap_flip(at + format->field[k].offset, format->field[k].size);
		return;
	}
}

/* --- Records ------------------------------------------------------------------------------- */

static inline uint64_t swap_id_of_sample(const struct swap *swap, const char *at)
{
	uint64_t type = swap->events[0].sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return swap_get(at, 8);
	at += type & PERF_SAMPLE_IP ? 8 : 0;
	at += type & PERF_SAMPLE_TID ? 8 : 0;
	at += type & PERF_SAMPLE_TIME ? 8 : 0;
	at += type & PERF_SAMPLE_ADDR ? 8 : 0;
	return type & PERF_SAMPLE_ID ? swap_get(at, 8) : 0;
}

static inline void swap_sample(const struct swap *swap, char *at, char *end)
{
	const struct swap_event *event = swap_event_of(swap, swap_id_of_sample(swap, at));
	uint64_t type = event->sample_type, format = event->read_format, count;
	static const struct {
		uint64_t bit;
		size_t width; /* bytes of each number in the word */
	} words[] = {{PERF_SAMPLE_IDENTIFIER, 8}, {PERF_SAMPLE_IP, 8},	 {PERF_SAMPLE_TID, 4},
		     {PERF_SAMPLE_TIME, 8},	  {PERF_SAMPLE_ADDR, 8}, {PERF_SAMPLE_ID, 8},
		     {PERF_SAMPLE_STREAM_ID, 8},  {PERF_SAMPLE_CPU, 4},	 {PERF_SAMPLE_PERIOD, 8}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t k = 0; type & words[i].bit && k < 8; k += words[i].width)
			swap_take(&at, end, words[i].width);
	if (type & PERF_SAMPLE_READ) {
		count = format & PERF_FORMAT_GROUP ? swap_take(&at, end, 8) : 1;
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			swap_take(&at, end, 8);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			swap_take(&at, end, 8);
		for (; count; count--) {
			swap_take(&at, end, 8);
			if (format & PERF_FORMAT_ID)
				swap_take(&at, end, 8);
			if (format & 1 << 4)
				swap_take(&at, end, 8);
		}
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		for (count = swap_take(&at, end, 8); count; count--)
			swap_take(&at, end, 8);
	if (type & PERF_SAMPLE_RAW) {
		count = swap_take(&at, end, 4);
		if (count > (uint64_t)(end - at))
			swap_fail("a payload is cut short");
		swap_payload(swap, at, count);
		at += count;
	}
	swap_words(at, end);
}

/* The trailer of a record; returns its begin. */
static inline char *swap_trailer(const struct swap *swap, char *at, char *end)
{
	const struct swap_event *event = &swap->events[0];
	uint64_t type;
	size_t words = 0;
	char *begin;

	if (event->sample_type & PERF_SAMPLE_IDENTIFIER && end - at >= 8)
		event = swap_event_of(swap, swap_get(end - 8, 8));
	type = event->sample_type &
	       (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	for (uint64_t bits = type; bits; bits &= bits - 1)
		words++;
	if (!event->sample_id_all || (size_t)(end - at) < 8 * words)
		return end;
	at = begin = end - 8 * words;
	if (type & PERF_SAMPLE_TID) {
		swap_take(&at, end, 4);
		swap_take(&at, end, 4);
	}
	for (uint64_t bit = PERF_SAMPLE_TIME; bit <= PERF_SAMPLE_STREAM_ID; bit <<= 1)
		if (type & bit && bit != PERF_SAMPLE_CPU)
			swap_take(&at, end, 8);
	if (type & PERF_SAMPLE_CPU) {
		swap_take(&at, end, 4);
		swap_take(&at, end, 4);
	}
	swap_words(at, end);
	return begin;
}

static inline void swap_event_desc(char *at, char *end)
{
	uint64_t count = swap_take(&at, end, 4), attr_size = swap_take(&at, end, 4);

	for (; count; count--) {
		uint64_t ids;

		swap_attr(NULL, at, attr_size);
		at += attr_size;
		ids = swap_take(&at, end, 4);
		at += swap_take(&at, end, 4);
		for (; ids; ids--)
			swap_take(&at, end, 8);
	}
}

/* Records that perf itself writes; returns the number of bytes that follow the record. */
static inline uint64_t swap_user_record(struct swap *swap, uint32_t type, char *at, char *end)
{
	char *begin = at;
	uint64_t number;

	switch (type) {
	case 64: /* HEADER_ATTR */
		number = swap_get(at + 4, 4);
		swap_attr(swap, at, number);
		swap_ids(swap, at + number, end);
		return 0;
	case 65: /* EVENT_TYPE, or a note of pscal */
		return 0;
	case 66: /* HEADER_TRACING_DATA */
		number = swap_take(&at, end, 4);
		swap_tracing_data(swap, end, number);
		return number;
	case 71: /* AUXTRACE */
		number = swap_get(at, 8);
		swap_words(at, end);
		return number;
	case 80: /* HEADER_FEATURE */
		if (swap_take(&begin, end, 8) == 12)
			swap_event_desc(begin, end);
		return 0;
	case 81:
	case 83:
		swap_fail("compressed records cannot be turned");
	}
	swap_words(at, end);
	return 0;
}

static inline void swap_kernel_record(const struct swap *swap, uint32_t type, char *at, char *end)
{
	size_t pairs = 0; /* numbers of 4 bytes at the beginning */

	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_READ:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_ITRACE_START:
		pairs = 2;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		pairs = 4;
		break;
	default:
		break;
	}
	end = swap_trailer(swap, at, end);
	while (pairs--)
		swap_take(&at, end, 4);
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_KSYMBOL: /* no reader reads the numbers of these */
	case PERF_RECORD_BPF_EVENT:
		return;
	case PERF_RECORD_MMAP:
		for (int i = 0; i < 3; i++)
			swap_take(&at, end, 8);
		return;
	case PERF_RECORD_MMAP2:
		for (int i = 0; i < 3; i++)
			swap_take(&at, end, 8);
		at += 24;
		swap_take(&at, end, 4);
		swap_take(&at, end, 4);
		return;
	default:
		swap_words(at, end);
	}
}

static inline void swap_records(struct swap *swap, char *at, char *end)
{
	while (at < end) {
		char *record = at, *body = at + 8;
		uint32_t type = (uint32_t)swap_take(&at, end, 4);
		uint64_t size, behind = 0;

		swap_take(&at, end, 2);
		size = swap_take(&at, end, 2);
		if (size < 8 || size > (uint64_t)(end - record))
			swap_fail("a record is cut short");
		at = record + size;
		if (type >= 64)
			behind = swap_user_record(swap, type, body, at);
		else if (type == PERF_RECORD_SAMPLE)
			swap_sample(swap, body, at);
		else
			swap_kernel_record(swap, type, body, at);
		if (behind > (uint64_t)(end - at))
			swap_fail("the data after a record are cut short");
		at += behind;
	}
}

/* --- Files --------------------------------------------------------------------------------- */

/* True for sections without numbers, or with swapped ones; all other ones are removed. */
static inline bool swap_keeps(int feature)
{
	return feature == 1 || feature == 3 || feature == 12 || feature == 24 || feature == 250;
}

static inline void swap_features(struct swap *swap, char *bytes, uint64_t *features, char *table)
{
	char *from = table, *to = table;

	for (int bit = 0; bit < 256; bit++) {
		uint64_t offset, size;

		if (!(features[bit / 64] >> (bit % 64) & 1))
			continue;
		offset = swap_get(from, 8);
		size = swap_get(from + 8, 8);
		from += 16;
		if (!swap_keeps(bit)) {
			features[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
			continue;
		}
		if (bit == 1)
			swap_tracing_data(swap, bytes + offset, size);
		else if (bit == 3)
			swap_flip(bytes + offset, 4);
		else if (bit == 12)
			swap_event_desc(bytes + offset, bytes + offset + size);
		else if (bit == 24)
			swap_flip(bytes + offset, 8);
		memcpy(to, &offset, 8);
		memcpy(to + 8, &size, 8);
		swap_words(to, to + 16);
		to += 16;
	}
}

static inline void swap_file(struct swap *swap, char *bytes, size_t length)
{
	uint64_t header[13];
	char *data, *end, *attr;

	memcpy(header, bytes, sizeof(header));
	for (attr = bytes + header[3]; attr < bytes + header[3] + header[4]; attr += header[2]) {
		uint64_t offset = swap_get(attr + header[2] - 16, 8);
		uint64_t size = swap_get(attr + header[2] - 8, 8);

		swap_attr(swap, attr, header[2] - 16);
		swap_words(attr + header[2] - 16, attr + header[2]);
		swap_ids(swap, bytes + offset, bytes + offset + size);
	}
	data = bytes + header[5];
	end = header[6] ? data + header[6] : bytes + length;
	if (header[6])
		swap_features(swap, bytes, &header[9], end);
	swap_records(swap, data, end);
	memcpy(bytes, header, sizeof(header));
	swap_words(bytes, bytes + sizeof(header));
}

static inline void swap_perfdata(char *bytes, size_t length)
{
	struct swap *swap = calloc(1, sizeof(*swap));

	if (!swap || length < 16 || memcmp(bytes, "PERFILE2", 8) != 0)
		swap_fail("is no perf.data file of this byte order");
	if (swap_get(bytes + 8, 8) == 16) {
		swap_records(swap, bytes + 16, bytes + length);
		swap_words(bytes, bytes + 16);
	} else {
		swap_file(swap, bytes, length);
	}
	free(swap);
}

#endif
