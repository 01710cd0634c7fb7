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
 * The group of the recorder of `run` for `purpose`, a word of small letters:
 * "pscal_PURPOSE_0123456789abcdef", with digits of the name of its directory. No other recorder has
 * these, be it in another container.
 */
void uprobes_group(char group[UPROBES_GROUP_SIZE], const char *purpose,
		   const struct run_directory *run);

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
	struct run_directory *run;
};

/*
 * `root` is the directory of tracefs. The group is noted in `run`, which is opened where it is not
 * yet, and borrowed. Returns 0, or -1 with a sentence.
 */
int uprobes_init(struct uprobes *probes, const char *root, const char *purpose,
		 struct run_directory *run, struct err *err);

/*
 * One place more for an event. A second one is added to it since Linux 5.4, and refused before.
 * Returns 0, or what errno would say.
 */
int uprobes_add(struct uprobes *probes, const struct uprobe *probe);

/* May this user make any below `root`? Returns 0, or -1 with a sentence. */
int uprobes_check(const char *root, struct err *err);

/*
 * A sentence on why the kernel makes no probe at all, as uprobes_add() returned `code`; it ends in the
 * command to take `instead`. Returns -1, or 0 where the reason is another.
 */
int uprobes_explain(struct err *err, int code, const char *instead);

bool uprobes_has(const struct uprobes *probes, const char *event);

/* A probe can only be removed when no perf event is open on it. */
void uprobes_release(struct uprobes *probes);

/*
 * Removes the events of a killed recorder that noted this group. Returns how many events, or -1
 * with errno where some are still there.
 */
#define UPROBES_NOTE "uprobes"
int uprobes_undo(const char *root, const char *group);

#endif
