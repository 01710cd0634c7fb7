/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_cost.h"

#if defined(__x86_64__)

#include "base/alloc.h"
#include "base/err.h"
#include "collect/block_spool.h"
#include "collect/entry_patch.h"
#include "probe/spool.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The calls of a round fit into one window of the spool with those of some others, so that the
 * median is of rounds in which nobody disturbs and no window is made. A child that does not come to
 * its end is ended.
 */
enum { ROUNDS = 21, CALLS = 1000, LIMIT_S = 10 };

/* What is called: a function of which it is known where it ends, with instructions of any. */
__asm__(".pushsection .text\n"
	".p2align 4\n"
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

static int write_plan(const char *spool, uint32_t arguments)
{
	long (*callee)(long) = pscal_block_cost_callee;
	struct plan_object object = {.path = 0, .patch_count = 1};
	struct plan_header header = {.magic = PLAN_MAGIC,
				     .version = SPOOL_VERSION,
				     .every = 1,
				     .arguments = arguments,
				     .object_count = 1,
				     .patch_count = 1,
				     .text_bytes = 1};
	struct plan_patch patch;
	struct stat file;
	const uint8_t *code;
	uint64_t base = 0;
	char *path;
	FILE *out;

	memcpy(&code, &callee, sizeof(code));
	dl_iterate_phdr(take_base, &base);
	if (stat("/proc/self/exe", &file) ||
	    entry_patch_make(&patch, code, CALLEE_BYTES, 0, (uintptr_t)code - base))
		return -1;
	object.device = file.st_dev;
	object.inode = file.st_ino;
	object.mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	path = xasprintf("%s/plan", spool);
	out = fopen(path, "we");
	free(path);
	if (!out)
		return -1;
	fwrite(&header, sizeof(header), 1, out);
	fwrite(&object, sizeof(object), 1, out);
	fwrite(&patch, sizeof(patch), 1, out);
	putc('\0', out);
	return fclose(out);
}

/* --- The child ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_of_call(void)
{
	long (*volatile callee)(long) = pscal_block_cost_callee;
	double each_ns[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double begin_ns = cpu_ns();

		for (long k = 0; k < CALLS; k++)
			callee(k);
		each_ns[i] = (cpu_ns() - begin_ns) / CALLS;
	}
	qsort(each_ns, ROUNDS, sizeof(each_ns[0]), compare);
	return each_ns[ROUNDS / 2];
}

/* The library begins as soon as it is loaded. */
static void __attribute__((noreturn)) measure(const char *library, const char *spool, int fd)
{
	double cost_ns = -time_of_call();

	alarm(LIMIT_S);
	setenv(SPOOL_ENVIRONMENT, spool, 1);
	if (!dlopen(library, RTLD_NOW | RTLD_LOCAL))
		_exit(1);
	cost_ns += time_of_call();
	_exit(write(fd, &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns));
}

static double ask_child(const char *library, const char *spool)
{
	double cost_ns = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (child == 0)
		measure(library, spool, ends[1]);
	close(ends[1]);
	if (child > 0 && read(ends[0], &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns))
		cost_ns = 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return cost_ns > 0 ? cost_ns : 0;
}

/* --- The whole ----------------------------------------------------------------------------- */

static void nobody_reads(void *context, struct block_thread *thread)
{
	(void)context, (void)thread;
}

/* How many of the calls are there; else what was measured is not what it is meant to be. */
static uint64_t count_events(struct block_spool *spool)
{
	uint64_t count = 0;

	block_spool_begin_pass(spool, true);
	while (block_spool_first(spool)) {
		block_spool_drop_first(spool);
		count++;
	}
	return count;
}

double block_cost_measure(const char *library, const char *prefix, uint32_t arguments)
{
	struct block_spool spool;
	struct err ignored;
	double cost_ns = 0;

	if (block_spool_open(&spool, prefix, nobody_reads, NULL, &ignored) == 0 &&
	    write_plan(spool.path, arguments) == 0)
		cost_ns = ask_child(library, spool.path);
	if (cost_ns > 0 && count_events(&spool) != 2 * ROUNDS * CALLS)
		cost_ns = 0;
	block_spool_close(&spool);
	return cost_ns;
}

#else

double block_cost_measure(const char *library, const char *prefix, uint32_t arguments)
{
	(void)library, (void)prefix, (void)arguments;
	return 0;
}

#endif
