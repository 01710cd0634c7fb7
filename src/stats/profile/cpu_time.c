/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/cpu_time.h"

#include "decode/event/event_source.h"
#include "stats/profile/durations.h"
#include "stats/profile/profile.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stddef.h>

/* --- CPUs ---------------------------------------------------------------------------------- */

static const double MOSTLY = .5;     /* share of the known time */
static const double WAITS_MUCH = .2; /* share of the time in which threads are ready */
static const double FILLS = .9;	     /* share of the cores */
/* Above these the share of other programs is not known: */
static const double UNSURE_MOST = .1; /* unsure time, of the CPU time */
/* unknown time, of the wall time: CPU time is known for all of it */
static const double UNKNOWN_MOST = .05;

double cpu_taken_ns(double lacked_ns, double cpu_ns, uint64_t busy_ns, unsigned cores)
{
	const double tick_ns = 1e7; /* a tick of /proc/stat: USER_HZ is 100 on all machines */

	double noise_ns = sqrt(cores) * tick_ns;

	return busy_ns ? fmin(lacked_ns, fmax((double)busy_ns - cpu_ns - noise_ns, 0)) : lacked_ns;
}

double cpu_lacked_ns(const struct profile *profile, const struct level_times *levels, double cpu_ns,
		     double unsure_ns)
{
	if (!profile->cores || profile->quality.no_wakes || isnan(profile->mean_active) ||
	    unsure_ns > UNSURE_MOST * cpu_ns ||
	    (double)levels->unknown_ns > UNKNOWN_MOST * (double)levels->total_ns)
		return NAN;
	return fmax(level_times_usable_ns(levels, profile->cores) - cpu_ns, 0);
}

/*
 * Returns the CPU time that a quota withheld: in the throttled time that is seen, and all above the
 * quota. Other programs hide throttled time, as they slow the use of a quota that is used up anyway.
 */
static double withheld_ns(const struct profile *profile, double all_ns, double cpu_ns)
{
	const struct target_quota *quota = &profile->quota;
	double seen_ns = level_times_usable_ns(&profile->throttled_levels, profile->cores);
	double allowed_ns;

	if (!quota->quota_ns || !quota->period_ns || (quota->periods && !quota->throttled))
		return seen_ns;
	allowed_ns = (double)quota->quota_ns / (double)quota->period_ns *
		     (double)profile->levels.total_ns;
	return fmax(seen_ns, all_ns - fmax(allowed_ns, cpu_ns));
}

static void find_lacked(struct cpu_usage *usage, const struct profile *profile)
{
	const struct level_times *levels = &profile->levels;
	double cpu_ns = (double)usage->cpu_ns;
	double all_ns = level_times_usable_ns(levels, profile->cores);
	double throttled_ns = withheld_ns(profile, all_ns, cpu_ns);
	double lacked_ns = cpu_lacked_ns(profile, levels, cpu_ns, (double)usage->unsure_ns);
	double usable_ns = all_ns - throttled_ns;
	double share = usable_ns > 0 ? 1 / usable_ns : 0;

	usage->throttled_share = all_ns > 0 ? throttled_ns / all_ns : 0;
	if (!isnan(lacked_ns))
		lacked_ns = fmax(lacked_ns - throttled_ns, 0);
	usage->lacked_share = lacked_ns * share;
	usage->others_share =
		isnan(lacked_ns)
			? lacked_ns
			: cpu_taken_ns(lacked_ns, cpu_ns, profile->busy_ns, profile->cores) * share;
}

/* Returns true if the quota withheld more than all else did. */
static bool is_throttled(const struct cpu_usage *usage)
{
	return usage->throttled_share > usage->lacked_share * (1 - usage->throttled_share);
}

/* Returns the verdict if nothing is unknown. */
static enum cpu_verdict verdict_so_far(const struct cpu_usage *usage, const struct profile *profile,
				       double known_ns)
{
	double cpu_ns = (double)usage->cpu_ns;
	double waited_ns = (double)usage->wait_ns + (double)profile->throttled.wait_ns;
	bool fills = profile->cores && usage->cpus >= FILLS * profile->cores;

	if (isnan(profile->mean_active))
		return CPU_UNKNOWN;
	if ((double)profile->levels.wall_ns[0] > MOSTLY * known_ns)
		return CPU_IDLE;
	if ((double)usage->few_ns > MOSTLY * known_ns)
		return CPU_SERIAL;
	if (waited_ns > WAITS_MUCH * (cpu_ns + waited_ns))
		return fills ? CPU_TOO_FEW : is_throttled(usage) ? CPU_THROTTLED : CPU_OTHERS;
	return fills ? CPU_FULL : CPU_SATISFIED;
}

/*
 * Returns the verdict. Without wakeups more threads may have been ready, and have waited longer;
 * threads in unknown states may have waited.
 */
static enum cpu_verdict verdict_of(const struct cpu_usage *usage, const struct profile *profile,
				   double known_ns)
{
	enum cpu_verdict verdict = verdict_so_far(usage, profile, known_ns);
	bool few = verdict == CPU_IDLE || verdict == CPU_SERIAL || verdict == CPU_SATISFIED;
	double cpu_ns = (double)usage->cpu_ns, unsure_ns = (double)usage->unsure_ns;

	if (few && profile->quality.no_wakes)
		return CPU_UNKNOWN;
	if (verdict == CPU_SATISFIED && unsure_ns > MOSTLY * (cpu_ns + unsure_ns))
		return CPU_UNKNOWN;
	return verdict;
}

