/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees of tasks of a known shape, below one root:
 *
 *	tasks_shapes THREADS SHAPE N
 *
 * wide		N children, for which the root waits
 * unsynced	N children without a wait; the last may end after the root
 * deep		N tasks, each the child of the one before, which waits for it
 * barrier	THREADS children that pause and meet at a barrier N times
 * forked	the root begins; then N processes, forked one after the other, begin and end a child
 *		of it each
 */
#include "../../src/probe/task.h"

#include "task_pool.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	struct job job;
	pscal_task parent;
	unsigned index, left;
};

static struct pool pool;
static pthread_barrier_t barrier;

static void spawn(struct child *child, pscal_task task)
{
	child->parent = task;
	PSCAL_SPAWN(task, child->index);
	pool_give(&pool, &child->job);
	PSCAL_SPAWNED(task);
}

static void run_leaf(struct job *job)
{
	struct child *child = (struct child *)job;

	PSCAL_TASK_BEGIN(task, child->parent, child->index);
	PSCAL_TASK_END(task);
}

static struct child *make_children(unsigned count, void (*run)(struct job *job), unsigned left)
{
	struct child *children = calloc(count, sizeof(*children));

	if (!children)
		abort();
	for (unsigned i = 0; i < count; i++)
		children[i] = (struct child){{.run = run}, PSCAL_NO_TASK, i, left};
	return children;
}

static void wide(unsigned count)
{
	struct child *children = make_children(count, run_leaf, 0);

	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	for (unsigned i = 0; i < count; i++)
		spawn(&children[i], task);
	PSCAL_SYNC(task);
	for (unsigned i = 0; i < count; i++)
		pool_wait(&pool, &children[i].job);
	PSCAL_SYNCED(task);
	PSCAL_TASK_END(task);
	free(children);
}

/* The pool ends when all jobs are done. */
static struct child *unsynced(unsigned count)
{
	struct child *children = make_children(count, run_leaf, 0);

	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	for (unsigned i = 0; i < count; i++)
		spawn(&children[i], task);
	PSCAL_TASK_END(task);
	return children;
}

static void run_deep(struct job *job)
{
	struct child *self = (struct child *)job;
	struct child child = {{.run = run_deep}, PSCAL_NO_TASK, 0, self->left - 1};

	PSCAL_TASK_BEGIN(task, self->parent, self->index);
	if (self->left > 1) {
		spawn(&child, task);
		PSCAL_SYNC(task);
		pool_wait(&pool, &child.job);
		PSCAL_SYNCED(task);
	}
	PSCAL_TASK_END(task);
}

static void deep(unsigned count)
{
	struct child first = {{.run = run_deep}, PSCAL_NO_TASK, 0, count};

	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	spawn(&first, task);
	PSCAL_SYNC(task);
	pool_wait(&pool, &first.job);
	PSCAL_SYNCED(task);
	PSCAL_TASK_END(task);
}

static void run_with_barrier(struct job *job)
{
	struct child *child = (struct child *)job;

	PSCAL_TASK_BEGIN(task, child->parent, child->index);
	for (unsigned i = 0; i < child->left; i++) {
		PSCAL_PAUSE(task);
		PSCAL_RESUME(task);
		PSCAL_BARRIER(task);
		pthread_barrier_wait(&barrier);
		PSCAL_RESUME(task);
	}
	PSCAL_TASK_END(task);
}

/* Each child has a thread of its own, the root's, too, while that waits. */
static void with_barrier(unsigned threads, unsigned rounds)
{
	struct child *children = make_children(threads, run_with_barrier, rounds);

	pthread_barrier_init(&barrier, NULL, threads);
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	for (unsigned i = 0; i < threads; i++)
		spawn(&children[i], task);
	PSCAL_SYNC(task);
	for (unsigned i = 0; i < threads; i++)
		pool_wait(&pool, &children[i].job);
	PSCAL_SYNCED(task);
	PSCAL_TASK_END(task);
	free(children);
}

static void forked(unsigned count)
{
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	for (unsigned i = 0; i < count; i++) {
		int status;
		pid_t child;

		PSCAL_SPAWN(task, i);
		child = fork();
		if (child == 0) {
			PSCAL_TASK_BEGIN(own, task, i);
			PSCAL_TASK_END(own);
			_exit(0);
		}
		PSCAL_SPAWNED(task);
		if (child < 0 || waitpid(child, &status, 0) < 0 || status)
			abort();
	}
	PSCAL_TASK_END(task);
}

int main(int argc, char **argv)
{
	static const char usage[] = "tasks_shapes THREADS wide|unsynced|deep|barrier|forked N";
	int threads = pool_number(argc > 1 ? argv[1] : NULL, 1, POOL_THREADS_MAX, usage);
	const char *shape = argc > 2 ? argv[2] : "";
	unsigned n = (unsigned)pool_number(argc > 3 ? argv[3] : NULL, 1, 10000000, usage);
	struct child *children = NULL;

	pool_begin(&pool, threads);
	if (strcmp(shape, "wide") == 0)
		wide(n);
	else if (strcmp(shape, "unsynced") == 0)
		children = unsynced(n);
	else if (strcmp(shape, "deep") == 0)
		deep(n);
	else if (strcmp(shape, "barrier") == 0)
		with_barrier((unsigned)threads, n);
	else if (strcmp(shape, "forked") == 0)
		forked(n);
	else
		pool_number(NULL, 0, 0, usage);
	pool_end(&pool);
	free(children);
	return 0;
}
