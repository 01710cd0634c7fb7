/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/patcher.h"

#include "probe/block_entry.h"
#include "probe/patch_plan.h"
#include "probe/process_notes.h"
#include "probe/raw_call.h"
#include "probe/spool.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* --- Memory with instructions --------------------------------------------------------------- */

/*
 * Memory with instructions, never both writable and executable. Instructions of the program are not
 * changed in place: a changed copy replaces their pages, as memory of the process instead of the
 * file. So the same functions may be probed from outside, for the whole system: in a file's memory
 * the kernel would put its breakpoint on our jump, and then emulate the instruction of the file,
 * which is another one (kernel/events/uprobes.c, valid_vma() and prepare_uprobe()).
 */

enum { CODE_PAGES_KNOWN = 64 };

/* Pages of the program, and the copy that will replace them. */
struct code_pages {
	uint64_t begin, end;
	uint8_t *copy; /* of the pages from `begin` on, writable */
	long pagemap;
	uint64_t known[CODE_PAGES_KNOWN]; /* entries of /proc/self/pagemap ... */
	uint64_t first;			  /* ... from this page on; 0: none yet */
};

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* Linux 4.17 */
#endif

enum { PAGE = 4096 };

/* The reach of a jump of 32 bits, with some room beside its ends. */
#define REACH (UINT64_C(0x7f) << 24)

/* The lowest page of programs (vm.mmap_min_addr). */
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
	uint8_t bytes[1024]; /* small, as it is on a stack of the program */
};

/* Returns the next byte; -1: the end. */
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

/* Returns a hexadecimal number; *end is the character behind it. */
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
 * Returns the highest gap below `begin`, or else the lowest one above `end`, far enough for a heap
 * there to grow; 0: none is within reach.
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

/* Maps memory for code. Its protections are tried first, as later nothing could be undone. */
static void *code_memory_map(uint64_t begin, uint64_t end, size_t bytes)
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

/* Makes the memory executable and no longer writable. False: that failed. */
static bool code_memory_seal(void *at, size_t bytes)
{
	return protect((uintptr_t)at, (uintptr_t)at + bytes, PROT_READ | PROT_EXEC);
}

/* --- Instructions of the program ----------------------------------------------------------- */

/* Bits of an entry of /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst). */
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

/* Returns whether a page was written: it is memory of the process then, not of the file. */
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

/* Copies the pages of `begin` .. `end`, which are readable. False: the system does not allow it. */
static bool code_pages_copy(struct code_pages *pages, uint64_t begin, uint64_t end)
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

/*
 * Returns whether the pages of these bytes were changed, for example by the kernel for its probes.
 * It looks for its breakpoints only in the file's memory, so such pages stay as they are.
 */
static bool code_pages_are_changed(struct code_pages *pages, uint64_t at, size_t length)
{
	for (uint64_t page = page_begin(at); page < at + length; page += PAGE)
		if (is_changed(pages, page))
			return true;
	return false;
}

/* Returns the first page from `begin` on that was changed. */
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

/*
 * Replaces the pages by the copy, except those that were changed before, with the protection
 * `flags` (PF_R, PF_W, PF_X), and releases `pages`. False: some pages were not replaced.
 */
