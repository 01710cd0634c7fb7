/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extract.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"
#include "model/extract/extraction.h"
#include "replay/forecast/why.h"
#include "replay/recognise/connections.h"
#include "replay/recognise/recognise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Findings --------------------------------------------------------------------------------- */

void model_findings_release(struct model_findings *findings)
{
	for (size_t i = 0; i < findings->doubt_count; i++)
		free(findings->doubts[i]);
	free(findings->doubts);
	*findings = (struct model_findings){0};
}

void extraction_doubt(struct extraction *extraction, const char *format, ...)
{
	struct model_findings *findings = extraction->findings;
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	findings->doubts = xreallocarray(findings->doubts, findings->doubt_count + 1,
					 sizeof(*findings->doubts));
	findings->doubts[findings->doubt_count++] = text;
}

/* --- Names ------------------------------------------------------------------------------------ */

char *extraction_name(struct extraction *extraction, const char *format, ...)
{
	const size_t most = MODEL_NAME_MAX - 8;
	va_list arguments;
	char *wanted, *name;

	va_start(arguments, format);
	if (vasprintf(&wanted, format, arguments) < 0)
		abort();
	va_end(arguments);
	if (strlen(wanted) > most)
		wanted[most] = '\0';
	name = xstrdup(*wanted ? wanted : "unnamed");
	for (unsigned i = 2; map_find(&extraction->names, name, strlen(name)) != MAP_NONE; i++) {
		free(name);
		name = xasprintf("%s-%u", wanted, i);
	}
	map_add(&extraction->names, name, strlen(name));
	free(wanted);
	return name;
}

/* --- Reasons for no model --------------------------------------------------------------------- */

static bool has_library_calls(const struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			if (step_op(&program->threads[i].steps[j]) == STEP_CALL &&
			    step_call(&program->threads[i].steps[j]) >= SYNC_MUTEX_LOCK)
				return true;
	return false;
}

static const char *why_no_model(const struct extraction *extraction, bool has_calls)
{
	if (!extraction->program->has_wakes)
		return "no model: the recording has no wakeups; 'pscal record --requests' records "
		       "them";
	if (!has_calls && extraction->network == PROGRAM_NONE)
		return "no model: the recording has no calls of locks and conditions, so queues "
		       "are unknown; 'pscal record --requests' records them";
	if (extraction->event_loop)
		return "no model: threads read further requests before they answer earlier ones, "
		       "as event loops do, and queues inside a thread are invisible; 'pscal "
		       "forecast -n LIST' forecasts other core counts";
	if (!extraction->model->pool_count)
		return "no model: no threads take work from a queue of the C library's locks and "
		       "conditions (queues of event loops, busy-waiting, broadcasts and work "
		       "split beforehand have no model); 'pscal forecast -n LIST' forecasts "
		       "other core counts";
	if (!extraction->model->source_count)
		return "no model: no recorded thread puts requests into the queue of a pool; "
		       "record all threads of the server, for longer";
	if (!extraction->findings->requests)
		return "no model: no request was answered during the recording; record for longer";
	return NULL;
}

/* --- Doubts ----------------------------------------------------------------------------------- */

/* Adds a doubt about pools with few visits, and names the one with the fewest. */
static void doubt_visits(struct extraction *extraction)
{
	const size_t few = 200;
	const struct model_pool *fewest = NULL;
	size_t pools = 0;

	for (size_t i = 0; i < extraction->model->pool_count; i++) {
		const struct model_pool *pool = &extraction->model->pools[i];

		if (!pool->visit_count || pool->visit_count >= few)
			continue;
		pools++;
		if (!fewest || pool->visit_count < fewest->visit_count)
			fewest = pool;
	}
	if (pools == 1)
		extraction_doubt(extraction,
				 "Only %zu visits of %s were recorded, fewer than %zu; record it "
				 "for longer.",
				 fewest->visit_count, fewest->name, few);
	else if (pools)
		extraction_doubt(
			extraction,
			"%zu pools have fewer than %zu recorded visits (%s: %zu); record it for "
			"longer.",
			pools, few, fewest->name, fewest->visit_count);
}

static void doubt_pools(struct extraction *extraction)
{
	for (size_t i = 0; i < extraction->group_count; i++) {
		const struct group *group = &extraction->groups[i];
		const struct model_pool *pool;

		if (group->pool == MODEL_NONE)
			continue;
		pool = &extraction->model->pools[group->pool];
		if (pool->fixed)
			extraction_doubt(
				extraction,
				"The number of threads of %s changed during the recording: the "
				"program may not keep the number of --threads.",
				pool->name);
		if (pool->visit_count && group->yields > 3 * group->visits)
			extraction_doubt(extraction,
					 "Threads of %s wait by calling sched_yield; that CPU time "
					 "counts as work.",
					 pool->name);
	}
}

