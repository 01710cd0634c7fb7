/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "collect/target/pid_set.h"

#include <time.h>

/* Returns the CPU time of all threads of a process, past and present; 0: it has ended. */
static uintptr_t cpu_us_of(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uintptr_t)time.tv_sec * 1000000 + (uintptr_t)time.tv_nsec / 1000;
}

void call_budget_look(struct call_budget *budget, const struct pid_set *processes)
{
	pid_t pid = 0;

	while ((pid = pid_set_next(processes, pid))) {
		uintptr_t now_us = cpu_us_of(pid);
		uintptr_t then_us = (uintptr_t)sparse_get(&budget->processes, (uint32_t)pid);

		if (then_us > now_us)
			then_us = now_us; /* it has ended, or the number was another process's */
		if (budget->begun)
			budget->cpu_ns += (double)(now_us - then_us) * 1e3;
		sparse_set(&budget->processes, (uint32_t)pid, (void *)now_us);
	}
	budget->begun = true;
}

struct call_expense call_budget_expense(const struct call_budget *budget,
					const struct collector_set *collectors)
{
	struct call_expense expense = {.cpu_ns = budget->cpu_ns};

	for (size_t i = 0; i < collectors->count; i++) {
		const struct collector *collector = collectors->items[i];

		expense.calls += collector->calls;
		expense.spent_ns += collector->call_ns * (double)collector->calls;
		if (collector->cpu_ns)
			expense.cpu_ns = (double)collector->cpu_ns;
	}
	expense.share = expense.cpu_ns > expense.spent_ns ? expense.spent_ns / expense.cpu_ns : 1;
	return expense;
}

double call_budget_share(const struct call_budget *budget, const struct collector_set *collectors)
{
	const struct call_expense expense = call_budget_expense(budget, collectors);

	return expense.spent_ns < CALL_BUDGET_LEAST_NS ? 0 : expense.share;
}

void call_budget_release(struct call_budget *budget)
{
	sparse_release(&budget->processes);
}
