/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel regions of libgomp: each thread runs the body, which is wrapped. */
#include "omp/gomp.h"
#include "omp/omp_region.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct region {
	void *reductions; /* first word of the data, which the library may read */
	gomp_body *body;
	void *data;
	const struct gomp *gomp;
	struct omp_region told;
};

/* A region begun by GOMP_parallel_start. */
struct started {
	struct region region;
	struct omp_task member;
};

static void make_region(struct region *region, struct omp_task *parent, const struct gomp *gomp,
			gomp_body *body, void *data, const void *site)
{
	*region = (struct region){.body = body, .data = data, .gomp = gomp};
	omp_region_begin(&region->told, parent, site);
}

static void begin_member(struct omp_task *member, struct region *region)
{
	*member = (struct omp_task){
		.site = (const void *)(uintptr_t)region->body,
		.runtime = region->gomp,
	};
	omp_region_enter(&region->told, member, (uint32_t)region->gomp->get_thread_num(),
			 (uint32_t)region->gomp->get_num_threads());
	omp_self.task = member;
}

static void end_member(struct omp_task *member, struct region *region, struct omp_task *outer)
{
	omp_region_leave(&region->told, member);
	omp_self.task = outer;
}

static void run_member(void *data)
{
	struct region *region = data;
	struct omp_task *outer = omp_self.task;
	struct omp_task member;

	begin_member(&member, region);
	region->body(region->data);
	end_member(&member, region, outer);
}

/* --- Functions that call the body in all threads -------------------------------------------- */

#define REGION(name, parameters, ...)                                    \
	GOMP_EXPORTED void GOMP_##name parameters                        \
	{                                                                \
		const struct gomp *gomp = gomp_of(body);                 \
		struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);  \
		struct region region;                                    \
                                                                         \
		if (!task) {                                             \
			gomp->name(body, data, __VA_ARGS__);             \
			return;                                          \
		}                                                        \
		make_region(&region, task, gomp, body, data, GOMP_SITE); \
		gomp->name(run_member, &region, __VA_ARGS__);            \
		omp_region_end(&region.told);                            \
	}

#define CHUNKS threads, start, end, increment, chunk
#define LOOP   threads, start, end, increment

REGION(parallel, (gomp_body * body, void *data, unsigned threads, unsigned flags), threads, flags)
REGION(parallel_sections,
       (gomp_body * body, void *data, unsigned threads, unsigned count, unsigned flags), threads,
       count, flags)
REGION(parallel_loop_static, (GOMP_LOOP_CHUNKS, unsigned flags), CHUNKS, flags)
REGION(parallel_loop_dynamic, (GOMP_LOOP_CHUNKS, unsigned flags), CHUNKS, flags)
REGION(parallel_loop_guided, (GOMP_LOOP_CHUNKS, unsigned flags), CHUNKS, flags)
REGION(parallel_loop_nonmonotonic_dynamic, (GOMP_LOOP_CHUNKS, unsigned flags), CHUNKS, flags)
REGION(parallel_loop_nonmonotonic_guided, (GOMP_LOOP_CHUNKS, unsigned flags), CHUNKS, flags)
REGION(parallel_loop_runtime, (GOMP_LOOP, unsigned flags), LOOP, flags)
REGION(parallel_loop_nonmonotonic_runtime, (GOMP_LOOP, unsigned flags), LOOP, flags)
REGION(parallel_loop_maybe_nonmonotonic_runtime, (GOMP_LOOP, unsigned flags), LOOP, flags)

GOMP_EXPORTED unsigned GOMP_parallel_reductions(gomp_body *body, void *data, unsigned threads,
						unsigned flags)
{
	const struct gomp *gomp = gomp_of(body);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);
	struct region region;
	unsigned count;

	if (!task)
		return gomp->parallel_reductions(body, data, threads, flags);
	make_region(&region, task, gomp, body, data, GOMP_SITE);
	memcpy(&region.reductions, data, sizeof(region.reductions));
	count = gomp->parallel_reductions(run_member, &region, threads, flags);
	omp_region_end(&region.told);
	return count;
}

/* --- Functions after which the program calls the body itself, and then GOMP_parallel_end ------ */

static struct started *start_region(struct omp_task *task, const struct gomp *gomp, gomp_body *body,
				    void *data, const void *site)
{
	struct started *started = malloc(sizeof(*started));

	if (!started)
		abort(); /* as the library itself would */
	make_region(&started->region, task, gomp, body, data, site);
	return started;
}

static void begin_first(struct started *started)
{
	begin_member(&started->member, &started->region);
	started->member.region = started;
}

#define START(name, parameters, ...)                                       \
	GOMP_EXPORTED void GOMP_##name parameters                          \
	{                                                                  \
		const struct gomp *gomp = gomp_of(body);                   \
		struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);    \
		struct started *started;                                   \
                                                                           \
		if (!task) {                                               \
			gomp->name(body, data, __VA_ARGS__);               \
			return;                                            \
		}                                                          \
		started = start_region(task, gomp, body, data, GOMP_SITE); \
		gomp->name(run_member, &started->region, __VA_ARGS__);     \
		begin_first(started);                                      \
	}

START(parallel_start, (gomp_body * body, void *data, unsigned threads), threads)
START(parallel_sections_start, (gomp_body * body, void *data, unsigned threads, unsigned count),
      threads, count)
START(parallel_loop_static_start, (GOMP_LOOP_CHUNKS), CHUNKS)
START(parallel_loop_dynamic_start, (GOMP_LOOP_CHUNKS), CHUNKS)
START(parallel_loop_guided_start, (GOMP_LOOP_CHUNKS), CHUNKS)
START(parallel_loop_runtime_start, (GOMP_LOOP), LOOP)

GOMP_EXPORTED void GOMP_parallel_end(void)
{
	const struct gomp *gomp = gomp_find(GOMP_RETURN);
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);
	struct started *started = task ? task->region : NULL;

	if (!started) {
		gomp->parallel_end();
		return;
	}
	end_member(task, &started->region, started->region.told.parent);
	started->region.gomp->parallel_end();
	omp_region_end(&started->region.told);
	free(started);
}