static void doubt_waits(struct extraction *extraction, double visits_ns)
{
	const double few = .05;

	if ((double)extraction->kept_ns > few * visits_ns)
		extraction_doubt(extraction,
				 "%.0f %% of the time of visits are waits for other threads "
				 "outside of locks and queues; they keep their length.",
				 100 * (double)extraction->kept_ns / visits_ns);
	extraction_doubt_disk(extraction, visits_ns);
}

/* Adds a doubt if threads of no pool, in processes with a pool, use much CPU time. */
static void doubt_rest(struct extraction *extraction)
{
	uint64_t rest_ns = 0, all_ns = 0;
	struct map pids = {0};

	for (size_t i = 0; i < extraction->group_count; i++)
		if (extraction->groups[i].pool != MODEL_NONE && extraction->groups[i].pid >= 0)
			map_add_u64(&pids, (uint32_t)extraction->groups[i].pid);
	for (size_t i = 0; i < extraction->group_count; i++) {
		const struct group *group = &extraction->groups[i];

		if (map_find_u64(&pids, (uint32_t)group->pid) == MAP_NONE)
			continue;
		all_ns += group->run_ns;
		if (group->pool == MODEL_NONE)
			rest_ns += group->run_ns;
	}
	map_release(&pids);
	if (rest_ns > all_ns / 5)
		extraction_doubt(extraction,
				 "%.0f %% of the CPU time is of threads in no pool, such as "
				 "clients; the model leaves it out.",
				 100 * (double)rest_ns / (double)all_ns);
}

static void doubt_joins(struct extraction *extraction)
{
	struct model_findings *findings = extraction->findings;
	uint64_t gets = 0, unjoined = 0;

	for (size_t i = 0; i < extraction->visit_count; i++) {
		gets += extraction->visits[i].site != PROGRAM_NONE;
		unjoined += extraction->visits[i].site != PROGRAM_NONE &&
			    extraction->visits[i].put == MODEL_NONE;
	}
	findings->unjoined_share = gets ? (double)unjoined / (double)gets : 0;
	findings->odd_gets = extraction->odd_joins;
	if (findings->unjoined_share > .05)
		extraction_doubt(
			extraction,
			"%.0f %% of the tokens taken belong to no recorded request: the queue may "
			"not be first in, first out. Do not trust response times.",
			100 * findings->unjoined_share);
}

/* Adds doubts about sockets: requests that wait when the recording begins are unknown. */
static void doubt_connections(struct extraction *extraction, const struct connections *connections)
{
	if (connections->pipelined > connections->turn_count / 10)
		extraction_doubt(extraction,
				 "Clients send requests before earlier ones are answered. The "
				 "number of waiting requests is known only for connections that "
				 "began in the recording; else give --clients.");
	if (connections->handed_over > connections->turn_count / 10)
		extraction_doubt(extraction,
				 "%.0f %% of the requests are answered by another thread than the "
				 "one that read them.",
				 100 * (double)connections->handed_over /
					 (double)connections->turn_count);
}

/*
 * Adds a doubt if other programs used the CPUs. Without them, threads wait about b / (1 - b) times
 * as long as they run if a share b of a core is busy, and less on several cores: waits show other
 * programs whose CPU time is unknown.
 */
static void doubt_machine(struct extraction *extraction)
{
	const struct program *program = extraction->program;
	double run_s = (double)program->shares.run_ns / 1e9;
	double ready_s = (double)program->shares.runnable_ns / 1e9;
	double wall_s = (double)program->wall_ns / 1e9;
	double cores = extraction->model->machine.cores, busy = run_s / wall_s / cores;
	double others = (double)program->others_ns / 1e9 / wall_s;

	if (others > .1 * cores) {
		extraction_doubt(
			extraction,
			"Other programs, maybe clients, used %.1f of %.0f CPU%s: the model "
			"leaves their CPU time out.",
			fmin(others, cores), cores, cores == 1 ? "" : "s");
		return;
	}
	if (!(busy < .9) || ready_s < .2 * run_s + 2 * run_s * busy / (1 - busy))
		return;
	extraction_doubt(
		extraction,
		"Threads waited %.1f s for a CPU while the program used %.1f of %.0f: other "
		"programs used the rest, and the model leaves them out. Record on an idle machine.",
		ready_s, run_s / wall_s, cores);
}

