/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes on functions, as events of tracefs (Documentation/trace/uprobetracer.rst) in a group of
 * this recording. The next recorder removes those of a killed one.
 */
#ifndef PSCAL_COLLECT_KERNEL_UPROBES_H
#define PSCAL_COLLECT_KERNEL_UPROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct run_directory;

enum { UPROBES_GROUP_SIZE = 32 };

/* The purpose of the probes on the C library, and the system of their events in a recording. */
#define UPROBES_SYNC	    "sync"
#define UPROBES_SYNC_SYSTEM "pscal"

/*
 * Writes the group of the recorder of `run` for `purpose`, a word of small letters:
 * "pscal_PURPOSE_0123456789abcdef", with digits of the name of its directory, which no other
 * recorder has, not even in another container.
 */
void uprobes_group(char group[UPROBES_GROUP_SIZE], const char *purpose,
		   const struct run_directory *run);

/* Returns the place of a function's argument in the language of tracefs; NULL: not known. */
enum { UPROBES_ARGUMENTS = 4 };
const char *uprobes_argument(unsigned number);

struct uprobe {
	const char *event;
	bool at_return;	      /* at the return of the function */
	const char *path;     /* the file with the function */
	uint64_t offset;      /* in bytes, in the file */
	const char *argument; /* "object=%di:x64 ..."; probes of an event differ in values */
};

/* Begins as zero. */
struct uprobes {
	char group[UPROBES_GROUP_SIZE];
	char *root;   /* the directory of tracefs */
	char **names; /* of the existing events */
	size_t count, capacity;
	struct run_directory *run;
};

/*
 * Begins a group. `root` is the directory of tracefs. The group is noted in `run`, which is opened
 * if necessary, and borrowed. Returns 0, or -1 with an error.
 */
int uprobes_init(struct uprobes *probes, const char *root, const char *purpose,
		 struct run_directory *run, struct err *err);

/*
 * Adds a probe. A second one for the same event is possible since Linux 5.4, and an error before.
 * Returns 0 or an errno.
 */
int uprobes_add(struct uprobes *probes, const struct uprobe *probe);

/* Checks that this user may make probes below `root`. Returns 0, or -1 with an error. */
int uprobes_check(const char *root, struct err *err);

/*
 * Explains why the kernel makes no probes at all, if `code` of uprobes_add() means that; the error
 * ends in the command to use `instead`. Returns -1, or 0 for other reasons.
 */
int uprobes_explain(struct err *err, int code, const char *instead);

bool uprobes_has(const struct uprobes *probes, const char *event);

/* Removes all probes. A probe can only be removed if no perf event is open on it. */
void uprobes_release(struct uprobes *probes);

/*
 * Removes the events of a killed recorder that noted this group. Returns their number, or -1 with
 * errno if some remain.
 */
#define UPROBES_NOTE "uprobes"
int uprobes_undo(const char *root, const char *group);

#endif
