/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run of a sweep: a command from its exec to its end, the lines that it printed, and its
 * throughput.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_RUN_H
#define PSCAL_COLLECT_SWEEP_SWEEP_RUN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct stop_signals;

struct sweep_run_setup {
	const char *const *command; /* ends in NULL, as does `env` */
	const char *const *env;	    /* NAME=VALUE, or NULL */
	const int *cpus;	    /* CPUs that it may use */
	size_t cpu_count;	    /* 0: those of its parent */
	int output;		    /* receives its standard output and error */
	uint64_t timeout_ns;	    /* 0: none */
	const struct stop_signals *signals;
	/* Called several times a second during the run, or NULL. */
	void (*tick)(void *context, uint64_t elapsed_ns);
	void *context;
};

struct sweep_run {
	uint64_t wall_ns; /* from before exec until its end was noticed, CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of the command and its children that it has waited for */
	double busy_s;	  /* use of all CPUs meanwhile; below 0: not known */
	int status;	  /* as a shell shows it */
	bool timed_out;	  /* ended by the timeout */
	int stopped_by;	  /* ended by this signal; 0: not */
	/* Pscal was stopped meanwhile, for example by Ctrl-Z: wall_ns is too long. */
	bool paused;
};

/*
 * Runs the command in its own session: without a terminal and without input. A command that must
 * end gets SIGTERM, which makes srun and mpirun end processes elsewhere, and SIGKILL some seconds
 * later or at a second signal; so do the remains of its process group. The command also ends with
 * its parent, in any way. Returns 0, or -1 with an error if it could not be started.
 */
int sweep_run(struct sweep_run *run, const struct sweep_run_setup *setup, struct err *err);

/*
 * The most bytes of a line. The output of a run is a file that is read after the run. A longer line
 * is split into several, but no number is.
 */
enum { SWEEP_LINE_MAX = 1 << 14 };

/*
 * Passes each line of the file, from its beginning, to `take` until that returns false. A line ends
 * in a newline, a carriage return (with which programs overwrite a line of progress) or a NUL.
 * Empty lines are left out.
 */
void sweep_output_lines(int fd, bool (*take)(void *context, const char *line), void *context);

/*
 * Returns the last lines, as many as fit into a sentence, separated by ' | ' and with '?' for bytes
 * that cannot be shown; "" without output. The caller frees it.
 */
char *sweep_output_end(int fd);

/* The throughput of a run is work by its wall time, or a number that it prints. */

enum sweep_rate_kind {
	SWEEP_RATE_WALL,  /* work / wall time */
	SWEEP_RATE_MATCH, /* the number that `pattern` matches */
	SWEEP_RATE_TIME	  /* work / the seconds that `pattern` matches */
};

struct sweep_rate {
	double work;	 /* done by a run, in any unit */
	bool work_per_n; /* ... by each of its N */
	enum sweep_rate_kind kind;
	regex_t pattern;
};

/*
 * Parses "1000", or "1000*n" for each of the N. `pattern` is a POSIX extended regular expression
 * whose first group is the number; unused for SWEEP_RATE_WALL. Returns 0, or -1 with an error; the
 * caller releases the rate in either case.
 */
int sweep_rate_init(struct sweep_rate *rate, const char *work, enum sweep_rate_kind kind,
		    const char *pattern, struct err *err);
void sweep_rate_release(struct sweep_rate *rate);

/* A run that has ended. */
struct sweep_rate_run {
	uint64_t n, wall_ns;
	int output; /* its output */
	/*
	 * Returns whether to give up; called from time to time, as the search may be long; or NULL.
	 */
	bool (*give_up)(void *context);
	void *context;
};

/*
 * Computes the throughput of a run, above 0, from the last match. Returns 0, or -1 with an error:
 * no match, no number, only a part of one, or not above 0.
 */
int sweep_rate_take(double *throughput, const struct sweep_rate *rate,
		    const struct sweep_rate_run *run, struct err *err);

#endif
