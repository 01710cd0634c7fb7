/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters_private.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

struct family {
	pid_t pid, tid; /* its founder: events were opened on this thread */
	uint64_t sure_ns;
	size_t births;		 /* births of heirs, as far as they are sure */
	size_t unread;		 /* heirs whose records are missing */
	bool founder_left;	 /* the founder's records have come, see whose() */
	bool within;		 /* all its threads have inherited from another family, too */
	struct perf_count *told; /* by event: counts of threads that have ended */
};

/* A thread that inherited events. */
struct heir {
	pid_t pid, tid;
	struct family *family;
	bool born;	  /* its birth was recorded */
	bool ended;	  /* only its birth is missing */
	uint64_t time_ns; /* time of its birth or its end */
	size_t records;
	struct perf_count *counts; /* by event */
};

struct counter_ledger {
	size_t event_count, records;
	struct family **families;
	size_t family_count, capacity;
	struct sparse founders, heirs; /* by tid */
	struct perf_count *ended;      /* the result of counter_ledger_end() */
	bool lossy;
};

struct counter_ledger *counter_ledger_new(size_t event_count, size_t records)
{
	struct counter_ledger *ledger = xcalloc(1, sizeof(*ledger));

	ledger->event_count = event_count;
	ledger->records = records;
	ledger->ended = xcalloc(event_count, sizeof(*ledger->ended));
	return ledger;
}

/* --- Heirs --------------------------------------------------------------------------------- */

static bool is_tid(pid_t tid)
{
	return tid > 0 && tid < SPARSE_MAX;
}

static struct heir *add_heir(struct counter_ledger *ledger, struct family *family, pid_t pid,
			     pid_t tid, uint64_t time_ns)
{
	struct heir *heir = xcalloc(1, sizeof(*heir));

	*heir = (struct heir){.pid = pid, .tid = tid, .family = family, .time_ns = time_ns};
	heir->counts = xcalloc(ledger->event_count, sizeof(*heir->counts));
	sparse_set(&ledger->heirs, (uint32_t)tid, heir);
	return heir;
}

static void drop_heir(struct counter_ledger *ledger, struct heir *heir)
{
	sparse_set(&ledger->heirs, (uint32_t)heir->tid, NULL);
	free(heir->counts);
	free(heir);
}

void counter_ledger_free(struct counter_ledger *ledger)
{
	if (!ledger)
		return;
	for (uint32_t tid = 0; (tid = sparse_next(&ledger->heirs, tid)) < SPARSE_MAX; tid++)
		drop_heir(ledger, sparse_get(&ledger->heirs, tid));
	for (size_t i = 0; i < ledger->family_count; i++) {
		free(ledger->families[i]->told);
		free(ledger->families[i]);
	}
	sparse_release(&ledger->heirs);
	sparse_release(&ledger->founders);
	free(ledger->families);
	free(ledger->ended);
	free(ledger);
}

/* --- Births -------------------------------------------------------------------------------- */

void counter_ledger_begin(struct counter_ledger *ledger, pid_t pid, pid_t tid, uint64_t sure_ns)
{
	struct family *family = xcalloc(1, sizeof(*family));

	*family = (struct family){.pid = pid, .tid = tid, .sure_ns = sure_ns};
	family->told = xcalloc(ledger->event_count, sizeof(*family->told));
	array_reserve(&ledger->families, &ledger->capacity, ledger->family_count + 1);
	ledger->families[ledger->family_count++] = family;
	if (is_tid(tid))
		sparse_set(&ledger->founders, (uint32_t)tid, family);
}

void counter_ledger_birth(struct counter_ledger *ledger, size_t number, pid_t pid, pid_t tid,
			  uint64_t time_ns)
{
	struct family *family = ledger->families[number];
	struct family *own;
	struct heir *heir;

	if (!is_tid(tid) || family->within || time_ns < family->sure_ns)
		return;
	own = sparse_get(&ledger->founders, (uint32_t)tid);
	if (own && own != family) /* born during the search for the target, and seen twice */
		own->within = true;
	heir = sparse_get(&ledger->heirs, (uint32_t)tid);
	family->births++;
	if (heir && heir->ended && heir->time_ns >= time_ns) {
		drop_heir(ledger, heir);
		return;
	}
	if (heir) /* an earlier thread with this number */
		drop_heir(ledger, heir);
	family->unread++;
	add_heir(ledger, family, pid, tid, time_ns)->born = true;
}

