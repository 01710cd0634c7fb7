/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks as a graph [Huynh, Nakashima and Taura 2013, figures 5 and 6]: a task is split at its waits
 * (sync, barrier, child in place) into nodes, which spawn others and wait for them. A task at the
 * level `--level` is one node with all its descendants.
 *
 *	work	all time of segments on CPUs
 *	span	the time of the critical path (dag.c): the lower bound with any number of cores
 *	work / span	the average parallelism
 *
 * If there are too many nodes the level is lowered. Before that, siblings of a level become one
 * node if they begin at the same site, have the same spawning node, are waited for at the same
 * place and have no graph of their own. If even the roots are too many, those with the least work
 * become one.
 */
#ifndef PSCAL_STATS_TASKS_DAG_H
#define PSCAL_STATS_TASKS_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_tree;

struct dag_options {
	uint32_t level;	  /* UINT32_MAX: all levels */
	size_t max_nodes; /* 0: no limit */
};

enum dag_node_kind {
	DAG_SECTION, /* a part of one task, from its begin or a wait to the next wait or its end */
	DAG_SUBTREE, /* a task with all its descendants */
	DAG_GROUP,   /* siblings with all their descendants */
	DAG_REST,    /* roots without a node of their own */
	DAG_JOIN,    /* the place where siblings wait for each other */
};

struct dag_node {
	enum dag_node_kind kind;
	uint32_t task;	  /* the first task; DAG_REST and DAG_JOIN: one of the tasks */
	uint32_t section; /* number of the section in the task, from 0 on */
	uint32_t level;	  /* the level of the task */
	/* DAG_SECTION: of the task's first and last step in it; else `site` is its begin. */
	uint32_t site, site_end;
	bool in_place;
	uint64_t members;	   /* DAG_GROUP, DAG_REST: the number of siblings, or roots */
	uint64_t tasks, blocks;	   /* tasks that begin in it, and segments in it */
	uint64_t work_ns;	   /* time of segments on CPUs */
	uint64_t critical_ns;	   /* the part of it on the critical path */
	bool critical;		   /* the node is on the critical path */
	uint64_t begin_ns, end_ns; /* the begin of the first segment, the end of the last */
};

enum dag_edge_kind {
	DAG_NEXT,    /* the next node of the same task */
	DAG_SPAWN,   /* creates the task */
	DAG_CALL,    /* runs the task in place */
	DAG_RETURN,  /* goes on after the task in place */
	DAG_SYNC,    /* waits for the task */
	DAG_BARRIER, /* comes to a join, or goes on from there */
	DAG_EDGE_KINDS,
};

/* Returns "next", "spawn", "call", "return", "sync" or "barrier". */
const char *dag_edge_name(enum dag_edge_kind kind);

struct dag_edge {
	uint32_t from, to; /* indices of nodes */
	enum dag_edge_kind kind;
	bool critical;
	uint64_t count; /* the number of tasks */
};

/* All tasks that begin at one place in the source. */
struct dag_site {
	uint32_t site; /* a site, or TASK_UNKNOWN_SITE */
	uint64_t tasks, work_ns;
	uint64_t critical_ns; /* the part of work_ns on the critical path */
};

struct dag {
	struct dag_node *nodes;
	size_t node_count, node_capacity;
	struct dag_edge *edges; /* sorted by from, to and kind */
	size_t edge_count, edge_capacity;
	struct dag_site *sites; /* sorted by critical path, then by work, the most first */
	size_t site_count;
	uint64_t *counts; /* see dag_counts() */
	size_t counter_count;
	uint64_t work_ns, span_ns;
	uint32_t level;	 /* the level of whole subtrees, or the number of levels: none is whole */
	bool is_lowered; /* `level` is lower than the options ask for */
	bool is_grouped; /* siblings are grouped */
	uint64_t all_nodes;	 /* the number of nodes at the level asked for */
	uint64_t contradictions; /* contradictions of the critical path, see dag.c */
};

/* Returns the sum of each counter of the tree in a node, or TASK_COUNT_UNKNOWN; borrowed. */
static inline uint64_t *dag_counts(const struct dag *dag, size_t node)
{
	return dag->counts + node * dag->counter_count;
}

/* Borrows the tree for as long as the dag lives. */
void dag_init(struct dag *dag, const struct task_tree *tree, const struct dag_options *options);
void dag_release(struct dag *dag);

/* --- Limits -------------------------------------------------------------------------------- */

/* The limit of the program while it runs tasks. */
enum dag_limit {
	DAG_LIMIT_UNKNOWN,   /* no work, or no wall time */
	DAG_LIMIT_PATH,	     /* the critical path takes most of the run */
	DAG_LIMIT_WORKERS,   /* the workers were busy with tasks */
	DAG_LIMIT_RUN_QUEUE, /* the workers waited for CPUs */
	DAG_LIMIT_TASKS,     /* the workers had no task to run, or slept within one */
};

/* The use of the workers from the first step of a task to the last. */
struct dag_use {
	enum dag_limit limit;
	size_t workers;
	uint64_t wall_ns;
	double run_queue_s; /* the sum over all workers; NAN: no scheduling events are recorded */
	double busy_share;  /* work by the time of all workers; NAN: no time */
	double path_share;  /* critical path by wall time; NAN: no time */
	double parallelism; /* work / span; NAN: no span */
};

struct dag_use dag_use_of(const struct dag *dag, const struct task_tree *tree);

/* --- Joins --------------------------------------------------------------------------------- */

/*
 * Barriers, at which children of one task wait for each other: a barrier joins the n-th barriers of
 * all children spawned between the same two syncs of their parent. For roots, which have no parent,
 * the partners are unknown.
 *
 * A join also waits for all tasks that these children and their descendants spawned before without
 * a sync, if these had ended when the first child goes on: a barrier of OpenMP completes all tasks.
 */
struct task_join {
	size_t first, count;	       /* intervals of `arrivals` that end with TASK_BARRIER */
	size_t first_task, task_count; /* tasks of `tasks` spawned before */
	uint64_t release_ns;	       /* the end of the last of all these */
	uint64_t resume_ns;	       /* the first one goes on; UINT64_MAX: none does */
};

struct task_joins {
	struct task_join *items;
	size_t count;
	size_t *arrivals;
	size_t arrival_count;
	uint32_t *tasks;
	uint32_t *of_task; /* [task]: its join, plus 1; 0: none; NULL: there are no joins */
};

void task_joins_init(struct task_joins *joins, const struct task_tree *tree);
void task_joins_release(struct task_joins *joins);

#endif
