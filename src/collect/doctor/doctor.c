/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/doctor/doctor.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/calls/calls.h"
#include "collect/counters/counters.h"
#include "collect/kernel/permission.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/tracefs.h"
#include "collect/kernel/uprobes.h"
#include "collect/sched/scheduler.h"
#include "collect/sweep/conditions.h"

#include <stdlib.h>
#include <string.h>

/* Adds a fact. Takes ownership of `text`. */
static void add_fact(struct doctor *doctor, const char *key, enum doctor_answer answer, char *text)
{
	doctor->facts[doctor->count++] = (struct doctor_fact){key, answer, text};
}

/* --- The machine ------------------------------------------------------------------------------ */

static const char *condition_of(const struct conditions *conditions, const char *key)
{
	for (int i = 0; i < conditions->count; i++)
		if (strcmp(conditions->items[i].key, key) == 0)
			return conditions->items[i].value;
	return "unknown";
}

double doctor_quota(const char *root)
{
	struct cpu_quota quota;

	return cpu_quota_find(&quota, root, 0) ? 0
					       : (double)quota.quota_ns / (double)quota.period_ns;
}

static void tell_machine(struct doctor *doctor, const char *root)
{
	double quota = doctor_quota(root);
	struct conditions conditions;

	conditions_read(&conditions, root);
	add_fact(doctor, "kernel", DOCTOR_YES, xstrdup(condition_of(&conditions, "kernel")));
	add_fact(doctor, "cpus", DOCTOR_YES,
		 quota > 0 ? xasprintf("%s; a control group limits them to %.3g",
				       condition_of(&conditions, "cpu_threads"), quota)
			   : xstrdup(condition_of(&conditions, "cpu_threads")));
	conditions_release(&conditions);
}

/* --- Rights ----------------------------------------------------------------------------------- */

/* Returns the fact with this text: without tracefs, most trials fail for the same reason. */
static const char *key_of(const struct doctor *doctor, const char *text)
{
	for (int i = 0; i < doctor->count; i++)
		if (strcmp(doctor->facts[i].text, text) == 0)
			return doctor->facts[i].key;
	return NULL;
}

/* Adds the result of a trial: `text` if it opened, otherwise the error. */
static void add_trial(struct doctor *doctor, const char *key, int rc, const char *text,
		      const struct err *err)
{
	const char *before = rc ? key_of(doctor, err->text) : NULL;

	add_fact(doctor, key, rc ? DOCTOR_NO : DOCTOR_YES,
		 before ? xasprintf("for the same reason as %s", before)
			: xstrdup(rc ? err->text : text));
}

static void try_collectors(struct doctor *doctor, const char *tracefs)
{
	static const struct {
		enum scheduler_choice choice;
		const char *name, *key, *text;
	} trials[] = {
		{SCHEDULER_BPF, "bpf", "collector_bpf",
		 "sees all threads, wakeups and calls, at the least cost"},
		{SCHEDULER_PERF, "perf", "collector_perf", "sees all threads and wakeups"},
		{SCHEDULER_TASK, "task", "collector_task",
		 "sees the user's own threads, without wakeups"},
	};

	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		struct err err;
		int rc = scheduler_try(trials[i].choice, tracefs, &err);

		if (!rc && !doctor->collector)
			doctor->collector = trials[i].name;
		add_trial(doctor, trials[i].key, rc, trials[i].text, &err);
	}
}

#define NO_TRACEPOINTS "these are tracepoints, which this user has no right to open"

static void try_probes(struct doctor *doctor, const char *tracefs)
{
	struct err err;
	int rc = tracefs ? uprobes_check(tracefs, &err) : tracefs_explain(&err);

	if (!rc && doctor->remedy)
		rc = err_set(&err, NO_TRACEPOINTS);
	add_trial(doctor, "uprobes", rc,
		  sync_tracer_links() ? "--uprobe and --sync=all, which attaches all probes at once"
				      : "--uprobe and --sync=all, one probe after the other, as "
					"the kernel has no uprobe_multi links (Linux 6.6)",
		  &err);
#ifdef __x86_64__
	add_fact(doctor, "blocks", DOCTOR_YES, xstrdup("--probe, in programs of x86-64"));
#else
	add_fact(
		doctor, "blocks", DOCTOR_NO,
		xstrdup("--probe is for x86-64: take --uprobe, or mark blocks with pscal/probe.h"));
#endif
}

/* Tries to record requests, which needs the right to open tracepoints, as probes do. */
static void try_requests(struct doctor *doctor, const char *tracefs)
{
	struct err err;
	int rc = tracefs ? socket_tracer_check(tracefs, &err) : tracefs_explain(&err);

	if (!rc && doctor->remedy)
		rc = err_set(&err, NO_TRACEPOINTS);
	add_trial(doctor, "requests", rc, "--requests, for the model of a server", &err);
}

/* Tries to open counters, events of the user's own threads as in the collector task. */
static void try_counters(struct doctor *doctor, const char *tracefs)
{
	struct err err;
	int rc = scheduler_try(SCHEDULER_TASK, tracefs, &err);
	bool has = !rc && counter_probe_hardware();

	if (rc || has)
		add_trial(doctor, "counters", rc,
			  "hardware and software events; 'pscal list' names them", &err);
	else
		add_fact(doctor, "counters", DOCTOR_PART,
			 xstrdup("only software events, as there is no PMU (a virtual machine?)"));
}

void doctor_examine(struct doctor *doctor, const char *root)
{
	struct tracefs tracefs;
	struct err err;
	int rc = tracefs_open(&tracefs, NULL, &err);

	*doctor = (struct doctor){.remedy = permission_remedy(tracefs.root)};
	tell_machine(doctor, root);
	add_fact(doctor, "rights", DOCTOR_YES, permission_describe());
	add_trial(doctor, "tracefs", rc, tracefs.own ? "mounted for each recording" : tracefs.root,
		  &err);
	try_collectors(doctor, tracefs.root);
	try_probes(doctor, tracefs.root);
	try_requests(doctor, tracefs.root);
	try_counters(doctor, tracefs.root);
	add_fact(doctor, "reading", DOCTOR_YES,
		 xstrdup("recordings of any machine, by pscal and by perf"));
	tracefs_close(&tracefs, NULL);
}

void doctor_release(struct doctor *doctor)
{
	for (int i = 0; i < doctor->count; i++)
		free(doctor->facts[i].text);
	free(doctor->remedy);
	*doctor = (struct doctor){.count = 0};
}
