/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interface of a command. To add one: a file cmd_NAME.c with a `const struct cmd cmd_NAME`, a
 * line for it below and in the table of pscal.c, a page man/pscal-NAME.1, a case in
 * scripts/pscal.bash-completion; `make check` says what is missing.
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
	STATUS_FAILED = 1,    /* could not do it */
	STATUS_USAGE = 2,     /* asked for wrongly */
	STATUS_CONDITION = 3, /* a stated condition does not hold */
};

struct cmd {
	const char *name;
	const char *summary; /* half a line for `pscal --help` */
	/*
	 * argv[0] is the name to show in --help. Returns the exit status; when that is not
	 * STATUS_DONE and there is a sentence in *err, the dispatcher prints it.
	 */
	int (*run)(int argc, const char **argv, struct err *err);
};

/*
 * For `pscal run`: prints the profile of the recording at `path` and its forecast, as one report; no
 * `cores` are the usual ones. `next`, to be freed: the command to go on with. Returns 0, or -1 with a
 * sentence.
 */
int forecast_with_profile(char **next, const struct options *common, const char *path,
			  const struct number_list *cores, struct err *err);

extern const struct cmd cmd_run, cmd_record, cmd_timeline, cmd_profile, cmd_forecast, cmd_sweep,
	cmd_fit, cmd_rdam, cmd_stretch, cmd_dag, cmd_model, cmd_report, cmd_export, cmd_list,
	cmd_doctor;

#endif
