/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's description of its tracepoints. Functions take the directory that tracefs is
 * mounted on, so that tests can make one up.
 */
#ifndef PSCAL_COLLECT_KERNEL_TRACEFS_H
#define PSCAL_COLLECT_KERNEL_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct run_directory;

/* Begins as {.hold = -1}. */
struct tracefs {
	const char *root; /* the directory that it is mounted on; NULL: it is not there */
	int hold;	  /* a descriptor, so that it cannot be unmounted */
	char *own;	  /* mounted for this one: what tracefs_undo() takes */
};

/*
 * Mounts it when it is not there and the caller is allowed to, which is noted in `run` where that
 * is not NULL. Returns 0, or -1 with a sentence that says what is missing; close it in both cases.
 */
int tracefs_open(struct tracefs *tracefs, struct run_directory *run, struct err *err);

/* Its own mount is unmounted, unless another process uses it. */
void tracefs_close(struct tracefs *tracefs, struct run_directory *run);

/* Returns -1 with a sentence that says why it is not there. */
int tracefs_explain(struct err *err);

/*
 * Unmounts what a recorder has mounted that noted `what`. Returns 1, 0 where it is not there any
 * more, or not here, or -1 with errno where it cannot be unmounted.
 */
#define TRACEFS_NOTE "tracefs"
int tracefs_undo(const char *what);

/* The whole of `root`/`path`, NUL-terminated; *length may be NULL. The caller frees it. NULL with a
 * sentence on failure. */
char *tracefs_read(const char *root, const char *path, size_t *length, struct err *err);

/* The number of an event, given as "sched:sched_switch". Returns 0, or -1 with a sentence. */
int tracefs_event_id(uint64_t *id, const char *root, const char *event, struct err *err);

/* The place of a field in the payload of a tracepoint. */
struct tracefs_field {
	unsigned offset, size; /* size 0: the event has no such field */
	int dynamic;	       /* __data_loc: the place holds offset and length of the text */
	unsigned from;	       /* what the offset counts from: __rel_loc, from behind the field */
};

enum { TRACEFS_FIELDS = 8, TRACEFS_PAYLOAD_MAX = 256 };

struct tracefs_format {
	uint16_t type; /* number of the event */
	size_t size;   /* bytes, without the text of dynamic fields */
	struct tracefs_field common_type, common_flags, common_pid;
	struct tracefs_field fields[TRACEFS_FIELDS];
};

/*
 * Learns `event`, given as "sched:sched_switch", and where its fields of these names lie: at most
 * TRACEFS_FIELDS, ending in NULL. Returns 0, or -1 with a sentence.
 */
int tracefs_format_read(struct tracefs_format *format, const char *root, const char *event,
			const char *const *fields, struct err *err);

#endif
