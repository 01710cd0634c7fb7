/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library that a call was meant for. Usually it was loaded with the program, and is the next
 * one with the function. But an interpreter may load modules that each bring their own libgomp,
 * which no other module sees: then it is the one that the caller's file needs.
 */
#include "omp/gomp.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NAME_OF_ANY "GOMP_parallel"

enum { LIBRARIES = 16, CALLERS = 256, PAGE_BITS = 12 };

struct library {
	struct gomp gomp;
	const void *any; /* address of its NAME_OF_ANY */
};

/* The libraries of callers. Entries are written once, and read without a lock. */
struct caller {
	uintptr_t page;
	const struct gomp *gomp;
};

const struct gomp *gomp_of_all;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool searched; /* libraries loaded later were searched for */
static struct library libraries[LIBRARIES];
static size_t library_count;
static struct caller callers[CALLERS];

static bool in_same_file(const void *one, const void *other)
{
	Dl_info first, second;

	return one && other && dladdr(one, &first) && dladdr(other, &second) &&
	       first.dli_fbase == second.dli_fbase;
}

/* Returns the functions of the libraries that `from` means in dlsym(3). */
static const struct gomp *take_library(void *from, const void *any)
{
	struct library *library = &libraries[library_count];

	for (size_t i = 0; i < library_count; i++)
		if (libraries[i].any == any)
			return &libraries[i].gomp;
	if (library_count == LIBRARIES)
		return NULL;
	library->any = any;
	library->gomp.tells = in_same_file(dlsym(from, "__kmpc_fork_call"), any);
	*(void **)&library->gomp.get_thread_num = dlsym(from, "omp_get_thread_num");
	*(void **)&library->gomp.get_num_threads = dlsym(from, "omp_get_num_threads");
#define TAKE(type, name, arguments) *(void **)&library->gomp.name = dlsym(from, "GOMP_" #name);
	GOMP_FUNCTIONS(TAKE)
#undef TAKE
#define TAKE(type, name, arguments) *(void **)&library->gomp.name = dlsym(from, "__" #name);
	KMPC_FUNCTIONS(TAKE)
#undef TAKE
	library_count++;
	return &library->gomp;
}

static const struct gomp *take_next(void)
{
	const void *any = dlsym(RTLD_NEXT, NAME_OF_ANY);

	return any ? take_library(RTLD_NEXT, any) : NULL;
}

/* Returns the functions of the libraries that this code's file needs, which stays loaded. */
static const struct gomp *take_from(const void *code)
{
	const struct gomp *gomp = NULL;
	struct link_map *file;
	const void *any;
	Dl_info info;
	void *handle;

	if (!dladdr1(code, &info, (void **)&file, RTLD_DL_LINKMAP))
		return NULL;
	handle = dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (!handle)
		return NULL;
	any = dlsym(handle, NAME_OF_ANY);
	if (any && !omp_code_has(&omp_own_code, any))
		gomp = take_library(handle, any);
	dlclose(handle);
	return gomp;
}

static const struct gomp *look(const void *code)
{
	const struct gomp *gomp;

	if (!searched) {
		gomp = take_next();
		__atomic_store_n(&gomp_of_all, gomp, __ATOMIC_RELEASE);
		searched = true;
		if (gomp)
			return gomp;
	}
	gomp = take_from(code);
	if (!gomp)
		gomp = take_next();
	return gomp ? gomp : library_count ? &libraries[0].gomp : NULL;
}

/* Frees the lock in the child of a fork, where its owner does not exist. */
static void free_lock(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

__attribute__((constructor)) static void gomp_begin(void)
{
	pthread_atfork(NULL, NULL, free_lock);
}

/* Returns the present task's library if this library called, as a call at a function's end may. */
static const struct gomp *of_task(const void *code)
{
	const struct omp_task *task = omp_self.task;

	return task && omp_code_has(&omp_own_code, code) ? task->runtime : NULL;
}

const struct gomp *gomp_search(const void *code)
{
	uintptr_t page = (uintptr_t)code >> PAGE_BITS;
	struct caller *caller = &callers[page % CALLERS];
	const struct gomp *gomp = of_task(code);

	if (gomp)
		return gomp;
	gomp = __atomic_load_n(&caller->gomp, __ATOMIC_ACQUIRE);
	if (gomp && caller->page == page)
		return gomp;
	pthread_mutex_lock(&lock);
	gomp = look(code);
	if (gomp && !caller->gomp) {
		caller->page = page;
		__atomic_store_n(&caller->gomp, gomp, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	if (!gomp)
		abort(); /* the caller was linked with a library that has it */
	return gomp;
}
