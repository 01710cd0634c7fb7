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
	const char *const *command; /* ends in NULL, as does */
	const char *const *env;	    /* NAME=VALUE, or NULL */
	const int *cpus;	    /* what it may run on */
	size_t cpu_count;	    /* 0: where its parent may */
	int output;		    /* what it prints and says goes there */
	uint64_t timeout_ns;	    /* 0: none */
	const struct stop_signals *signals;
	/* Called several times a second while it runs, or NULL. */
	void (*tick)(void *context, uint64_t elapsed_ns);
	void *context;
};

struct sweep_run {
	uint64_t wall_ns; /* from before exec until its end was noticed, CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of it and of all that it has waited for */
	double busy_s;	  /* that all CPUs have worked meanwhile; below 0: not known */
	int status;	  /* as a shell shows it */
	bool timed_out;	  /* it was ended because of that, */
	int stopped_by;	  /* or because of this signal; 0: it was not */
	bool paused;	  /* pscal was stopped meanwhile, as by Ctrl-Z: wall_ns is too long */
};

/*
 * The command has a session of its own: no terminal, and nothing to read. What has to be ended gets
 * SIGTERM, which lets srun and mpirun end what they have started elsewhere, and some seconds later,
 * or at a second signal, SIGKILL; so does all that is left of its process group. It also ends when
 * its parent does, in whatever way. Returns 0, or -1 with a sentence: it could not be started.
 */
int sweep_run(struct sweep_run *run, const struct sweep_run_setup *setup, struct err *err);

/*
 * The output of a run is a file that is read once the run has ended. The bytes of a line beyond
 * this are taken for another line, though no number is cut in two.
 */
enum { SWEEP_LINE_MAX = 1 << 14 };

/*
 * Hands over each line of the file, from its beginning, as long as `take` wants another one. A line
 * ends in a newline, a carriage return (with which programs rewrite a line of progress) or a NUL.
 * Empty ones are left out.
 */
void sweep_output_lines(int fd, bool (*take)(void *context, const char *line), void *context);

/*
 * Its last lines, as far as they fit into a sentence, with ' | ' between them and '?' for bytes
 * that cannot be shown. The caller frees it; "" where nothing was printed.
 */
char *sweep_output_end(int fd);

/* The throughput of a run is work by its wall time, or a number that it prints. */

enum sweep_rate_kind {
	SWEEP_RATE_WALL,  /* work / wall time */
	SWEEP_RATE_MATCH, /* the number that `pattern` finds */
	SWEEP_RATE_TIME	  /* work / the seconds that `pattern` finds */
};

struct sweep_rate {
	double work;	 /* done by a run, in any unit */
	bool work_per_n; /* ... by each of its N */
	enum sweep_rate_kind kind;
	regex_t pattern;
};

/*
 * "1000", or "1000*n" for each of the N. `pattern` is a POSIX extended regular expression whose
 * first group is the number; unused for SWEEP_RATE_WALL. Returns 0, or -1 with a sentence; released
 * in any case.
 */
int sweep_rate_init(struct sweep_rate *rate, const char *work, enum sweep_rate_kind kind,
		    const char *pattern, struct err *err);
void sweep_rate_release(struct sweep_rate *rate);

/* A run that has ended. */
struct sweep_rate_run {
	uint64_t n, wall_ns;
	int output; /* what it has printed */
	/* Asked now and then whether to give up, as there may be much to search; or NULL. */
	bool (*give_up)(void *context);
	void *context;
};

/*
 * The throughput of a run, where the last match counts. Above 0. Returns 0, or -1 with a sentence:
 * no match, no number, only a part of one, not above 0.
 */
int sweep_rate_take(double *throughput, const struct sweep_rate *rate,
		    const struct sweep_rate_run *run, struct err *err);

#endif
