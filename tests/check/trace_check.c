/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/trace_check.h"

#include "base/alloc.h"
#include "base/err.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The levels of longer traces are not added up a second time. */
enum { EDGES_MAX = 1 << 16, CPUS_MAX = 1 << 16 };

struct seen {
	bool ended;
	bool any;
	uint64_t end_ns;
	enum thread_state next;
	int32_t tid;
};

/* The time at which a thread begins or ends to be active or unknown. */
struct edge {
	uint64_t time_ns;
	int32_t active, unknown;
};

struct trace_check {
	struct seen *threads;
	size_t capacity;
	uint64_t *busy_until_ns; /* of each CPU */
	size_t cpu_capacity;
	uint64_t begin_ns, now_ns;
	bool begun;
	struct edge *edges;
	size_t edge_count, edge_capacity;
};

struct trace_check *trace_check_new(void)
{
	return xcalloc(1, sizeof(struct trace_check));
}

void trace_check_free(struct trace_check *check)
{
	free(check->threads);
	free(check->busy_until_ns);
	free(check->edges);
	free(check);
}

/* --- Changes ------------------------------------------------------------------------------- */

void trace_check_begin(struct trace_check *check, uint64_t begin_ns)
{
	if (check->begun)
		return;
	check->begun = true;
	check->begin_ns = begin_ns;
}

/* A state may be corrected later: to a less definite one, or to a wait. */
static bool may_turn_out(enum thread_state told, enum thread_state state)
{
	return told == state || state == STATE_UNKNOWN || state == STATE_ACTIVE ||
	       state == STATE_RUNNABLE || state == STATE_INACTIVE;
}

static int check_continuity(const struct trace_check *check, const struct seen *seen,
			    const struct change *change, struct err *err)
{
	if (!seen->any && change->state == STATE_NONE && change->begin_ns == change->end_ns)
		return 0;
	if (!seen->any && change->state != STATE_NONE && change->begin_ns == check->begin_ns)
		return 0;
	if (!seen->any)
		return err_set(err,
			       "thread %zu (tid %d) begins in the middle, at %" PRIu64 " as %s",
			       change->thread, change->tid, change->begin_ns,
			       thread_state_name(change->state));
	if (seen->ended)
		return err_set(err, "thread %zu (tid %d) continues after its end", change->thread,
			       change->tid);
	if (seen->end_ns != change->begin_ns)
		return err_set(err, "tid %d continues at %" PRIu64 ", not at %" PRIu64, change->tid,
			       change->begin_ns, seen->end_ns);
	if (seen->tid != change->tid)
		return err_set(err, "tid %d turns into %d", seen->tid, change->tid);
	if (!may_turn_out(seen->next, change->state))
		return err_set(err, "tid %d was %s and turns out to have been %s", change->tid,
			       thread_state_name(seen->next), thread_state_name(change->state));
	return 0;
}

static int check_cpu(struct trace_check *check, const struct change *change, struct err *err)
{
	if (change->state != STATE_RUNNING || change->cpu < 0)
		return 0;
	if (change->cpu >= CPUS_MAX)
		return err_set(err, "tid %d runs on CPU %d", change->tid, change->cpu);
	array_reserve(&check->busy_until_ns, &check->cpu_capacity, (size_t)change->cpu + 1);
	if (change->begin_ns < check->busy_until_ns[change->cpu])
		return err_set(err,
			       "CPU %d runs tid %d from %" PRIu64 " on and another up to %" PRIu64,
			       change->cpu, change->tid, change->begin_ns,
			       check->busy_until_ns[change->cpu]);
	check->busy_until_ns[change->cpu] = change->end_ns;
	return 0;
}

static void add_edge(struct trace_check *check, uint64_t time_ns, enum thread_state state,
		     int32_t by)
{
	bool active = thread_state_is_active(state);

	if ((!active && state != STATE_UNKNOWN) || check->edge_count == EDGES_MAX)
		return;
	array_reserve(&check->edges, &check->edge_capacity, check->edge_count + 1);
	check->edges[check->edge_count++] =
		(struct edge){time_ns, active ? by : 0, active ? 0 : by};
}

