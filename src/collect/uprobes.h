/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes on functions, as events of tracefs (Documentation/trace/uprobetracer.rst) in a group of
 * this process. What a recorder that was killed has left is removed by the next one.
 */
#ifndef PSCAL_COLLECT_UPROBES_H
#define PSCAL_COLLECT_UPROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { UPROBES_GROUP_SIZE = 32 };

/* What process `pid` has made for `purpose`, a word of small letters: "pscal_PURPOSE_PID". */
void uprobes_group(char group[UPROBES_GROUP_SIZE], const char *purpose, pid_t pid);

/* Where functions find their first arguments, as tracefs names it; NULL: not known here. */
enum { UPROBES_ARGUMENTS = 4 };
const char *uprobes_argument(unsigned number);

struct uprobe {
	const char *event;
	bool at_return;	      /* when what was called there returns */
	const char *path;     /* of the file with the function */
	uint64_t offset;      /* in it, bytes */
	const char *argument; /* "object=%di:x64 ..."; those of an event differ in values alone */
};

/* Begins as zero. */
struct uprobes {
	char group[UPROBES_GROUP_SIZE];
	char *root;   /* the directory of tracefs */
	char **names; /* of the events that are there */
	size_t count, capacity;
};

/* `root` is the directory of tracefs. Also removes what others, and what this one, has left. */
void uprobes_init(struct uprobes *probes, const char *root, const char *purpose);

/*
 * One place more for an event. A second one is added to it since Linux 5.5, and refused before.
 * Returns 0, or what errno would say.
 */
int uprobes_add(struct uprobes *probes, const struct uprobe *probe);

bool uprobes_has(const struct uprobes *probes, const char *event);

/* A probe can only be removed when no perf event is open on it. */
void uprobes_release(struct uprobes *probes);

#endif
