/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replacements of functions that programs call for their call chain: without frames of this
 * library, which are there while watched functions run.
 */
#include "probe/block_entry.h"
#include "probe/confinement.h"
#include "probe/raw_call.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unwind.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int backtrace(void **frames, int size);

/* Finds the next function of this name, also in a library that was loaded later. */
static void *find_next(const char *name, const char *library)
{
	void *found = dlsym(RTLD_NEXT, name), *handle;

	if (found)
		return found;
	handle = dlopen(library, RTLD_LAZY);
	return handle ? dlsym(handle, name) : NULL;
}

static int is_ours(uint64_t address)
{
	return address == (uint64_t)(uintptr_t)probe_stub_leave;
}

/* Keeps the frames that are not ours. The first frame is that of the caller. */
static int keep_others(void **frames, int size, void *const *all, int count)
{
	int kept = 0;

	for (int i = 1; i < count && kept < size; i++)
		if (!is_ours((uintptr_t)all[i]))
			frames[kept++] = all[i];
	return kept;
}

/* Maps memory; NULL: none, or system calls are not allowed. */
static void **map(long bytes)
{
	long at;

	if (!confinement_hold())
		return NULL;
	at = raw_call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	confinement_free();
	return raw_call_failed(at) ? NULL : (void **)at; // NOLINT: an address
}

static void unmap(void **at, long bytes)
{
	if (!confinement_hold())
		return;
	raw_call(SYS_munmap, (long)at, bytes, 0, 0, 0, 0);
	confinement_free();
}

EXPORTED int backtrace(void **frames, int size)
{
	static int (*real)(void **, int);
	int most = size < 0 || size > 1 << 28 ? 0 : 2 * size + 1, kept;
	long bytes = most * (long)sizeof(void *);
	void **all;

	if (!real)
		real = (int (*)(void **, int))(uintptr_t)find_next("backtrace", "libc.so.6");
	if (!real)
		return 0;
	all = map(bytes);
	if (!all)
		return real(frames, size);
	kept = real(all, most);
	kept = keep_others(frames, size, all, kept);
	unmap(all, bytes);
	return kept;
}

/* --- Frame by frame ------------------------------------------------------------------------- */

struct walk {
	_Unwind_Trace_Fn see;
	void *context;
	uint64_t (*address)(struct _Unwind_Context *);
	int frames;
};

static _Unwind_Reason_Code see_others(struct _Unwind_Context *frame, void *context)
{
	struct walk *walk = context;

	if (!walk->frames++ || is_ours(walk->address(frame)))
		return _URC_NO_REASON;
	return walk->see(frame, walk->context);
}

EXPORTED _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn see, void *context)
{
	static _Unwind_Reason_Code (*real)(_Unwind_Trace_Fn, void *);
	static uint64_t (*address)(struct _Unwind_Context *);
	struct walk walk = {see, context, NULL, 0};
	_Unwind_Reason_Code reason;

	if (!address)
		address = (uint64_t(*)(struct _Unwind_Context *))(uintptr_t)find_next(
			"_Unwind_GetIP", "libgcc_s.so.1");
	if (!real)
		real = (_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))(uintptr_t)find_next(
			"_Unwind_Backtrace", "libgcc_s.so.1");
	if (!real || !address)
		return _URC_END_OF_STACK;
	walk.address = address;
	reason = real(see_others, &walk);
	return reason;
}
