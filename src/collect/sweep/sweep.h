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
 * CSV that `pscal fit` takes as it is. Lines that begin with # come first and say under which
 * conditions it was measured, "# KEY: VALUE"; then the names of the columns; then a row for each run,
 * written and synced as soon as it is measured, with remarks in between. So an interrupted sweep
 * goes on where it was.
 */

/* A line above the rows. The caller owns the values. */
struct sweep_fact {
	const char *key;
	const char *value;
	bool binding; /* rows measured with another value do not belong into the same file */
};

enum { SWEEP_FACTS_MAX = 40 };

struct sweep_head {
	struct sweep_fact facts[SWEEP_FACTS_MAX];
	size_t count;
};

void sweep_head_add(struct sweep_head *head, const char *key, const char *value, bool binding);

/* The use of rows that the file has already. */
enum sweep_rows {
	SWEEP_ROWS_CONTINUE, /* go on, if what is binding agrees */
	SWEEP_ROWS_APPEND,   /* go on in any case */
	SWEEP_ROWS_NEW,	     /* keep them as PATH.old */
};

/* Takes a remark for the user. */
typedef void (*sweep_tell)(void *context, const char *sentence);

struct sweep_row {
	uint64_t n;
	size_t repeat;
	double throughput;
	double wall_s;
	double cpu_s;  /* below 0: not known, as those below are */
	double load;   /* of the last minute before it */
	double others; /* CPUs that something else kept busy meanwhile */
};

struct sweep_file;

/*
 * `path` "-" is standard output. Where the path is no regular file, or is one that is open, as
 * /dev/stdout is, no rows are read from it. A last line that was not finished is dropped. A file
 * that holds no rows begins anew. NULL with a sentence: it is no file of a sweep, another sweep
 * writes it, or a binding line of the head differs.
 */
struct sweep_file *sweep_file_open(const char *path, const struct sweep_head *head,
				   enum sweep_rows rows, sweep_tell tell, void *context,
				   struct err *err);

/* The number of rows that were there, and whether this is one of them. */
size_t sweep_file_rows(const struct sweep_file *file);
bool sweep_file_has(const struct sweep_file *file, uint64_t n, size_t repeat);

/* Both return when the disk has it. 0, or -1 with a sentence. */
int sweep_file_add(struct sweep_file *file, const struct sweep_row *row, struct err *err);
int sweep_file_remark(struct sweep_file *file, const char *key, const char *value, struct err *err);

void sweep_file_close(struct sweep_file *file);

/* --- The sweep ---------------------------------------------------------------------------- */

/* The request of the user. Lists of words end in NULL; {n} in them stands for the N of a run. */
struct sweep {
	const char *path; /* the file; "-" is standard output */
	enum sweep_rows rows;
	const char *const *command;
	const char *const *launcher; /* put before the command, and what is waited for; or NULL */
	const char *const *env;	     /* NAME=VALUE, or NULL */
	bool confine;		     /* to so many CPUs, see cpu_order.h */
	struct sweep_levels levels;
	size_t rounds;
	size_t warmups; /* runs at the largest N that do not count, before all others */
	unsigned long seed;
	struct sweep_rate rate;
	const char *rate_text; /* ... in words, for the file */
	uint64_t timeout_ns;   /* of a run; 0: none */
	const char *log;       /* a directory to keep what the runs print in, or NULL */
	bool keep_going;       /* after a run that failed */

	sweep_tell tell;
	/* The share that is done, in expected time; or NULL. */
	void (*show)(void *context, uint64_t done, uint64_t size);
	/* A run begins (NaN), or has ended with a throughput; or NULL. A warm-up is round 0. */
	void (*turn)(void *context, const struct sweep_turn *turn, double throughput);
	void *context; /* of all */
};

struct sweep_result {
	size_t planned;	 /* runs in the plan; of them */
	size_t kept;	 /* ... were in the file before, */
	size_t measured; /* ... have been added to it, */
	size_t failed;	 /* ... failed: with keep_going */
	double others;	 /* CPUs that something else kept busy meanwhile, on the average of */
	double others_s; /* ... so much of the time measured */
	uint64_t wall_ns;
	int stopped_by; /* the signal that ended it; 0: none */
};

/*
 * Does it. Returns 0, also when a signal ended it, or -1 with a sentence: what is asked for cannot
 * be, a run has failed, the file cannot be written. *result is true in any case.
 */
int sweep_perform(struct sweep_result *result, const struct sweep *sweep, struct err *err);

#endif
