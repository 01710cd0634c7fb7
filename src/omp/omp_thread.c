/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

struct question {
	uintptr_t address;
	struct omp_code answer;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct question *question = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		struct omp_code code = {.begin = info->dlpi_addr + part->p_vaddr};

		code.end = code.begin + part->p_memsz;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) ||
		    !omp_code_has(&code, (const void *)question->address)) // NOLINT: an address
			continue;
		question->answer = code;
		return 1;
	}
	return 0;
}

struct omp_code omp_code_of(const void *address)
{
	struct question question = {.address = (uintptr_t)address};

	dl_iterate_phdr(look_at, &question);
	return question.answer;
}

__thread struct omp_thread omp_self;
struct omp_code omp_own_code;

/* Threads of this process with a root, and whether the recorder wants no tasks. */
static uint32_t roots;
static bool off;

/* --- Ends ---------------------------------------------------------------------------------- */

/* Ends the root, unless a runtime library has reported the end of the thread. */
static void end_root(void)
{
	struct omp_thread *self = &omp_self;

	if (self->task == &self->root && self->root.state != OMP_ENDED)
		omp_task_end(&self->root);
}

static struct {
	pthread_key_t key;
	bool has_key;
} ends;

/*
 * Ends the root of a thread. Other destructors may run parallel regions, so this one has itself
 * called again in the next round; but the last one is that of the probe library, which then writes
 * nothing more.
 */
static void end_thread(void *value)
{
	intptr_t round = (intptr_t)value;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1)
		pthread_setspecific(ends.key, (void *)(round + 1));
	else
		end_root();
}

/* --- Beginnings ---------------------------------------------------------------------------- */

bool omp_thread_begin(const void *site)
{
	struct omp_thread *self = &omp_self;

	if (__atomic_load_n(&off, __ATOMIC_RELAXED))
		return false;
	if (self->root.state == OMP_NEW) {
		self->root = (struct omp_task){
			.site = site,
			.serial = true,
			.index = __atomic_fetch_add(&roots, 1, __ATOMIC_RELAXED),
		};
		if (pscal_task_step_at)
			omp_task_begin(&self->root);
		if (ends.has_key && self->root.id != PSCAL_NO_TASK)
			pthread_setspecific(ends.key, (void *)(intptr_t)1);
	}
	if (self->root.id == PSCAL_NO_TASK)
		__atomic_store_n(&off, true, __ATOMIC_RELAXED);
	else
		self->task = &self->root;
	return self->root.id != PSCAL_NO_TASK;
}

/* Resets the state in the child of a fork, which has no other threads, and its own tasks. */
static void forget(void)
{
	omp_self = (struct omp_thread){.task = NULL};
	roots = 0;
}

static bool has_runtime(void)
{
	return dlsym(RTLD_NEXT, "GOMP_parallel") || dlsym(RTLD_NEXT, "__kmpc_fork_call");
}

__attribute__((constructor)) static void library_begin(void)
{
	omp_own_code = omp_code_of((const void *)(uintptr_t)library_begin);
	pthread_atfork(NULL, NULL, forget);
	ends.has_key = pthread_key_create(&ends.key, end_thread) == 0;
	if (has_runtime())
		omp_thread_begin((const void *)getauxval(AT_ENTRY)); // NOLINT: an address
}

/* Ends the root of the thread that calls exit(3), or returns from main. */
__attribute__((destructor)) static void library_end(void)
{
	end_root();
}
