/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The task graph of figure 5 in the paper of pscal/task.h:
 *
 *	tasks_figure5 THREADS
 *
 * One task of four nodes, between which it waits for some of its children. In the first node, of
 * four blocks, it spawns 0, 1 and 2, in the second 3 and 4. The second begins when 0 and 1 have
 * ended, the third when 2 and 4 have ended, the fourth when 3 has ended.
 */
#include "../../src/probe/task.h"

#include "task_pool.h"

enum { CHILDREN = 5 };

struct child {
	struct job job;
	pscal_task parent;
	unsigned index;
};

static struct pool pool;

static void run_child(struct job *job)
{
	struct child *child = (struct child *)job;

	PSCAL_TASK_BEGIN(task, child->parent, child->index);
	PSCAL_TASK_END(task);
}

static void run_parent(void)
{
	struct child children[CHILDREN];

	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	for (unsigned i = 0; i < CHILDREN; i++)
		children[i] = (struct child){{.run = run_child}, task, i};
	for (unsigned i = 0; i < 3; i++) {
		PSCAL_SPAWN(task, i);
		pool_give(&pool, &children[i].job);
		PSCAL_SPAWNED(task);
	}
	PSCAL_SYNC_OF(task, 0);
	PSCAL_SYNC_OF(task, 1);
	PSCAL_SYNC(task);
	pool_wait(&pool, &children[0].job);
	pool_wait(&pool, &children[1].job);
	PSCAL_SYNCED(task);
	for (unsigned i = 3; i < CHILDREN; i++) {
		PSCAL_SPAWN(task, i);
		pool_give(&pool, &children[i].job);
		PSCAL_SPAWNED(task);
	}
	PSCAL_SYNC_OF(task, 2);
	PSCAL_SYNC_OF(task, 4);
	PSCAL_SYNC(task);
	pool_wait(&pool, &children[2].job);
	pool_wait(&pool, &children[4].job);
	PSCAL_SYNCED(task);
	PSCAL_SYNC(task); /* for the remaining child */
	pool_wait(&pool, &children[3].job);
	PSCAL_SYNCED(task);
	PSCAL_TASK_END(task);
}

int main(int argc, char **argv)
{
	int threads = pool_number(argc > 1 ? argv[1] : NULL, 1, POOL_THREADS_MAX,
				  "tasks_figure5 THREADS");

	pool_begin(&pool, threads);
	run_parent();
	pool_end(&pool);
	return 0;
}