static bool code_pages_put(struct code_pages *pages, uint32_t flags)
{
	int protection = (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
			 (flags & PF_X ? PROT_EXEC : 0);
	uint64_t copy = (uintptr_t)pages->copy, bytes = pages->end - pages->begin;
	bool done = protect(copy, copy + bytes, protection);

	for (uint64_t begin = pages->begin, end; done && begin < pages->end; begin = end + PAGE) {
		end = find_changed(pages, begin);
		done = move(pages, begin, end);
	}
	raw_call(SYS_munmap, (long)copy, (long)bytes, 0, 0, 0, 0); /* what was not moved */
	close_self(pages->pagemap);
	return done;
}

/* --- Thunks --------------------------------------------------------------------------------- */

/*
 * The code of one watched function, near to it:
 *
 *	push %r11; mov block, %r11; call *stub(%rip); pop %r11; moved code; jmp behind the entry
 */

enum { JUMP_BYTES = 5, THUNK_CALL_BYTES = 20 };

struct thunk {
	uint64_t stub;
	uint8_t code[THUNK_CALL_BYTES + PLAN_MOVED_MAX + JUMP_BYTES];
};

enum { JUMP_OPCODE = 0xe9 };

static void put_bytes(uint8_t *to, const void *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = ((const uint8_t *)from)[i];
}

static bool put_displacement(uint8_t *at, uint64_t target, uint64_t end)
{
	int64_t distance = (int64_t)(target - end);
	int32_t displacement = (int32_t)distance;

	put_bytes(at, &displacement, sizeof(displacement));
	return displacement == distance;
}

/* Writes a jump that runs at the address `runs_at`. False: the target is too far away. */
static bool thunk_put_jump(uint8_t jump[JUMP_BYTES], uint64_t runs_at, uint64_t target)
{
	jump[0] = JUMP_OPCODE;
	return put_displacement(jump + 1, target, runs_at + JUMP_BYTES);
}

static void put_call(struct thunk *thunk, uint64_t block)
{
	static const uint8_t code[THUNK_CALL_BYTES] = {
		0x41, 0x53, 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x15, 0, 0, 0, 0, 0x41, 0x5b};
	int32_t to_stub =
		(int32_t)(offsetof(struct thunk, stub) - offsetof(struct thunk, code) - 18);

	thunk->stub = (uintptr_t)probe_stub_enter;
	put_bytes(thunk->code, code, sizeof(code));
	put_bytes(thunk->code + 4, &block, 8);
	put_bytes(thunk->code + 14, &to_stub, 4);
}

/* Makes a thunk for an object loaded at `base`. False: something is too far away. */
static bool thunk_make(struct thunk *thunk, const struct plan_patch *patch, uint64_t base)
{
	uint8_t *moved = thunk->code + THUNK_CALL_BYTES;
	uint64_t runs_at = (uintptr_t)moved;

	put_call(thunk, base + patch->block);
	put_bytes(moved, patch->moved, patch->moved_length);
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (!put_displacement(moved + patch->fixups[i].at, base + patch->fixups[i].target,
				      runs_at + patch->fixups[i].end))
			return false;
	return thunk_put_jump(moved + patch->moved_length, runs_at + patch->moved_length,
			      base + patch->address + patch->length);
}

/* The parts of a plan. */
struct plan {
	const struct plan_object *objects;
	const struct plan_patch *patches;
	const char *texts;
	uint32_t object_count, patch_count, text_bytes;
	size_t applied;
};

/* The distance up to which pages are changed together: copying the pages between them is faster. */
enum { NEAR_BYTES = 8 * 4096 };

/* A segment of a program or a library that is being changed. */
struct place {
	const struct dl_phdr_info *info;
	const ElfW(Phdr) * segment;
};

/* --- One function -------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *begin)
{
	while (*begin && *text == *begin)
		text++, begin++;
	return !*begin;
}

/* Returns whether GCC has moved this code out of a function as unlikely, which jumps to it. */
static bool is_cold_part(const char *name)
{
	for (; *name; name++)
		if (begins_with(name, ".cold"))
			return true;
	return false;
}

/* Returns whether a function returns twice: its caller would come back to another call's place. */
static bool returns_twice(const char *name)
{
	static const char *const names[] = {"setjmp",	   "_setjmp", "__setjmp", "sigsetjmp",
					    "__sigsetjmp", "vfork",   "__vfork",  "__libc_vfork",
					    "getcontext",  "savectx"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins_with(name, names[i]) && begins_with(names[i], name))
			return true;
	return false;
}

static bool is_as_planned(const struct plan_patch *patch, const uint8_t *entry)
{
	for (size_t i = 0; i < patch->length; i++)
		if (entry[i] != patch->before[i])
			return false;
	return true;
}

static bool lies_in(const struct plan_patch *patch, const ElfW(Phdr) * segment)
{
	return patch->address >= segment->p_vaddr &&
	       patch->address + patch->length <= segment->p_vaddr + segment->p_memsz;
}

static const char *patch_one(const struct place *place, struct code_pages *pages,
			     struct thunk *thunk, const struct plan_patch *patch, const char *name)
{
	uint64_t base = place->info->dlpi_addr, entry = base + patch->address;
	uint8_t jump[JUMP_BYTES];

	if (!lies_in(patch, place->segment))
		return "is not in the code of its file: it is not recorded";
	if (is_cold_part(name))
		return "is part of a function: it is not recorded";
	if (returns_twice(name))
		return "may return more than once: it is not recorded";
	if (!is_as_planned(patch, (const uint8_t *)(uintptr_t)entry))
		return "has other instructions in memory than in its file: it is not recorded";
	if (code_pages_are_changed(pages, entry, patch->length))
		return "is on a page of memory that something else changed, as the kernel's probes "
		       "do: it is not recorded";
	if (!thunk_make(thunk, patch, base) || !thunk_put_jump(jump, entry, (uintptr_t)thunk->code))
		return "is too far from free memory: it is not recorded";
	put_bytes(pages->copy + (entry - pages->begin), jump, JUMP_BYTES);
	return NULL;
}

/* --- One object ---------------------------------------------------------------------------- */

static void refuse_object(const struct place *place)
{
	const char *path = place->info->dlpi_name;

	probe_process_trouble("its code cannot be changed here: nothing of it is recorded",
			      *path ? path : "the program");
}

/* Returns the number of patches in a row that are near to the ones before them. */
static size_t count_near(const struct plan_patch *patches, size_t count)
{
	size_t i = 1;

	while (i < count && patches[i].address > patches[i - 1].address &&
	       patches[i].address - patches[i - 1].address < NEAR_BYTES)
		i++;
	return i;
}

static bool patch_pages(struct plan *plan, const struct place *place, struct thunk *thunks,
			const struct plan_patch *patches, size_t count)
{
	uint64_t base = place->info->dlpi_addr;
	uint64_t end = patches[count - 1].address + patches[count - 1].length;
	uint64_t segment_end = place->segment->p_vaddr + place->segment->p_memsz;
	struct code_pages pages;
	size_t made = 0;

	if (!code_pages_copy(&pages, base + patches[0].address,
			     base + (end < segment_end ? end : segment_end)))
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *name = plan->texts + patches[i].name;
		const char *trouble = patch_one(place, &pages, &thunks[i], &patches[i], name);

		if (trouble)
			probe_process_trouble(trouble, name);
		else
			made++;
	}
	if (!code_pages_put(&pages, place->segment->p_flags))
		return false;
	plan->applied += made;
	return true;
}