void cpu_usage_init(struct cpu_usage *usage, const struct profile *profile)
{
	const struct level_times *levels = &profile->levels;
	double known_ns = (double)(levels->total_ns - levels->unknown_ns);

	*usage = (struct cpu_usage){
		.few_ns = levels->wall_ns[0] + (levels->max_active ? levels->wall_ns[1] : 0),
		.wait_count = profile->waits.count,
		.wait_ns = profile->waits.sum_ns,
		.wait_longest_ns = profile->waits.longest_ns,
		.wait_p50_ns = durations_quantile(&profile->waits, .5),
		.wait_p99_ns = durations_quantile(&profile->waits, .99),
	};
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		usage->cpu_ns += thread->state_ns[STATE_RUNNING];
		usage->unsure_ns +=
			thread->state_ns[STATE_ACTIVE] + thread->state_ns[STATE_UNKNOWN];
		usage->voluntary += thread->voluntary;
		usage->involuntary += thread->involuntary;
		usage->other_switches += thread->switches - thread->voluntary - thread->involuntary;
	}
	usage->few_share = known_ns > 0 ? (double)usage->few_ns / known_ns : (double)NAN;
	usage->cpus =
		levels->total_ns ? (double)usage->cpu_ns / (double)levels->total_ns : (double)NAN;
	find_lacked(usage, profile);
	usage->verdict = verdict_of(usage, profile, known_ns);
}

/* --- Overhead ------------------------------------------------------------------------------ */

#define UNSURE (1. / 3)

/* A begin and an end. Other steps cost as much, as all read the time once. */
enum { STEPS_MEASURED = 2 };

void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target)
{
	double running_s = 0;

	*overhead = (struct overhead){
		.has_switch_cost = target->has_cost,
		.switch_ns = (double)target->cost_switch_ns,
		.call_ns = (double)target->cost_call_ns,
		.system_call_ns = (double)target->cost_system_call_ns,
		.calls = profile->calls.library,
		.system_calls = profile->calls.system,
		.block_ns = target->block_cost_ns,
		.probed_ns = (double)target->uprobe_cost_ns,
		.blocks = profile->calls.blocks,
		.probed = profile->calls.probed,
		.step_ns = target->task_cost_ns / STEPS_MEASURED,
		.steps = profile->calls.steps,
		.recorder_s = (double)target->own_cpu_ns / 1e9,
	};
	for (size_t i = 0; i < profile->thread_count; i++) {
		overhead->switches += profile->threads[i].switches;
		running_s += (double)profile->threads[i].state_ns[STATE_RUNNING] / 1e9;
	}
	overhead->calls_s = ((double)overhead->calls * overhead->call_ns +
			     (double)overhead->system_calls * overhead->system_call_ns) /
			    1e9;
	overhead->blocks_s = ((double)overhead->blocks * overhead->block_ns +
			      (double)overhead->probed * overhead->probed_ns) /
			     1e9;
	overhead->steps_s = (double)overhead->steps * overhead->step_ns / 1e9;
	overhead->added_s = (double)overhead->switches * overhead->switch_ns / 1e9 +
			    overhead->calls_s + overhead->blocks_s + overhead->steps_s;
	if (running_s <= 0)
		return;
	overhead->added_share = overhead->added_s / running_s;
	if (running_s > overhead->calls_s)
		overhead->unsure_share = (overhead->added_s - (1 - UNSURE) * overhead->calls_s) /
					 (running_s - overhead->calls_s);
}

static double counter_hardware_total(const struct counter_table *table, uint64_t config)
{
	for (size_t i = 0; i < table->counter_count; i++)
		if (table->counters[i].type == PERF_TYPE_HARDWARE &&
		    table->counters[i].config == config)
			return table->totals[i].value;
	return (double)NAN;
}

static double counter_ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

/* NAN: not counted. */
static struct counter_rates counter_rates_from(double instructions, double cycles, double misses)
{
	return (struct counter_rates){counter_ratio(instructions, cycles),
				      1000 * counter_ratio(misses, instructions)};
}

struct counter_rates counter_rates_of(const struct counter_table *table)
{
	return counter_rates_from(counter_hardware_total(table, PERF_COUNT_HW_INSTRUCTIONS),
				  counter_hardware_total(table, PERF_COUNT_HW_CPU_CYCLES),
				  counter_hardware_total(table, PERF_COUNT_HW_CACHE_MISSES));
}

struct counter_rates counter_rates_of_counts(const struct counts *counts)
{
	double totals[PERF_COUNT_HW_MAX];

	for (size_t i = 0; i < PERF_COUNT_HW_MAX; i++)
		totals[i] = NAN;
	for (size_t i = 0; i < counts->row_count; i++) {
		const struct count *count = &counts->rows[i];
		const struct counter *counter = &counts->counters[count->counter];
		double share = count->has_times && count->enabled_ns
				       ? (double)count->running_ns / (double)count->enabled_ns
				       : 1;

		if (counter->type == PERF_TYPE_HARDWARE && counter->config < PERF_COUNT_HW_MAX &&
		    share > 0)
			totals[counter->config] =
				fmax(totals[counter->config], 0) + (double)count->value / share;
	}
	return counter_rates_from(totals[PERF_COUNT_HW_INSTRUCTIONS],
				  totals[PERF_COUNT_HW_CPU_CYCLES],
				  totals[PERF_COUNT_HW_CACHE_MISSES]);
}
