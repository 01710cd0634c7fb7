/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/patcher.h"

#include "probe/code_memory.h"
#include "probe/patch_plan.h"
#include "probe/process_notes.h"
#include "probe/raw_call.h"
#include "probe/spool.h"
#include "probe/thunk.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The parts of a plan. */
struct plan {
	const struct plan_object *objects;
	const struct plan_patch *patches;
	const char *texts;
	uint32_t object_count, patch_count, text_bytes;
	size_t applied;
};

/* Pages this near to one another are changed together: to copy some more of them is faster. */
enum { NEAR_BYTES = 8 * 4096 };

/* A part of a program or a library while it is changed. */
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

/* GCC moves what is unlikely to be run into a symbol of its own, which is jumped to. */
static bool is_cold_part(const char *name)
{
	for (; *name; name++)
		if (begins_with(name, ".cold"))
			return true;
	return false;
}

/* Their callers would come back to what has meanwhile become another call's. */
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

static void put_bytes(uint8_t *to, const uint8_t *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = from[i];
}

static const char *patch_one(const struct place *place, struct code_pages *pages,
			     struct thunk *thunk, const struct plan_patch *patch, const char *name)
{
	uint64_t base = place->info->dlpi_addr, entry = base + patch->address;
	uint8_t jump[JUMP_BYTES];

	if (!lies_in(patch, place->segment))
		return "is not among the instructions of its file: it is not recorded";
	if (is_cold_part(name))
		return "is a part of a function: it is not recorded";
	if (returns_twice(name))
		return "may return more than once: it is not recorded";
	if (!is_as_planned(patch, (const uint8_t *)(uintptr_t)entry))
		return "has other instructions in memory than in its file: it is not recorded";
	if (code_pages_are_changed(pages, entry, patch->length))
		return "stands on a page of memory that something else has changed, as the "
		       "kernel's probes do: it is not recorded";
	if (!thunk_make(thunk, patch, base) || !thunk_put_jump(jump, entry, (uintptr_t)thunk->code))
		return "lies too far from free memory: it is not recorded";
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

/* How many of the patches are near to the ones before them. */
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
 * Thunks are no instructions before all of them are written, and nobody runs where they are jumped
 * to meanwhile: there is one thread, no signal, and this library is another object than the C
 * library, of which nothing is called from here.
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

/* Patches of one segment stand next to one another in most objects, which have but one. */
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
