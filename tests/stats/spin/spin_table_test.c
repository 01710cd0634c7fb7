/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/spin_table.h"

#include "support.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID = 100 };
#define BEGIN 0x7f0000000000ULL

/* A header, then a loop that waits and one that works. */
static const char *make_file(uint16_t machine)
{
	static const uint8_t loops[] = {
		0xf3, 0x90, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8, /* pause; mov; test; je */
		0xff, 0xc0, 0x39, 0xc8, 0x75, 0xfa, 0xc3,	/* inc; cmp; jne; ret */
	};
	Elf64_Ehdr header = {.e_machine = machine};
	uint8_t bytes[sizeof(header) + sizeof(loops)];

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), loops, sizeof(loops));
	return file_with(bytes, sizeof(bytes));
}

#define CODE_AT(offset) (BEGIN + sizeof(Elf64_Ehdr) + (offset))

static const struct counted_thread threads[] = {{101, PID, 0}, {102, PID, 0}};

static struct sampled rows[] = {
	{PID, 101, CODE_AT(0), 10, 30, SAMPLED_USER, 0}, /* waits */
	{PID, 101, CODE_AT(8), 10, 50, SAMPLED_USER, 0}, /* works */
	{PID, 101, 0, 10, 20, SAMPLED_KERNEL, 0},
	{PID, 102, CODE_AT(4), 10, 5, SAMPLED_USER, 0},	  /* waits */
	{PID, 102, 0x1000, 10, 15, SAMPLED_USER, 0},	  /* no mapping there */
	{PID, 103, CODE_AT(0), 10, 900, SAMPLED_USER, 0}, /* not a thread of the target */
};

static void table_of(struct spin_table *table, struct mapped map)
{
	const struct samples samples = {
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(rows[0]),
		.maps = &map,
		.map_count = 1,
	};

	spin_table_init(table, &samples, threads, 2);
}

static struct mapped whole_file(char *path, uint64_t inode)
{
	return (struct mapped){
		.pid = PID, .begin = BEGIN, .end = BEGIN + 0x1000, .inode = inode, .path = path};
}

static void assert_share(const struct spin_share *share, uint64_t samples, uint64_t waiting,
			 uint64_t unknown)
{
	assert_int_equal(share->samples, samples);
	assert_int_equal(share->waiting, waiting);
	assert_int_equal(share->unknown, unknown);
}

static void each_thread_has_its_share(void **state)
{
	char *path = strdup(make_file(EM_X86_64));
	struct spin_table table;
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	table_of(&table, whole_file(path, status.st_ino));
	assert_share(&table.threads[0], 100, 30, 0);
	assert_share(&table.threads[1], 20, 5, 15);
	assert_share(&table.all, 120, 35, 15);
	assert_close(spin_share_estimate(&table.threads[0]).value, .3, 1e-12);
	assert_close(spin_share_estimate(&table.threads[0]).error, sqrt(.3 * .7 / 100), 1e-12);
	assert_close(spin_share_estimate(&table.threads[1]).unknown, .75, 1e-12);
	spin_table_release(&table);
	free(path);
}

/* All samples except those in the kernel. */
static void assert_unknown(char *path, uint64_t inode)
{
	struct spin_table table;

	table_of(&table, whole_file(path, inode));
	assert_share(&table.all, 120, 0, 100);
	spin_table_release(&table);
}

/* The table keeps one file open at a time. */
static void code_that_cannot_be_read_is_unknown(void **state)
{
	char *path = strdup(make_file(EM_RISCV));
	struct stat status;

	(void)state;
	assert_unknown(path, 0);
	make_file(EM_X86_64);
	assert_int_equal(stat(path, &status), 0);
	assert_unknown(path, status.st_ino + 1); /* another file has the path now */
	assert_int_equal(unlink(path), 0);
	assert_unknown(path, 0);
	assert_unknown((char[]){"/"}, 0);
	assert_unknown(NULL, 0);
	free(path);
}

static void code_is_found_only_where_it_is_mapped(void **state)
{
	char *path = strdup(make_file(EM_X86_64));
	struct mapped map = whole_file(path, 0);
	struct spin_table table;

	(void)state;
	map.begin = CODE_AT(0);
	map.offset = map.begin - BEGIN;
	table_of(&table, map);
	assert_share(&table.all, 120, 35, 15);
	spin_table_release(&table);
	map.end = CODE_AT(6); /* without the branch back, the pause shows the wait */
	table_of(&table, map);
	assert_share(&table.all, 120, 30, 65);
	spin_table_release(&table);
	free(path);
}

static void without_samples_the_table_is_empty(void **state)
{
	const struct samples none = {0};
	struct spin_table table;

	(void)state;
	spin_table_init(&table, &none, threads, 2);
	assert_share(&table.all, 0, 0, 0);
	assert_true(isnan(spin_share_estimate(&table.all).value));
	assert_true(isnan(spin_share_estimate(&table.all).error));
	assert_null(table.threads);
	assert_true(isnan(spin_share_estimate(&table.all).unknown));
	spin_table_release(&table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_thread_has_its_share),
	cmocka_unit_test(code_that_cannot_be_read_is_unknown),
	cmocka_unit_test(code_is_found_only_where_it_is_mapped),
	cmocka_unit_test(without_samples_the_table_is_empty),
};

TEST_FILE(tests);
