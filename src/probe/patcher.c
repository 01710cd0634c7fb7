/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/patcher.h"

#include "probe/block_entry.h"
#include "probe/patch_plan.h"
#include "probe/process_files.h"
#include "probe/spool.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The parts of a plan. */
struct plan {
	const struct plan_object *objects;
	const struct plan_patch *patches;
	const char *texts;
	uint32_t object_count, patch_count, text_bytes;
	size_t applied;
};

/* --- Places within reach ------------------------------------------------------------------- */

/*
 * What a watched function has of its own, near to it:
 *
 *	push %r11; mov block, %r11; call *stub(%rip); pop %r11; what is moved; jmp behind it there
 */
struct thunk {
	uint64_t stub;
	uint8_t code[20 + PLAN_MOVED_MAX + 5];
};

enum { JUMP_BYTES = 5, JUMP_OPCODE = 0xe9 };

/* A jump of 32 bits, from any place to any other of this object and its thunks. */
#define REACH (UINT64_C(1) << 30)

/* The end of the highest gap of `size` bytes below `begin`, as /proc/self/maps shows it; or 0. */
static uint64_t find_gap(uint64_t begin, uint64_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t from, to, last = 0x10000, found = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue; /* the rest of a long line */
		if (from > begin)
			break;
		if (from >= last + size && begin - (from - size) < REACH)
			found = from;
		last = to;
	}
	if (maps)
		fclose(maps);
	return found;
}

static struct thunk *map_thunks(uint64_t base, size_t count)
{
	size_t size = (count * sizeof(struct thunk) + 0xfff) & ~(size_t)0xfff;
	uint64_t end = find_gap(base, size);
	void *at;

	if (!end)
		return NULL;
	at = mmap((void *)(uintptr_t)(end - size), size, PROT_READ | PROT_WRITE | PROT_EXEC,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* --- One function -------------------------------------------------------------------------- */

static bool put_displacement(uint8_t *at, uint64_t target, uint64_t end)
{
	int64_t distance = (int64_t)(target - end);
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return false;
	memcpy(at, &displacement, sizeof(displacement));
	return true;
}

static bool put_jump(uint8_t *at, uint64_t runs_at, uint64_t target)
{
	at[0] = JUMP_OPCODE;
	return put_displacement(at + 1, target, runs_at + JUMP_BYTES);
}

static void put_call(struct thunk *thunk, uint64_t block)
{
	static const uint8_t code[] = {0x41, 0x53, 0x49, 0xbb, 0, 0, 0, 0, 0,	 0,
				       0,    0,	   0xff, 0x15, 0, 0, 0, 0, 0x41, 0x5b};
	int32_t to_stub =
		(int32_t)(offsetof(struct thunk, stub) - offsetof(struct thunk, code) - 18);

	thunk->stub = (uintptr_t)probe_stub_enter;
	memcpy(thunk->code, code, sizeof(code));
	memcpy(thunk->code + 4, &block, 8);
	memcpy(thunk->code + 14, &to_stub, 4);
}

static bool put_moved(struct thunk *thunk, const struct plan_patch *patch, uint64_t base)
{
	uint8_t *moved = thunk->code + 20;
	uint64_t runs_at = (uintptr_t)moved;

	memcpy(moved, patch->moved, patch->moved_length);
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (!put_displacement(moved + patch->fixups[i].at, base + patch->fixups[i].target,
				      runs_at + patch->fixups[i].end))
			return false;
	return put_jump(moved + patch->moved_length, runs_at + patch->moved_length,
			base + patch->address + patch->length);
}

static bool is_sound(const struct plan_patch *patch, uint32_t text_bytes)
{
	if (patch->length < JUMP_BYTES || patch->length > PLAN_MOVED_MAX ||
	    patch->moved_length > PLAN_MOVED_MAX || patch->fixup_count > PLAN_FIXUPS_MAX ||
	    patch->name >= text_bytes)
		return false;
	for (size_t i = 0; i < patch->fixup_count; i++)
		if (patch->fixups[i].at + 4 > patch->moved_length ||
		    patch->fixups[i].end > patch->moved_length)
			return false;
	return true;
}

static const char *patch_one(struct thunk *thunk, const struct plan_patch *patch, uint64_t base)
{
	uint8_t *entry = (uint8_t *)(uintptr_t)(base + patch->address);
	uint8_t jump[JUMP_BYTES];

	if (memcmp(entry, patch->before, patch->length) != 0)
		return "has other instructions in memory than in its file: it is not recorded";
	put_call(thunk, base + patch->block);
	if (!put_moved(thunk, patch, base) ||
	    !put_jump(jump, (uintptr_t)entry, (uintptr_t)thunk->code))
		return "lies too far from free memory: it is not recorded";
	memcpy(entry, jump, JUMP_BYTES);
	return NULL;
}

/* --- One object ---------------------------------------------------------------------------- */

static int protect(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, int protection)
{
	uint64_t begin = (info->dlpi_addr + segment->p_vaddr) & ~UINT64_C(0xfff);
	uint64_t end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;

	return mprotect((void *)(uintptr_t)begin, end - begin, protection);
}

static const ElfW(Phdr) * find_code(const struct dl_phdr_info *info, uint64_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    address >= segment->p_vaddr &&
		    address + PLAN_MOVED_MAX <= segment->p_vaddr + segment->p_memsz)
			return segment;
	}
	return NULL;
}

