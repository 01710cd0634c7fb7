/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks as a graph [Huynh, Nakashima and Taura 2013, figures 5 and 6]: a task is split where it
 * waits (sync, barrier, child in place) into nodes, which spawn others and wait for them. A task at
 * the level `--level` stands as one node for all that is below it, too.
 *
 *	work	all time of segments on CPUs
 *	span	that of the critical path (dag.c): what is left on cores without end
 *	work / span	the average parallelism
 *
 * Where there are more nodes than wanted the level is lowered until there are not; at each level
 * siblings that begin at the same site, are spawned by the same node, are waited for at the same
 * place and have no graph of their own are one node before that is done. Where even the roots are
 * too many, those with the least work are one.
 */
#ifndef PSCAL_STATS_TASKS_DAG_H
#define PSCAL_STATS_TASKS_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_tree;

struct dag_options {
	uint32_t level;	  /* UINT32_MAX: as deep as the tree is */
	size_t max_nodes; /* 0: as many as there are */
};

enum dag_node_kind {
	DAG_SECTION, /* of one task, from where it begins or goes on to where it waits or ends */
	DAG_SUBTREE, /* a task and all below it */
	DAG_GROUP,   /* siblings, with all below them */
	DAG_REST,    /* roots that nothing else stands for */
	DAG_JOIN,    /* where siblings wait for each other */
};

struct dag_node {
	enum dag_node_kind kind;
	uint32_t task;	  /* the first of them; DAG_REST and DAG_JOIN: of one of them */
	uint32_t section; /* of the task, from 0 on */
	uint32_t level;	  /* of the task */
	/* DAG_SECTION: of the first and the last step of the task in it; else where it begins */
	uint32_t site, site_end;
	bool in_place;
	uint64_t members;	   /* DAG_GROUP, DAG_REST: how many siblings, or roots */
	uint64_t tasks, blocks;	   /* that begin in it; that it has */
	uint64_t work_ns;	   /* of segments on CPUs */
	uint64_t critical_ns;	   /* ... that are on the critical path */
	bool critical;		   /* the path leads through it */
	uint64_t begin_ns, end_ns; /* of the first segment and of the last one */
};

enum dag_edge_kind {
	DAG_NEXT,    /* the next node of the same task */
	DAG_SPAWN,   /* creates it */
	DAG_CALL,    /* runs it in place ... */
	DAG_RETURN,  /* ... and goes on behind that */
	DAG_SYNC,    /* is waited for */
	DAG_BARRIER, /* comes to a join, or goes on from there */
	DAG_EDGE_KINDS,
};

/* "next", "spawn", "call", "return", "sync", "barrier" */
const char *dag_edge_name(enum dag_edge_kind kind);

struct dag_edge {
	uint32_t from, to; /* nodes */
	enum dag_edge_kind kind;
	bool critical;
	uint64_t count; /* of tasks of which that is true */
};

/* All tasks that begin at one place of the source. */
struct dag_site {
	uint32_t site; /* or TASK_UNKNOWN_SITE */
	uint64_t tasks, work_ns;
	uint64_t critical_ns; /* of the work, on the critical path */
};

struct dag {
	struct dag_node *nodes;
	size_t node_count, node_capacity;
	struct dag_edge *edges; /* by from, to and kind */
	size_t edge_count, edge_capacity;
	struct dag_site *sites; /* those with most of the critical path first, then of the work */
	size_t site_count;
	uint64_t *counts; /* of each node: of each counter of the tree, or TASK_COUNT_UNKNOWN */
	size_t counter_count;
	uint64_t work_ns, span_ns;
	uint32_t level;		 /* that stands for all below, or levels of the tree: none does */
	bool is_lowered;	 /* ... lower than was asked for, to have few enough nodes */
	bool is_grouped;	 /* siblings are one node */
	uint64_t all_nodes;	 /* that there would be at the level that was asked for */
	uint64_t contradictions; /* see dag.c */
};

/* Counts in the segments of a node; borrowed. */
static inline uint64_t *dag_counts(const struct dag *dag, size_t node)
{
	return dag->counts + node * dag->counter_count;
}

/* The tree has to live as long. */
void dag_init(struct dag *dag, const struct task_tree *tree, const struct dag_options *options);
void dag_release(struct dag *dag);

/* --- Limits -------------------------------------------------------------------------------- */

/* The limit of the time in which the program runs its tasks. */
enum dag_limit {
	DAG_LIMIT_UNKNOWN,   /* there is no work, or no wall time */
	DAG_LIMIT_PATH,	     /* the critical path takes most of the run */
	DAG_LIMIT_WORKERS,   /* the workers were busy with tasks */
	DAG_LIMIT_RUN_QUEUE, /* the workers waited for CPUs */
	DAG_LIMIT_TASKS,     /* the workers had no task to run, or slept within one */
};

/* The time of the workers from the first step of a task to the last. */
struct dag_use {
	enum dag_limit limit;
	size_t workers;
	uint64_t wall_ns;
	double run_queue_s; /* of all workers; NAN: nothing of the scheduler is on record */
	double busy_share;  /* work, as a share of the time of all workers; NAN: no time */
	double path_share;  /* the critical path, as a share of the wall time; NAN */
	double parallelism; /* work / span; NAN */
};

struct dag_use dag_use_of(const struct dag *dag, const struct task_tree *tree);

/* --- Joins --------------------------------------------------------------------------------- */

/*
 * Barriers, at which children of one task wait for each other: the n-th barrier of each of them is
 * that of all which were spawned between the same two syncs of their parent. Roots have no such
 * parent, and nothing is known of what they wait for.
 *
 * What they and those below them have spawned before, and not waited for, is waited for there, too,
 * if it has ended when the first of them goes on: at a barrier of OpenMP all tasks are done.
 */
struct task_join {
	size_t first, count;	       /* in `arrivals`: intervals that end with TASK_BARRIER */
	size_t first_task, task_count; /* in `tasks`: what has been spawned before */
	uint64_t release_ns;	       /* the last one of all these has ended */
	uint64_t resume_ns;	       /* the first one goes on; UINT64_MAX: none does */
};

struct task_joins {
	struct task_join *items;
	size_t count;
	size_t *arrivals;
	size_t arrival_count;
	uint32_t *tasks;
	uint32_t *of_task; /* for each task: its join + 1; 0, or NULL where there are none */
};

void task_joins_init(struct task_joins *joins, const struct task_tree *tree);
void task_joins_release(struct task_joins *joins);

#endif
