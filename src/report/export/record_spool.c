/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/record_spool.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPOOL_BLOCK_RECORDS = 64 };

/* Blocks of a list stand anywhere in the file, each behind the place of the next one. */
struct spool_list {
	uint64_t count;
	off_t first, place; /* of the block that is being filled */
	char *block;	    /* in front of the records: the place of the next one */
};

struct record_spool {
	int fd;
	size_t record_size, block_size;
	off_t end;
	struct spool_list *lists;
	size_t list_count, list_capacity;
	int problem; /* errno; 0: none */
};

struct record_spool *record_spool_new(size_t record_size, struct err *err)
{
	int fd = scratch_file_open(err);
	struct record_spool *spool;

	if (fd < 0)
		return NULL;
	spool = xcalloc(1, sizeof(*spool));
	spool->fd = fd;
	spool->record_size = record_size;
	spool->block_size = sizeof(off_t) + SPOOL_BLOCK_RECORDS * record_size;
	return spool;
}

void record_spool_free(struct record_spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->list_count; i++)
		free(spool->lists[i].block);
	free(spool->lists);
	close(spool->fd);
	free(spool);
}

static off_t take_place(struct record_spool *spool)
{
	off_t place = spool->end;

	spool->end += (off_t)spool->block_size;
	return place;
}

static void write_block(struct record_spool *spool, struct spool_list *list, off_t next)
{
	ssize_t written;

	memcpy(list->block, &next, sizeof(next));
	errno = ENOSPC;
	written = pwrite(spool->fd, list->block, spool->block_size, list->place);
	if (written != (ssize_t)spool->block_size && !spool->problem)
		spool->problem = errno;
	list->place = next;
}

void record_spool_add(struct record_spool *spool, size_t number, const void *record)
{
	struct spool_list *list;

	array_reserve(&spool->lists, &spool->list_capacity, number + 1);
	if (number >= spool->list_count)
		spool->list_count = number + 1;
	list = &spool->lists[number];
	if (!list->block) {
		list->block = xcalloc(1, spool->block_size);
		list->first = list->place = take_place(spool);
	} else if (list->count % SPOOL_BLOCK_RECORDS == 0) {
		write_block(spool, list, take_place(spool));
	}
	memcpy(list->block + sizeof(off_t) + list->count % SPOOL_BLOCK_RECORDS * spool->record_size,
	       record, spool->record_size);
	list->count++;
}

int record_spool_check(const struct record_spool *spool, struct err *err)
{
	if (!spool->problem)
		return 0;
	return err_set(err, "a temporary file cannot be written: %s; TMPDIR names its directory",
		       strerror(spool->problem));
}

uint64_t record_spool_count(const struct record_spool *spool, size_t list)
{
	return list < spool->list_count ? spool->lists[list].count : 0;
}

static int read_block(const struct record_spool *spool, char *block, off_t place, struct err *err)
{
	if (pread(spool->fd, block, spool->block_size, place) == (ssize_t)spool->block_size)
		return 0;
	return err_set(err, "a temporary file cannot be read: %s", strerror(errno));
}

int record_spool_each(struct record_spool *spool, size_t number,
		      void (*take)(void *context, const void *record), void *context,
		      struct err *err)
{
	uint64_t count = record_spool_count(spool, number);
	char *block = xcalloc(1, spool->block_size);
	off_t place = count ? spool->lists[number].first : 0;
	int rc = 0;

	for (uint64_t i = 0; i < count && !rc; i++) {
		size_t at = i % SPOOL_BLOCK_RECORDS;

		if (!at && place == spool->lists[number].place)
			memcpy(block, spool->lists[number].block, spool->block_size);
		else if (!at)
			rc = read_block(spool, block, place, err);
		if (rc)
			break;
		if (!at)
			memcpy(&place, block, sizeof(place));
		take(context, block + sizeof(off_t) + at * spool->record_size);
	}
	free(block);
	return rc;
}
