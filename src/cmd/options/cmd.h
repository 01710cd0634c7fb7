/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interface of a command. A new command needs a file cmd_NAME.c with a `const struct cmd
 * cmd_NAME`, a line below and one in the table of pscal.c, a page man/pscal-NAME.1, and a case in
 * scripts/pscal.bash-completion; `make check` says which of them is missing.
 */
#ifndef PSCAL_CMD_OPTIONS_CMD_H
#define PSCAL_CMD_OPTIONS_CMD_H

#include <stdbool.h>

struct err;
struct number_list;
struct options;

/* Exit statuses of every command, as the manual documents them. */
enum {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,    /* the command failed */
	STATUS_USAGE = 2,     /* the command line is wrong */
	STATUS_CONDITION = 3, /* a condition of --assert does not hold */
};

struct cmd {
	const char *name;
	const char *summary; /* the text in `pscal --help`, half a line */
	/*
	 * Runs the command; argv[0] is its name in --help. Returns the exit status. If that is not
	 * STATUS_DONE and *err is not empty, the caller prints the error.
	 */
	int (*run)(int argc, const char **argv, struct err *err);
};

/*
 * Prints the profile of the recording at `path` and its forecast as one report, for `pscal run`.
 * Empty `cores` means the default core counts. Sets *next to the next command to try, or NULL; the
 * caller frees it. Returns 0, or -1 with an error.
 */
int forecast_with_profile(char **next, const struct options *common, const char *path,
			  const struct number_list *cores, struct err *err);

extern const struct cmd cmd_run, cmd_record, cmd_timeline, cmd_profile, cmd_forecast, cmd_sweep,
	cmd_fit, cmd_rdam, cmd_stretch, cmd_dag, cmd_model, cmd_report, cmd_export, cmd_list,
	cmd_doctor;

#endif
