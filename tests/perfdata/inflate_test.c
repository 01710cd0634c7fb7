/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/inflate.h"

#include "base/alloc.h"
#include "decode/recording_bytes.h"
#include "support.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

static void add_record(struct bytes *bytes, uint32_t type, uint16_t size)
{
	const struct perf_event_header header = {type, 0, size};
	char *body = xcalloc(size, 1);

	put(bytes, &header, sizeof(header));
	put(bytes, body, size - sizeof(header));
	free(body);
}

/* Frees `plain`; the caller frees the result. */
static struct bytes packed(struct bytes *plain)
{
	struct bytes result = {.capacity = ZSTD_compressBound(plain->count)};

	result.at = xcalloc(result.capacity, 1);
	result.count = ZSTD_compress(result.at, result.capacity, plain->at, plain->count, 1);
	free(plain->at);
	return result;
}

static void check_record(const char *record, uint32_t type, uint16_t size)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	assert_int_equal(header.type, type);
	assert_int_equal(header.size, size);
}

static void records_of_all_sizes_come_out_whole(void **state)
{
	static const uint16_t sizes[] = {8, 65528, 16, 65535, 9, 65528, 40};
	const size_t count = sizeof(sizes) / sizeof(sizes[0]);
	struct inflate *inflate = inflate_new(false);
	struct bytes plain = {0}, payload;
	size_t seen = 0;
	const char *record;

	(void)state;
	for (size_t i = 0; i < count; i++)
		add_record(&plain, (uint32_t)i, sizes[i]);
	payload = packed(&plain);
	for (size_t at = 0; at < payload.count; at++) { /* byte by byte */
		int rc;

		inflate_feed(inflate, payload.at + at, 1);
		while ((rc = inflate_next(inflate, &record)) > 0) {
			check_record(record, (uint32_t)seen, sizes[seen]);
			seen++;
		}
		assert_int_equal(rc, 0);
	}
	assert_int_equal(seen, count);
	assert_false(inflate_has_rest(inflate));
	inflate_free(inflate);
	free(payload.at);
}

/* A small payload that unpacks to a lot is unpacked as it is read. */
static void a_lot_from_little_takes_no_memory(void **state)
{
	enum { RECORDS = 100000 };
	struct inflate *inflate = inflate_new(false);
	struct bytes plain = {0}, payload;
	size_t seen = 0;
	const char *record;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		add_record(&plain, 7, 1000);
	payload = packed(&plain);
	assert_true(payload.count < 20000);
	inflate_feed(inflate, payload.at, payload.count);
	while (inflate_next(inflate, &record) > 0)
		seen++;
	assert_int_equal(seen, RECORDS);
	inflate_free(inflate);
	free(payload.at);
}

static void what_is_no_zstd_or_no_record_is_damage(void **state)
{
	static const uint16_t sizes[] = {0, 7};
	struct inflate *inflate = inflate_new(false);
	const char *record;

	(void)state;
	inflate_feed(inflate, "no zstd at all", 14);
	assert_int_equal(inflate_next(inflate, &record), -1);
	inflate_free(inflate);
	for (size_t i = 0; i < 2; i++) {
		const struct perf_event_header header = {1, 0, sizes[i]};
		struct bytes plain = {0}, payload;

		put(&plain, &header, sizeof(header));
		payload = packed(&plain);
		inflate = inflate_new(false);
		inflate_feed(inflate, payload.at, payload.count);
		assert_int_equal(inflate_next(inflate, &record), -1);
		inflate_free(inflate);
		free(payload.at);
	}
}

static void half_a_record_is_a_rest(void **state)
{
	struct inflate *inflate = inflate_new(false);
	struct bytes plain = {0}, payload;
	const char *record;

	(void)state;
	add_record(&plain, 1, 16);
	add_record(&plain, 2, 16);
	plain.count -= 9;
	payload = packed(&plain);
	inflate_feed(inflate, payload.at, payload.count);
	assert_int_equal(inflate_next(inflate, &record), 1);
	check_record(record, 1, 16);
	assert_int_equal(inflate_next(inflate, &record), 0);
	assert_true(inflate_has_rest(inflate));
	inflate_free(inflate);
	free(payload.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_all_sizes_come_out_whole),
		cmocka_unit_test(a_lot_from_little_takes_no_memory),
		cmocka_unit_test(what_is_no_zstd_or_no_record_is_damage),
		cmocka_unit_test(half_a_record_is_a_rest),
	};

	return RUN_TESTS(tests);
}
