/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/code_memory.h"

#include "probe/raw_call.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17 */
#endif

enum { PAGE = 4096 };

/* A jump of 32 bits, with some room for what lies beside its ends. */
#define REACH (UINT64_C(0x7f) << 24)

/* Lower pages are nobody's (vm.mmap_min_addr). */
#define LOWEST (UINT64_C(1) << 16)

static uint64_t page_begin(uint64_t at)
{
	return at & ~(uint64_t)(PAGE - 1);
}

static uint64_t page_end(uint64_t at)
{
	return page_begin(at + PAGE - 1);
}

static long open_self(const char *path, int flags)
{
	return raw_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0, 0);
}

static void close_self(long fd)
{
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* --- Gaps between mappings ------------------------------------------------------------------ */

/* Reads "BEGIN-END ..." of each line of /proc/self/maps. */
struct maps {
	long fd, length, at;
	uint8_t bytes[1024]; /* on a stack of the program */
};

/* -1: the end. */
static int next_byte(struct maps *maps)
{
	if (maps->at == maps->length) {
		maps->at = 0;
		maps->length = raw_call(SYS_read, maps->fd, (long)maps->bytes, sizeof(maps->bytes),
					0, 0, 0);
		if (maps->length <= 0) {
			maps->length = 0;
			return -1;
		}
	}
	return maps->bytes[maps->at++];
}

/* A number in base 16; *end is what stands behind it. */
static uint64_t next_number(struct maps *maps, int *end)
{
	uint64_t number = 0;
	int byte;

	for (;;) {
		byte = next_byte(maps);
		if (byte >= '0' && byte <= '9')
			number = number << 4 | (uint64_t)(byte - '0');
		else if (byte >= 'a' && byte <= 'f')
			number = number << 4 | (uint64_t)(byte - 'a' + 10);
		else
			break;
	}
	*end = byte;
	return number;
}

static bool next_mapping(struct maps *maps, uint64_t *begin, uint64_t *end)
{
	int byte;

	*begin = next_number(maps, &byte);
	if (byte != '-')
		return false;
	*end = next_number(maps, &byte);
	while (byte != '\n' && byte != -1)
		byte = next_byte(maps);
	return true;
}

/*
 * The highest place below `begin`, or else the lowest one above `end` and so far from it that a
 * heap there can still grow; 0: none is within reach.
 */
static uint64_t find_gap(long fd, uint64_t begin, uint64_t end, uint64_t bytes)
{
	struct maps maps = {.fd = fd};
	uint64_t last = LOWEST, below = 0, above = 0, from, to;

	while (!above && next_mapping(&maps, &from, &to)) {
		if (from <= begin && from >= last + bytes && end - (from - bytes) < REACH)
			below = from - bytes;
		if (last >= end && from >= last + bytes && from - begin < REACH)
			above = from - bytes;
		last = to;
	}
	return below ? below : above;
}

static void *map_at(uint64_t at, size_t bytes)
{
	long result = at ? raw_call(SYS_mmap, (long)at, (long)bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
			 : -1;

	if (raw_call_failed(result))
		return NULL;
	if ((uint64_t)result == at)
		return (void *)result; // NOLINT: an address
	raw_call(SYS_munmap, result, (long)bytes, 0, 0, 0, 0);
	return NULL;
}

static bool protect(uint64_t begin, uint64_t end, int protection)
{
	return !raw_call_failed(raw_call(SYS_mprotect, (long)page_begin(begin),
					 (long)(page_end(end) - page_begin(begin)), protection, 0,
					 0, 0));
}

/* It is tried out first, as nothing could be undone later. */
void *code_memory_map(uint64_t begin, uint64_t end, size_t bytes)
{
	long fd = open_self("/proc/self/maps", O_RDONLY);
	uint64_t size = page_end(bytes), place = 0;
	void *at;

	if (fd >= 0) {
		place = find_gap(fd, page_begin(begin), page_end(end), size);
		close_self(fd);
	}
	at = map_at(place, size);
	if (!at)
		return NULL;
	if (protect(place, place + size, PROT_READ | PROT_EXEC) &&
	    protect(place, place + size, PROT_READ | PROT_WRITE))
		return at;
	raw_call(SYS_munmap, (long)place, (long)size, 0, 0, 0, 0);
	return NULL;
}

bool code_memory_seal(void *at, size_t bytes)
{
	return protect((uintptr_t)at, (uintptr_t)at + bytes, PROT_READ | PROT_EXEC);
}

/* --- Instructions of the program ----------------------------------------------------------- */

/* Of an entry of /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_OF_FILE (UINT64_C(1) << 61)

static bool look(struct code_pages *pages, uint64_t page)
{
	long got = raw_call(SYS_pread64, pages->pagemap, (long)pages->known, sizeof(pages->known),
			    (long)(page / PAGE * sizeof(pages->known[0])), 0, 0);

	pages->first = got == sizeof(pages->known) ? page : 0;
	return pages->first;
}

/* After a write a private page of a file is memory of the process, and no page of the file. */
static bool is_changed(struct code_pages *pages, uint64_t page)
{
	uint64_t entry;

	if ((!pages->first || page < pages->first ||
	     page - pages->first >= sizeof(pages->known) / sizeof(pages->known[0]) * PAGE) &&
	    !look(pages, page))
		return true;
	entry = pages->known[(page - pages->first) / PAGE];
	return entry & (IS_PRESENT | IS_SWAPPED) && !(entry & IS_OF_FILE);
}

bool code_pages_copy(struct code_pages *pages, uint64_t begin, uint64_t end)
{
	const volatile uint64_t *from;
	volatile uint64_t *to;
	long at;

	pages->begin = page_begin(begin);
	pages->end = page_end(end);
	pages->first = 0;
	pages->pagemap = open_self("/proc/self/pagemap", O_RDONLY);
	if (pages->pagemap < 0)
		return false;
	at = raw_call(SYS_mmap, 0, (long)(pages->end - pages->begin), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw_call_failed(at)) {
		close_self(pages->pagemap);
		return false;
	}
	pages->copy = (uint8_t *)at; // NOLINT: an address
	from = (const volatile uint64_t *)(uintptr_t)pages->begin;
	to = (volatile uint64_t *)(uintptr_t)at;
	for (size_t i = 0; i < (pages->end - pages->begin) / sizeof(*to); i++)
		to[i] = from[i];
	return true;
}

bool code_pages_are_changed(struct code_pages *pages, uint64_t at, size_t length)
{
	for (uint64_t page = page_begin(at); page < at + length; page += PAGE)
		if (is_changed(pages, page))
			return true;
	return false;
}

/* Pages from `begin` on. Returns where the first one stands that stays as it is. */
static uint64_t find_changed(struct code_pages *pages, uint64_t begin)
{
	while (begin < pages->end && !is_changed(pages, begin))
		begin += PAGE;
	return begin;
}

static bool move(const struct code_pages *pages, uint64_t begin, uint64_t end)
{
	uint64_t from = (uintptr_t)pages->copy + (begin - pages->begin);

	return begin == end ||
	       !raw_call_failed(raw_call(SYS_mremap, (long)from, (long)(end - begin),
					 (long)(end - begin), MREMAP_MAYMOVE | MREMAP_FIXED,
					 (long)begin, 0));
}

bool code_pages_put(struct code_pages *pages, uint32_t flags)
{
	int protection = (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
			 (flags & PF_X ? PROT_EXEC : 0);
	uint64_t copy = (uintptr_t)pages->copy, bytes = pages->end - pages->begin;
	bool done = protect(copy, copy + bytes, protection);

	for (uint64_t begin = pages->begin, end; done && begin < pages->end; begin = end + PAGE) {
		end = find_changed(pages, begin);
		done = move(pages, begin, end);
	}
	raw_call(SYS_munmap, (long)copy, (long)bytes, 0, 0, 0, 0); /* what has not moved */
	close_self(pages->pagemap);
	return done;
}
