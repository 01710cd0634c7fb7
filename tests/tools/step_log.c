/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces libpscal-probe.so: writes the steps of tasks to the file in STEP_LOG, in one order for
 * all threads, when the program ends. Lines are "THREAD STEP TASK", with the parent and the index
 * after a begin, and the index of the child after spawn and sync_of. A shared object, for
 * LD_PRELOAD.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "probe/task.h"

struct line {
	uint32_t thread, step, value;
	pscal_task task, parent;
};

enum { LINES = 1 << 25 };

static struct line *lines;
static uint64_t line_count, task_count;
static uint32_t thread_count;
static __thread uint32_t thread;

/* Runs before all other constructors, even those of the C library. */
__attribute__((constructor)) static void begin(void)
{
	lines = mmap(NULL, LINES * sizeof(*lines), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (lines == MAP_FAILED)
		abort();
}

pscal_task pscal_task_step_at(const void *code, enum pscal_step step, pscal_task task,
			      uint32_t value)
{
	uint64_t at = __atomic_fetch_add(&line_count, 1, __ATOMIC_SEQ_CST);
	pscal_task about = task;

	(void)code;
	if (!lines)
		return PSCAL_NO_TASK;
	if (at >= LINES)
		abort();
	if (!thread)
		thread = __atomic_add_fetch(&thread_count, 1, __ATOMIC_SEQ_CST);
	if (step == PSCAL_STEP_BEGIN)
		about = __atomic_add_fetch(&task_count, 1, __ATOMIC_SEQ_CST);
	lines[at] = (struct line){thread, step, value, about, task};
	return about;
}

static void write_line(FILE *out, const struct line *line)
{
	static const char *const names[] = {"none",    "begin",	  "end",    "spawn",
					    "spawned", "sync_of", "sync",   "synced",
					    "pause",   "resume",  "barrier"};

	fprintf(out, "%" PRIu32 " %s %" PRIu64, line->thread, names[line->step], line->task);
	if (line->step == PSCAL_STEP_BEGIN)
		fprintf(out, " %" PRIu64, line->parent);
	if (line->step == PSCAL_STEP_BEGIN || line->step == PSCAL_STEP_SPAWN ||
	    line->step == PSCAL_STEP_SYNC_OF)
		fprintf(out, " %" PRIu32, line->value);
	fputc('\n', out);
}

__attribute__((destructor)) static void end(void)
{
	FILE *out = line_count && lines ? fopen(getenv("STEP_LOG"), "w") : NULL;

	for (uint64_t i = 0; out && i < line_count; i++)
		write_line(out, &lines[i]);
	if (out)
		fclose(out);
}