/* Nobody runs there meanwhile: there is one thread, and this library is another object. */
static void patch_segment(struct plan *plan, const struct dl_phdr_info *info,
			  const ElfW(Phdr) * segment, const struct plan_patch *patches,
			  size_t count)
{
	struct thunk *thunks = map_thunks(info->dlpi_addr + segment->p_vaddr, count);

	if (!thunks || protect(info, segment, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		probe_process_trouble("its code cannot be changed here: nothing of it is recorded",
				      info->dlpi_name);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *trouble;

		if (!is_sound(&patches[i], plan->text_bytes) ||
		    find_code(info, patches[i].address) != segment)
			continue;
		trouble = patch_one(&thunks[i], &patches[i], info->dlpi_addr);
		if (trouble)
			probe_process_trouble(trouble, plan->texts + patches[i].name);
		else
			plan->applied++;
	}
	protect(info, segment, PROT_READ | PROT_EXEC);
}

/* Patches of one segment stand next to one another in most objects, which have but one. */
static void patch_object(struct plan *plan, const struct dl_phdr_info *info,
			 const struct plan_object *object)
{
	const struct plan_patch *patches = plan->patches + object->first_patch;

	for (size_t i = 0, next; i < object->patch_count; i = next) {
		const ElfW(Phdr) *segment = find_code(info, patches[i].address);

		for (next = i + 1; next < object->patch_count; next++)
			if (find_code(info, patches[next].address) != segment)
				break;
		if (segment)
			patch_segment(plan, info, segment, patches + i, next - i);
	}
}

static bool is_same(const struct plan_object *object, const char *path)
{
	struct stat file;

	return stat(*path ? path : "/proc/self/exe", &file) == 0 && file.st_dev == object->device &&
	       file.st_ino == object->inode &&
	       (uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec ==
		       object->mtime_ns;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct plan *plan = context;

	(void)size;
	for (uint32_t i = 0; i < plan->object_count; i++) {
		const struct plan_object *object = &plan->objects[i];

		if (object->first_patch <= plan->patch_count &&
		    object->patch_count <= plan->patch_count - object->first_patch &&
		    is_same(object, info->dlpi_name))
			patch_object(plan, info, object);
	}
	return 0;
}

size_t patcher_apply(const struct plan_header *header, size_t length)
{
	struct plan plan = {
		.object_count = header->object_count,
		.patch_count = header->patch_count,
		.text_bytes = header->text_bytes,
	};
	size_t objects = plan.object_count * sizeof(*plan.objects);
	size_t patches = plan.patch_count * sizeof(*plan.patches);

	if (sizeof(*header) + objects + patches + plan.text_bytes != length)
		return 0;
	plan.objects = (const void *)(header + 1);
	plan.patches = (const void *)((const char *)plan.objects + objects);
	plan.texts = (const char *)plan.patches + patches;
	if (!plan.text_bytes || plan.texts[plan.text_bytes - 1])
		return 0;
	dl_iterate_phdr(look_at, &plan);
	return plan.applied;
}