void counter_ledger_lost(struct counter_ledger *ledger)
{
	ledger->lossy = true;
}

/* --- Ends ---------------------------------------------------------------------------------- */

/* Adds the count of an event on one CPU to those on the other CPUs. */
static void add_count(struct perf_count *sum, const struct perf_count *count)
{
	sum->value += count->value;
	sum->running_ns += count->running_ns;
	if (count->enabled_ns > sum->enabled_ns)
		sum->enabled_ns = count->enabled_ns;
}

static void end_heir(struct counter_ledger *ledger, struct heir *heir)
{
	struct family *family = heir->family;

	for (size_t i = 0; i < ledger->event_count; i++) {
		const struct perf_count *count = &heir->counts[i];

		ledger->ended[i] = *count;
		family->told[i].value += count->value;
		family->told[i].enabled_ns += count->enabled_ns;
		family->told[i].running_ns += count->running_ns;
	}
	family->founder_left |= heir->tid == family->tid;
	if (heir->born || heir->tid == family->tid) {
		family->unread -= heir->born;
		drop_heir(ledger, heir);
	} else {
		heir->ended = true;
	}
}

const struct perf_count *counter_ledger_end(struct counter_ledger *ledger, size_t number,
					    const struct counter_read *read)
{
	struct family *family = ledger->families[number];
	struct heir *heir;

	if (!is_tid(read->tid) || family->within)
		return NULL;
	heir = sparse_get(&ledger->heirs, (uint32_t)read->tid);
	if (heir && heir->ended) { /* an earlier thread with this number */
		drop_heir(ledger, heir);
		heir = NULL;
	}
	if (!heir)
		heir = add_heir(ledger, family, read->pid, read->tid, read->time_ns);
	add_count(&heir->counts[read->event], &read->count);
	if (++heir->records < ledger->records)
		return NULL;
	heir->time_ns = read->time_ns;
	end_heir(ledger, heir);
	return ledger->ended;
}

/* --- The rest -------------------------------------------------------------------------------- */

/*
 * Returns the thread of the rest. Usually the founder is the only thread without records. But two
 * threads with the same inherited events may swap them when one follows the other on a CPU
 * (perf_event_context_sched_out()): then the founder has records, and another thread has none.
 */
static struct counter_rest whose(const struct counter_ledger *ledger, const struct family *family)
{
	const struct counter_rest several = {family->pid, -1};

	if (ledger->lossy && family->births)
		return several;
	if (!family->unread)
		return (struct counter_rest){family->pid, family->tid};
	if (!family->founder_left || family->unread > 1)
		return several;
	for (uint32_t tid = 0; (tid = sparse_next(&ledger->heirs, tid)) < SPARSE_MAX; tid++) {
		const struct heir *heir = sparse_get(&ledger->heirs, tid);

		if (heir->family == family && heir->born && !heir->ended)
			return (struct counter_rest){heir->pid, heir->tid};
	}
	return several;
}

static uint64_t left_of(uint64_t sum, uint64_t told)
{
	return sum > told ? sum - told : 0;
}

bool counter_ledger_rest(struct counter_rest *rest, struct perf_count *sums,
			 const struct counter_ledger *ledger, size_t number)
{
	const struct family *family = ledger->families[number];

	if (family->within || (family->founder_left && !family->unread))
		return false;
	for (size_t i = 0; i < ledger->event_count; i++) {
		const struct perf_count *told = &family->told[i];

		sums[i].value = left_of(sums[i].value, told->value);
		sums[i].enabled_ns = left_of(sums[i].enabled_ns, told->enabled_ns);
		sums[i].running_ns = left_of(sums[i].running_ns, told->running_ns);
	}
	*rest = whose(ledger, family);
	return true;
}
