/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's description of its tracepoints, in a directory of tracefs. */
#ifndef PSCAL_COLLECT_KERNEL_TRACEFS_H
#define PSCAL_COLLECT_KERNEL_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct run_directory;

/* Begins as {.hold = -1}. */
struct tracefs {
	const char *root; /* the directory of the mount; NULL: not mounted */
	int hold;	  /* a descriptor, so that it cannot be unmounted */
	char *own;	  /* the mount of this recorder, for tracefs_undo(); NULL: none */
};

/*
 * Opens tracefs, and mounts it if it is missing and the caller is allowed to, which is noted in
 * `run`, if not NULL. Returns 0, or -1 with an error; the caller closes it in both cases.
 */
int tracefs_open(struct tracefs *tracefs, struct run_directory *run, struct err *err);

/* Unmounts the recorder's own mount, unless another process uses it. */
void tracefs_close(struct tracefs *tracefs, struct run_directory *run);

/* Returns -1 with an error that explains why tracefs is missing. */
int tracefs_explain(struct err *err);

/*
 * Unmounts the mount of a recorder that noted `what`. Returns 1, 0 if it is gone or not here, or -1
 * with errno if it cannot be unmounted.
 */
#define TRACEFS_NOTE "tracefs"
int tracefs_undo(const char *what);

/* Returns the text of a file; *length may be NULL. The caller frees it. NULL with an error. */
char *tracefs_read(const char *root, const char *path, size_t *length, struct err *err);

/* Finds the number of an event, given as "sched:sched_switch". Returns 0, or -1 with an error. */
int tracefs_event_id(uint64_t *id, const char *root, const char *event, struct err *err);

/* The place of a field in the payload of a tracepoint. */
struct tracefs_field {
	unsigned offset, size; /* size 0: the event has no such field */
	int dynamic;	       /* __data_loc: the field holds offset and length of the text */
	unsigned from;	       /* base of the offset: __rel_loc counts from the end of the field */
};

enum { TRACEFS_FIELDS = 8, TRACEFS_PAYLOAD_MAX = 256 };

struct tracefs_format {
	uint16_t type; /* number of the event */
	size_t size;   /* bytes, without the text of dynamic fields */
	struct tracefs_field common_type, common_flags, common_pid;
	struct tracefs_field fields[TRACEFS_FIELDS];
};

/*
 * Reads the format of `event`, given as "sched:sched_switch", and the places of its fields of these
 * names: at most TRACEFS_FIELDS, ending in NULL. Returns 0, or -1 with an error.
 */
int tracefs_format_read(struct tracefs_format *format, const char *root, const char *event,
			const char *const *fields, struct err *err);

#endif