static void find_doubts(struct extraction *extraction, uint64_t taken_ns)
{
	const struct model_findings *findings = extraction->findings;
	uint64_t run_ns = extraction->program->shares.run_ns;
	double visits_ns = 0;

	for (size_t i = 0; i < extraction->visit_count; i++)
		if (extraction->visits[i].end_ns)
			visits_ns += (double)(extraction->visits[i].end_ns -
					      extraction->visits[i].begin_ns);
	doubt_machine(extraction);
	doubt_visits(extraction);
	doubt_pools(extraction);
	doubt_waits(extraction, visits_ns);
	if (extraction->visit_count)
		doubt_rest(extraction);
	if (findings->arrivals.undecided && !isnan(findings->arrivals.slope))
		extraction_doubt(extraction,
				 "It is unknown whether requests wait for answers (slope %.2f, 95 "
				 "%% interval %.2f to %.2f); the model assumes that they %s. "
				 "Give --rate or --clients.",
				 findings->arrivals.slope, findings->arrivals.slope_lo,
				 findings->arrivals.slope_hi,
				 extraction->model->sources[0].kind == MODEL_CLOSED ? "do"
										    : "do not");
	if (taken_ns > run_ns / 10)
		extraction_doubt(extraction,
				 "Recording took %.0f %% of the CPU time; the model leaves it out, "
				 "but recorded waits include it.",
				 100 * (double)taken_ns / (double)run_ns);
}

/* --- Extraction ------------------------------------------------------------------------------- */

static void find_machine(struct model_machine *machine, const struct program *program)
{
	machine->cores = program->cores ? program->cores : 1;
	machine->switch_s = (double)program->costs.switch_ns / 1e9;
	machine->wake_s = (double)program->costs.wake_ns / 1e9;
	machine->slice_s = (double)program->costs.slice_ns / 1e9;
}

static void extraction_init(struct extraction *extraction)
{
	struct program *program = extraction->program;
	static const enum model_dispatch dispatches[] = {[CONNECTION_ANY] = MODEL_SHARED,
							 [CONNECTION_ONE] = MODEL_PINNED,
							 [CONNECTION_OWN] = MODEL_CONNECTION};
	struct connections connections;

	map_add(&extraction->names, "machine", strlen("machine")); /* see model_validate() */
	connections_find(&connections, program);
	extraction->network = connections_apply(program, &connections);
	extraction->dispatch = dispatches[connections.threads];
	extraction->short_connections = connections.turn_count < 2 * connections.count;
	extraction->event_loop = connections.overlapping > connections.turn_count / 10;
	doubt_connections(extraction, &connections);
	extraction->asks = connections.asks;
	connections.asks = NULL;
	connections_release(&connections);

	extraction->objects = xcalloc(program->site_count + 1, sizeof(*extraction->objects));
	for (size_t i = 0; i < program->site_count; i++)
		extraction->objects[i].station = extraction->objects[i].giver = MODEL_NONE;
	extraction->groups_of = xcalloc(program->thread_count + 1, sizeof(*extraction->groups_of));
}

static void extraction_release(struct extraction *extraction)
{
	for (size_t i = 0; i < extraction->group_count; i++)
		free(extraction->groups[i].name);
	map_release(&extraction->names);
	free(extraction->groups);
	free(extraction->groups_of);
	free(extraction->wakers);
	free(extraction->objects);
	free(extraction->puts);
	free(extraction->visits);
	free(extraction->asks);
	free(extraction->begins);
	free(extraction->ends);
	free(extraction->requests);
	free(extraction->device_waits);
}

int model_extract(struct model *model, struct model_findings *findings, struct program *program,
		  struct chain_names *names, struct err *err)
{
	struct extraction extraction = {.program = program, .model = model, .findings = findings};
	bool has_calls = has_library_calls(program), shared = false;
	struct recognised recognised;
	uint64_t taken_ns;

	*findings = (struct model_findings){0};
	findings->arrivals = (struct model_arrivals_found){NAN, NAN, NAN, NAN, NAN, false};
	model_init(model);
	taken_ns = recognise_take_out_costs(program);
	recognise(program, &recognised);
	if (names)
		wait_names_apply(program, names);
	find_machine(&model->machine, program);
	extraction_init(&extraction);
	if (program->gap_capacity) {
		extraction_find_parts(&extraction);
		extraction_find_requests(&extraction);
		extraction_find_disk(&extraction);
		extraction_make_pools(&extraction);
		shared = has_calls && !model->pool_count && extraction_share_work(&extraction);
	}
	if (program->gap_capacity && !shared) {
		extraction_make_sources(&extraction);
		extraction_make_check(&extraction);
		doubt_joins(&extraction);
	}
	findings->reason = why_no_model(&extraction, has_calls);
	if (!findings->reason)
		find_doubts(&extraction, taken_ns);
	extraction_release(&extraction);
	return !findings->reason && model_validate(model, err)
		       ? err_wrap(err, "the model of the recording")
		       : 0;
}
