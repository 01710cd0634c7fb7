/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_cost.h"

#if defined(__x86_64__)

#include "collect/blocks/cost_trial.h"
#include "collect/patch/entry_patch.h"
#include "probe/spool.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What is called: a function of which it is known where it ends, with instructions of any. */
__asm__(".pushsection .text\n"
	".p2align 4\n"
	".globl pscal_block_cost_callee\n"
	".hidden pscal_block_cost_callee\n"
	".type pscal_block_cost_callee, @function\n"
	"pscal_block_cost_callee:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size pscal_block_cost_callee, .-pscal_block_cost_callee\n"
	".popsection\n");

extern long pscal_block_cost_callee(long number) __attribute__((visibility("hidden")));

enum { CALLEE_BYTES = 10 };

/* --- The plan ------------------------------------------------------------------------------ */

/* The first object is the program itself. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

static int write_plan(FILE *out, const void *arguments)
{
	long (*callee)(long) = pscal_block_cost_callee;
	struct plan_object object = {.path = 0, .patch_count = 1};
	struct plan_header header = {.magic = PLAN_MAGIC,
				     .version = SPOOL_VERSION,
				     .every = 1,
				     .arguments = *(const uint32_t *)arguments,
				     .object_count = 1,
				     .patch_count = 1,
				     .text_bytes = 1};
	struct plan_patch patch;
	struct stat file;
	const uint8_t *code;
	uint64_t base = 0;

	memcpy(&code, &callee, sizeof(code));
	dl_iterate_phdr(take_base, &base);
	if (stat("/proc/self/exe", &file) ||
	    entry_patch_make(&patch, code, CALLEE_BYTES, 0, (uintptr_t)code - base))
		return -1;
	object.device = file.st_dev;
	object.inode = file.st_ino;
	object.mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	fwrite(&header, sizeof(header), 1, out);
	fwrite(&object, sizeof(object), 1, out);
	fwrite(&patch, sizeof(patch), 1, out);
	putc('\0', out);
	return 0;
}

/* --- The call ------------------------------------------------------------------------------ */

static void call_often(void *unused)
{
	long (*volatile callee)(long) = pscal_block_cost_callee;

	(void)unused;
	for (long i = 0; i < COST_TRIAL_TIMES; i++)
		callee(i);
}

static double time_of_call(void *library)
{
	(void)library;
	return cost_trial_median_ns(call_often, NULL);
}

double block_cost_measure(const char *library, uint32_t arguments)
{
	const struct cost_trial trial = {
		.write_plan = write_plan,
		.time_ns = time_of_call,
		.context = &arguments,
		.events = 2,
	};

	return cost_trial_ns(&trial, library);
}

#else

double block_cost_measure(const char *library, uint32_t arguments)
{
	(void)library, (void)arguments;
	return 0;
}

#endif
