/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep: runs a command at several N, several times each, and writes the throughput of each run
 * to a file.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_H
#define PSCAL_COLLECT_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/sweep/sweep_plan.h"
#include "collect/sweep/sweep_run.h"

struct err;

/* --- The file ------------------------------------------------------------------------------ */

/*
 * The file is CSV for `pscal fit`. First come lines "# KEY: VALUE" with the conditions of the
 * measurement; then the names of the columns; then a row for each run, written and synced as soon
 * as it is measured, with remarks in between. So an interrupted sweep can be continued.
 */

/* A line above the rows. The caller owns the values. */
struct sweep_fact {
	const char *key;
	const char *value;
	bool binding; /* rows measured with another value do not belong in the same file */
};

enum { SWEEP_FACTS_MAX = 40 };

struct sweep_head {
	struct sweep_fact facts[SWEEP_FACTS_MAX];
	size_t count;
};

void sweep_head_add(struct sweep_head *head, const char *key, const char *value, bool binding);

/* The use of rows that are in the file already. */
enum sweep_rows {
	SWEEP_ROWS_CONTINUE, /* continue, if the binding facts agree */
	SWEEP_ROWS_APPEND,   /* always continue */
	SWEEP_ROWS_NEW,	     /* rename the file to PATH.old */
};

/* A function that receives remarks for the user. */
typedef void (*sweep_tell)(void *context, const char *sentence);

struct sweep_row {
	uint64_t n;
	size_t repeat;
	double throughput;
	double wall_s;
	double cpu_s;  /* below 0: not known; likewise below */
	double load;   /* load average of the last minute before it */
	double others; /* CPUs used by other programs meanwhile */
};

struct sweep_file;

/*
 * Opens a file; `path` "-" is standard output. No rows are read from a file that is not regular, or
 * already open, as /dev/stdout is. An incomplete last line is dropped. A file without rows begins
 * anew. NULL with an error: it is no file of a sweep, another sweep writes it, or a binding fact of
 * the head differs.
 */
struct sweep_file *sweep_file_open(const char *path, const struct sweep_head *head,
				   enum sweep_rows rows, sweep_tell tell, void *context,
				   struct err *err);

/* Return the number of rows from before, and whether this is one of them. */
size_t sweep_file_rows(const struct sweep_file *file);
bool sweep_file_has(const struct sweep_file *file, uint64_t n, size_t repeat);

/* Add a row or a remark, and return when it is on disk. Return 0, or -1 with an error. */
int sweep_file_add(struct sweep_file *file, const struct sweep_row *row, struct err *err);
int sweep_file_remark(struct sweep_file *file, const char *key, const char *value, struct err *err);

void sweep_file_close(struct sweep_file *file);

/* --- The sweep ---------------------------------------------------------------------------- */

/* The request of the user. Lists of words end in NULL; {n} in them stands for the N of a run. */
struct sweep {
	const char *path; /* the file; "-" is standard output */
	enum sweep_rows rows;
	const char *const *command;
	const char *const *launcher; /* put before the command, and waited for; or NULL */
	const char *const *env;	     /* NAME=VALUE, or NULL */
	bool confine;		     /* to N CPUs, see cpu_order() */
	struct sweep_levels levels;
	size_t rounds;
	size_t warmups; /* runs at the largest N before all others, which do not count */
	unsigned long seed;
	struct sweep_rate rate;
	const char *rate_text; /* ... in words, for the file */
	uint64_t timeout_ns;   /* of a run; 0: none */
	const char *log;       /* a directory for the output of the runs, or NULL */
	bool keep_going;       /* after a run that failed */

	sweep_tell tell;
	/* Receives the completed share, in expected time; or NULL. */
	void (*show)(void *context, uint64_t done, uint64_t size);
	/* Receives the begin (NaN) or the throughput of a run; or NULL. A warm-up is round 0. */
	void (*turn)(void *context, const struct sweep_turn *turn, double throughput);
	void *context; /* of all three */
};

struct sweep_result {
	size_t planned;	 /* runs in the plan */
	size_t kept;	 /* ... that were in the file before */
	size_t measured; /* ... that were added to it */
	size_t failed;	 /* ... that failed, with keep_going */
	double others;	 /* mean CPUs used by other programs meanwhile, */
	double others_s; /* ... over this part of the measured time */
	uint64_t wall_ns;
	int stopped_by; /* the signal that ended it; 0: none */
};

/*
 * Performs the sweep. Returns 0, also if a signal ended it, or -1 with an error: the request is
 * impossible, a run has failed, or the file cannot be written. *result is valid in either case.
 */
int sweep_perform(struct sweep_result *result, const struct sweep *sweep, struct err *err);

#endif
