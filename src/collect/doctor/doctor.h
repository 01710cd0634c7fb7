/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rights and the machine of a recording here. Each fact is tried, not looked up. A refusal is
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
	const char *collector; /* the one that a recording takes; NULL: none can be opened */
	char *remedy; /* the commands that allow all of it, to be freed; NULL: all is allowed */
};

/* `root` is where /proc and /sys are for the facts that are read: "" for this machine. */
void doctor_examine(struct doctor *doctor, const char *root);
void doctor_release(struct doctor *doctor);

/* The CPUs that control groups of version 2 grant this process; 0: no limit, or not known. */
double doctor_quota(const char *root);

#endif
