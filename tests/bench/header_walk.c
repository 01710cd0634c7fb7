/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * header_walk FILE: steps from one record of a perf.data file to the next and prints how many there
 * are. Every reader of the file takes at least these steps, so no reader is faster.
 */
#include "perfdata/perfdata.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

/* Walks over the records at `at`; returns the bytes of the complete ones. */
static size_t walk(const char *at, size_t length, uint64_t *records)
{
	struct perf_event_header header;
	size_t done = 0;

	while (length - done >= sizeof(header)) {
		memcpy(&header, at + done, sizeof(header));
		if (header.size < sizeof(header) || header.size > length - done)
			break;
		done += header.size;
		(*records)++;
	}
	return done;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct perfdata_header header;
	char *chunk = malloc(CHUNK_BYTES);
	uint64_t records = 0, left;
	size_t held = 0;

	if (fd < 0 || !chunk || read(fd, &header, sizeof(header)) != sizeof(header) ||
	    header.magic != PERFDATA_MAGIC || lseek(fd, (off_t)header.data.offset, SEEK_SET) < 0) {
		fputs("Usage: header_walk FILE, a perf.data file of this machine\n", stderr);
		return 2;
	}
	for (left = header.data.size; left > 0;) {
		size_t room = CHUNK_BYTES - held, done;
		ssize_t got = read(fd, chunk + held, left < room ? (size_t)left : room);

		if (got <= 0)
			break;
		left -= (uint64_t)got;
		held += (size_t)got;
		done = walk(chunk, held, &records);
		memmove(chunk, chunk + done, held - done);
		held -= done;
	}
	printf("%llu\n", (unsigned long long)records);
	return left || held;
}