/*
 * Patches a segment. Thunks are not executable before all of them are written, and no thread runs
 * where jumps lead to them meanwhile: there is one thread, no signal, and this library calls
 * nothing of the C library here.
 */
static void patch_segment(struct plan *plan, struct place *place, const struct plan_patch *patches,
			  size_t count)
{
	uint64_t begin = place->info->dlpi_addr + place->segment->p_vaddr;
	uint64_t end = begin + place->segment->p_memsz;
	struct thunk *thunks = code_memory_map(begin, end, count * sizeof(*thunks));
	bool done = thunks != NULL;

	for (size_t i = 0, near; done && i < count; i += near) {
		near = count_near(patches + i, count - i);
		done = patch_pages(plan, place, thunks + i, patches + i, near);
	}
	if (!done)
		refuse_object(place);
	if (thunks)
		code_memory_seal(thunks, count * sizeof(*thunks));
}

static const ElfW(Phdr) * find_code(const struct dl_phdr_info *info, uint64_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    segment->p_flags & PF_R && address >= segment->p_vaddr &&
		    address < segment->p_vaddr + segment->p_memsz)
			return segment;
	}
	return NULL;
}

/* Patches an object. Patches of one segment are in a row, and most objects have only one. */
static void patch_object(struct plan *plan, const struct dl_phdr_info *info,
			 const struct plan_object *object)
{
	const struct plan_patch *patches = plan->patches + object->first_patch;

	for (size_t i = 0, next; i < object->patch_count; i = next) {
		struct place place = {info, find_code(info, patches[i].address)};

		for (next = i + 1; next < object->patch_count; next++)
			if (find_code(info, patches[next].address) != place.segment)
				break;
		if (place.segment)
			patch_segment(plan, &place, patches + i, next - i);
		else
			refuse_object(&place);
	}
}

static bool is_same(const struct plan_object *object, const char *path)
{
	static const char self[] = "/proc/self/exe";
	struct stat file;

	return !raw_call_failed(raw_call(SYS_newfstatat, AT_FDCWD, (long)(*path ? path : self),
					 (long)&file, 0, 0, 0)) &&
	       file.st_dev == object->device && file.st_ino == object->inode &&
	       (uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec ==
		       object->mtime_ns;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct plan *plan = context;

	(void)size;
	for (uint32_t i = 0; i < plan->object_count; i++)
		if (is_same(&plan->objects[i], info->dlpi_name))
			patch_object(plan, info, &plan->objects[i]);
	return 0;
}

/* --- The plan ------------------------------------------------------------------------------ */

static bool is_sound(const struct plan *plan, const struct plan_patch *patch)
{
	if (patch->length < JUMP_BYTES || patch->length > PLAN_MOVED_MAX ||
	    patch->moved_length > PLAN_MOVED_MAX || patch->fixup_count > PLAN_FIXUPS_MAX ||
	    patch->name >= plan->text_bytes)
		return false;
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (patch->fixups[i].at + 4 > patch->moved_length ||
		    patch->fixups[i].end > patch->moved_length)
			return false;
	return true;
}

static bool all_are_sound(const struct plan *plan)
{
	for (size_t i = 0; i < plan->object_count; i++)
		if (plan->objects[i].first_patch > plan->patch_count ||
		    plan->objects[i].patch_count > plan->patch_count - plan->objects[i].first_patch)
			return false;
	for (size_t i = 0; i < plan->patch_count; i++)
		if (!is_sound(plan, &plan->patches[i]))
			return false;
	return true;
}

static bool read_plan(struct plan *plan, const struct plan_header *header, size_t length)
{
	size_t objects = header->object_count * sizeof(*plan->objects);
	size_t patches = header->patch_count * sizeof(*plan->patches);

	*plan = (struct plan){.object_count = header->object_count,
			      .patch_count = header->patch_count,
			      .text_bytes = header->text_bytes};
	if (sizeof(*header) + objects + patches + plan->text_bytes != length)
		return false;
	plan->objects = (const void *)(header + 1);
	plan->patches = (const void *)((const char *)plan->objects + objects);
	plan->texts = (const char *)plan->patches + patches;
	return (!plan->patch_count || (plan->text_bytes && !plan->texts[plan->text_bytes - 1])) &&
	       all_are_sound(plan);
}

size_t patcher_apply(const struct plan_header *header, size_t length)
{
	uint64_t all = ~UINT64_C(0), old = 0;
	struct plan plan;

	if (!read_plan(&plan, header, length)) {
		probe_process_trouble("the list of functions is damaged: none is recorded", NULL);
		return 0;
	}
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	dl_iterate_phdr(look_at, &plan);
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	return plan.applied;
}
