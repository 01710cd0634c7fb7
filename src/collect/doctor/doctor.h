/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rights and the machine for a recording here. Each fact is tried, not looked up. A refusal is
 * the error that a recording would give, with the command that allows more.
 */
#ifndef PSCAL_COLLECT_DOCTOR_DOCTOR_H
#define PSCAL_COLLECT_DOCTOR_DOCTOR_H

enum doctor_answer { DOCTOR_NO, DOCTOR_PART, DOCTOR_YES };

struct doctor_fact {
	const char *key; /* "collector_bpf" */
	enum doctor_answer answer;
	char *text; /* a sentence or a value; owned */
};

enum { DOCTOR_FACTS_MAX = 16 };

struct doctor {
	struct doctor_fact facts[DOCTOR_FACTS_MAX];
	int count;
	const char *collector; /* the collector of a recording; NULL: none can be opened */
	char *remedy; /* commands that allow the rest; the caller frees it; NULL: all is allowed */
};

/* Examines this machine. `root` is the directory of /proc and /sys for facts that are read: "". */
void doctor_examine(struct doctor *doctor, const char *root);
void doctor_release(struct doctor *doctor);

/* Returns the CPUs that control groups of version 2 grant this process; 0: no limit, or unknown. */
double doctor_quota(const char *root);

#endif
