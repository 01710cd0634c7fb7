/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_swap.h"

#include "base/alloc.h"
#include "perfdata/byte_order.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_reader.h"
#include "perfdata/sample.h"

#include <stdlib.h>
#include <string.h>

/* --- Numbers ------------------------------------------------------------------------------- */

/* Reverses a byte's bits: compilers order one-bit fields from its low end here, high end there. */
static void reverse_bits(unsigned char *byte)
{
	unsigned from = *byte, bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (from >> i & 1) << (7 - i);
	*byte = (unsigned char)bits;
}

static void swap_number(unsigned char *at, size_t width)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (width) {
	case sizeof(two):
		memcpy(&two, at, sizeof(two));
		two = __builtin_bswap16(two);
		memcpy(at, &two, sizeof(two));
		break;
	case sizeof(four):
		memcpy(&four, at, sizeof(four));
		four = __builtin_bswap32(four);
		memcpy(at, &four, sizeof(four));
		break;
	case sizeof(eight):
		memcpy(&eight, at, sizeof(eight));
		eight = __builtin_bswap64(eight);
		memcpy(at, &eight, sizeof(eight));
		break;
	default: /* a byte */
		break;
	}
}

void byte_order_swap(void *bytes, size_t length, const char *layout)
{
	unsigned char *at = bytes;

	while (*layout) {
		bool bits = *layout == 'b';
		size_t width = bits || *layout == '*' ? 8 : (size_t)(*layout - '0');

		if (length < width)
			return;
		for (size_t i = 0; bits && i < width; i++)
			reverse_bits(&at[i]);
		if (!bits)
			swap_number(at, width);
		at += width;
		length -= width;
		if (*layout != '*')
			layout++;
	}
}

/* u32 events, u32 size of attr; each event: attr, u32 ids, u32 size and a name, u64 each id. */
void byte_order_swap_event_desc(char *bytes, size_t length)
{
	uint32_t head[2], counts[2];
	size_t at = sizeof(head);

	if (length < sizeof(head))
		return;
	byte_order_swap(bytes, length, "44");
	memcpy(head, bytes, sizeof(head));
	while (head[0]--) {
		size_t ids_at;

		if (head[1] > length - at || length - at - head[1] < sizeof(counts))
			return;
		byte_order_swap(bytes + at, head[1], BYTE_ORDER_ATTR);
		at += head[1];
		byte_order_swap(bytes + at, sizeof(counts), "44");
		memcpy(counts, bytes + at, sizeof(counts));
		at += sizeof(counts);
		ids_at = at + counts[1];
		if (ids_at > length || counts[0] > (length - ids_at) / 8)
			return;
		at = ids_at + 8 * (size_t)counts[0];
		byte_order_swap(bytes + ids_at, at - ids_at, "*");
	}
}

/* --- Records ------------------------------------------------------------------------------- */

struct perfdata_swap {
	struct record_owners owners;
	char body[UINT16_MAX + 1];
};

/*
 * The layouts of the beginning of records, without the trailer, for byte_order_swap(). Records that
 * are not listed consist of words of 8 bytes.
 */
static const struct {
	uint32_t type;
	const char *layout;
} layouts[] = {
	{PERF_RECORD_MMAP, "44888"},
	{PERF_RECORD_MMAP2, "44888448844"},
	{PERF_RECORD_COMM, "44"},
	{PERF_RECORD_EXIT, "44448"},
	{PERF_RECORD_FORK, "44448"},
	{PERF_RECORD_READ, "44*"},
	{PERF_RECORD_ITRACE_START, "44"},
	{PERF_RECORD_SWITCH_CPU_WIDE, "44"},
	{PERF_RECORD_NAMESPACES, "44*"},
	{PERF_RECORD_KSYMBOL, "8422"},
	{PERF_RECORD_BPF_EVENT, "224"},
	{PERF_RECORD_CGROUP, "8"},
	{PERFDATA_RECORD_NOTE, ""},
	{PERFDATA_RECORD_TRACING_DATA, ""},
	{PERFDATA_RECORD_AUXTRACE_INFO, "44*"},
	{PERFDATA_RECORD_FEATURE, "8"},
};

struct perfdata_swap *perfdata_swap_new(void)
{
	return xcalloc(1, sizeof(struct perfdata_swap));
}

void perfdata_swap_free(struct perfdata_swap *swap)
{
	if (swap)
		record_owners_release(&swap->owners);
	free(swap);
}

/* Corrects a word of the body that was converted as one number but is two of 32 bits. */
static void swap_split_word(char *body, int offset)
{
	if (offset < 0)
		return;
	byte_order_swap(body + offset, 8, "8");
	byte_order_swap(body + offset, 8, "44");
}

/* --- Samples ------------------------------------------------------------------------------- */

static uint64_t word_at(const struct perfdata_record *record, size_t offset)
{
	uint64_t word = 0;

	if (offset <= record->length && record->length - offset >= sizeof(word))
		memcpy(&word, record->body + offset, sizeof(word));
	return word;
}

/* Returns the words of the counters read with a sample, or more than a record can have. */
static uint64_t read_words(const struct perfdata_record *record, size_t offset, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t each = PERF_FORMAT_ID | SAMPLE_FORMAT_LOST;
	uint64_t members = format & PERF_FORMAT_GROUP ? word_at(record, offset) : 1;
	uint64_t before = (uint64_t)__builtin_popcountll(format & times) +
			  (format & PERF_FORMAT_GROUP ? 1 : 0);

	if (members > record->length)
		return UINT64_MAX / 16;
	return before + members * (1 + (uint64_t)__builtin_popcountll(format & each));
}

