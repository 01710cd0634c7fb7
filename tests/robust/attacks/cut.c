/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Truncates its file of events, in each possible way, while the recorder reads it. */
#include "attack.h"

#include <sys/stat.h>

enum { WINDOWS = 64, MS = 500 };

static void punch(int fd, uint64_t bytes)
{
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SPOOL_HEADER_BYTES,
		  (off_t)(bytes - SPOOL_HEADER_BYTES));
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes);
	fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, SPOOL_WINDOW);
}

/* By the kernel's name of the mapping, which may be another open file. */
static void cut_mapping(const void *at, uint64_t bytes)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)at,
		 (unsigned long)at + bytes);
	fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, 0) == 0)
		puts("cut");
	if (fd >= 0)
		close(fd);
}

/* In the middle of a window, where the recorder waits for the next event. */
static void cut_waiting(void)
{
	struct spool_header *header;
	int fd;

	header = attack_thread(&fd, getpid(), 1, 2);
	attack_window(header, 0)[0] =
		(struct spool_record){monotonic_ns(), spool_word(SPOOL_ENTER, 0x1000, 0)};
	attack_turn(header, 1);
	usleep(100000);
	(void)!ftruncate(fd, 0);
	usleep(100000);
	close(fd);
}

int main(void)
{
	const uint64_t bytes = SPOOL_HEADER_BYTES + (uint64_t)WINDOWS * SPOOL_WINDOW;
	uint64_t begin_ns;
	struct spool_header *header;
	char path[64];
	int fd, again;

	attack_begin();
	cut_waiting();
	begin_ns = monotonic_ns();
	header = attack_thread(&fd, getpid(), 1, WINDOWS);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (uint64_t turned = 1; attack_goes_on(begin_ns, MS); turned++) {
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL);
		attack_fill(header, turned % WINDOWS, monotonic_ns(), 0x1000, 16);
		header->windows[turned % SPOOL_WINDOWS] = (uint32_t)(turned % WINDOWS);
		attack_turn(header, turned);
		if (turned % 4)
			continue;
		if (ftruncate(fd, 0) == 0 || truncate(path, 0) == 0)
			sleep(1); /* the mapped memory is gone: now the recorder meets the fault */
		again = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
		if (again >= 0)
			close(again);
		cut_mapping(header, bytes);
		if (turned % 64 == 0)
			punch(fd, bytes);
	}
	return 0;
}