int trace_check_change(struct trace_check *check, const struct change *change, struct err *err)
{
	struct seen *seen;

	if (change->begin_ns > change->end_ns)
		return err_set(err, "tid %d ends before it begins", change->tid);
	if (change->end_ns < check->now_ns)
		return err_set(err, "time goes back, to %" PRIu64, change->end_ns);
	if (change->state >= STATE_COUNT || change->next >= STATE_COUNT || change->tid <= 0 ||
	    !memchr(change->comm, '\0', sizeof(change->comm)))
		return err_set(err, "a change of tid %d is no change", change->tid);
	trace_check_begin(check, change->begin_ns);
	array_reserve(&check->threads, &check->capacity, change->thread + 1);
	seen = &check->threads[change->thread];
	if (check_continuity(check, seen, change, err) || check_cpu(check, change, err))
		return -1;
	add_edge(check, change->begin_ns, change->state, +1);
	add_edge(check, change->end_ns, change->state, -1);
	check->now_ns = change->end_ns;
	*seen = (struct seen){change->next == STATE_NONE, true, change->end_ns, change->next,
			      change->tid};
	return 0;
}

/* --- Levels -------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	return (one->time_ns > other->time_ns) - (one->time_ns < other->time_ns);
}

/* The slow way: sorts the edges by time, and counts the threads ready between them. */
static uint64_t *add_up(const struct trace_check *check, uint64_t *unknown_ns)
{
	uint64_t *wall_ns = xcalloc(check->edge_count + 1, sizeof(*wall_ns));
	uint64_t last_ns = check->begin_ns;
	int32_t active = 0, unknown = 0;

	*unknown_ns = 0;
	qsort(check->edges, check->edge_count, sizeof(*check->edges), compare_edges);
	for (size_t i = 0; i <= check->edge_count; i++) {
		bool end = i == check->edge_count;
		uint64_t now_ns = end ? check->now_ns : check->edges[i].time_ns;

		*(unknown ? unknown_ns : &wall_ns[active]) += now_ns - last_ns;
		last_ns = now_ns;
		active += end ? 0 : check->edges[i].active;
		unknown += end ? 0 : check->edges[i].unknown;
	}
	return wall_ns;
}

static int compare_levels(const struct trace_check *check, const struct level_times *levels,
			  struct err *err)
{
	uint64_t unknown_ns, *wall_ns;
	int rc = 0;

	if (!check->edge_count || check->edge_count == EDGES_MAX)
		return 0;
	wall_ns = add_up(check, &unknown_ns);
	if (unknown_ns != levels->unknown_ns)
		rc = err_set(err, "%" PRIu64 " ns are unknown, not %" PRIu64, unknown_ns,
			     levels->unknown_ns);
	for (size_t j = 0; !rc && j <= check->edge_count; j++) {
		uint64_t got = j <= levels->max_active ? levels->wall_ns[j] : 0;

		if (got != wall_ns[j])
			rc = err_set(err, "%" PRIu64 " ns have %zu threads active, not %" PRIu64,
				     wall_ns[j], j, got);
	}
	free(wall_ns);
	return rc;
}

int trace_check_levels(struct trace_check *check, const struct level_times *levels, struct err *err)
{
	uint64_t sum = levels->unknown_ns;

	for (size_t j = 0; j <= levels->max_active; j++)
		sum += levels->wall_ns[j];
	if (sum != levels->total_ns)
		return err_set(err, "the levels add up to %" PRIu64 " ns, not to %" PRIu64, sum,
			       levels->total_ns);
	if (check->begun && sum != check->now_ns - check->begin_ns)
		return err_set(err,
			       "the levels add up to %" PRIu64 " ns, but the wall time is %" PRIu64,
			       sum, check->now_ns - check->begin_ns);
	return compare_levels(check, levels, err);
}