/*
 * Returns the offset of the payload's size in a body of converted words, possibly beyond its end.
 */
static uint64_t raw_offset(const struct perfdata_record *record, const struct sample_layout *layout)
{
	uint64_t type = layout->attr.sample_type;
	uint64_t offset = layout->head.size;

	if (type & PERF_SAMPLE_READ)
		offset += 8 * read_words(record, (size_t)offset, layout->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN && offset < record->length) {
		uint64_t count = word_at(record, (size_t)offset);

		offset += 8 * (count < record->length ? count + 1 : record->length);
	}
	return offset;
}

/* Restores the payload (u32 size; that many bytes) and converts the words behind it. */
static void keep_raw(char *body, const char *original, size_t length, uint64_t offset)
{
	uint32_t size;

	if (offset >= length || length - offset < sizeof(size))
		return;
	memcpy(body + offset, original + offset, length - offset);
	byte_order_swap(body + offset, sizeof(size), "4");
	memcpy(&size, body + offset, sizeof(size));
	offset += sizeof(size);
	if (size < length - offset)
		byte_order_swap(body + offset + size, length - offset - size, "*");
}

static void swap_sample(struct perfdata_swap *swap, const struct perfdata_file *file,
			struct perfdata_record *record, const char *original)
{
	const struct sample_layout *layout;

	byte_order_swap(swap->body, record->length, "*");
	layout = record_owners_find(&swap->owners, file, true, swap->body, record->length);
	if (!layout || record->length < layout->head.size)
		return;
	if (layout->has_raw)
		keep_raw(swap->body, original, record->length, raw_offset(record, layout));
	swap_split_word(swap->body, layout->head.tid);
	swap_split_word(swap->body, layout->head.cpu);
}

/* --- Other records ------------------------------------------------------------------------- */

/* Converts the trailer: first as many words as possible, then those that this event has. */
static void swap_trailer(struct perfdata_swap *swap, const struct perfdata_file *file,
			 struct perfdata_record *record, const char *original)
{
	enum { TRAILER_MAX = 6 * sizeof(uint64_t) };
	size_t length = record->length < TRAILER_MAX ? record->length & ~(size_t)7 : TRAILER_MAX;
	const struct sample_layout *layout;
	char words[TRAILER_MAX], *trailer;

	memcpy(words, original + record->length - length, length);
	byte_order_swap(words, length, "*");
	layout = record_owners_find(&swap->owners, file, false, words, length);
	if (!layout || length < layout->trailer.size)
		return;
	trailer = words + length - layout->trailer.size;
	swap_split_word(trailer, layout->trailer.tid);
	swap_split_word(trailer, layout->trailer.cpu);
	memcpy(swap->body + record->length - layout->trailer.size, trailer, layout->trailer.size);
}

/* Converts the body of ATTR: struct perf_event_attr, u64 ids[]. */
static void swap_attr(char *body, size_t length)
{
	struct perf_event_attr attr;
	size_t size = PERF_ATTR_SIZE_VER0;

	if (length < size)
		return;
	memcpy(&attr, body, size);
	if (byte_order_u32(attr.size, true) > size)
		size = byte_order_u32(attr.size, true);
	if (size > length)
		size = length;
	byte_order_swap(body, size, BYTE_ORDER_ATTR);
	byte_order_swap(body + size, length - size, "*");
}

static void swap_other(struct perfdata_swap *swap, struct perfdata_record *record)
{
	const char *layout = "*";

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].type == record->header.type)
			layout = layouts[i].layout;
	byte_order_swap(swap->body, record->length, layout);
}

static void swap_feature(struct perfdata_swap *swap, const struct perfdata_record *record)
{
	uint64_t feature = word_at(record, 0);

	if (feature == PERFDATA_EVENT_DESC && record->length > sizeof(feature))
		byte_order_swap_event_desc(swap->body + sizeof(feature),
					   record->length - sizeof(feature));
}

/* Converts a record of the kernel, which comes after all that describes its events. */
static void swap_kernel_record(struct perfdata_swap *swap, const struct perfdata_file *file,
			       struct perfdata_record *record, const char *original)
{
	if (!file->attr_count)
		return;
	record_owners_update(&swap->owners, file);
	if (record->header.type == PERF_RECORD_SAMPLE) {
		swap_sample(swap, file, record, original);
	} else {
		swap_other(swap, record);
		swap_trailer(swap, file, record, original);
	}
}

void perfdata_swap_record(struct perfdata_swap *swap, const struct perfdata_file *file,
			  struct perfdata_record *record)
{
	const char *original = record->body;

	if (record->length > sizeof(swap->body))
		return; /* no record, but data behind one */
	memcpy(swap->body, original, record->length);
	record->body = swap->body;
	if (record->header.type < PERFDATA_RECORD_USER) {
		swap_kernel_record(swap, file, record, original);
	} else if (record->header.type == PERFDATA_RECORD_ATTR) {
		swap_attr(swap->body, record->length);
	} else {
		swap_other(swap, record);
		if (record->header.type == PERFDATA_RECORD_FEATURE)
			swap_feature(swap, record);
	}
}
