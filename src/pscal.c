/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal: how parallel a program is, and how it would scale. This file holds the table of commands
 * and main; src/MODULES describes the folders of the source.
 */
#include "base/err.h"
#include "base/io/files.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct cmd *const commands[] = {
	&cmd_record, &cmd_timeline, &cmd_profile, &cmd_forecast, &cmd_sweep, &cmd_fit,
	&cmd_rdam,   &cmd_stretch,  &cmd_dag,	  &cmd_export,	 &cmd_list,
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static int print_version(int argc, const char **argv, struct err *err)
{
	(void)argc, (void)argv, (void)err;
	puts("pscal " PSCAL_VERSION);
	return STATUS_DONE;
}

static int print_help(int argc, const char **argv, struct err *err)
{
	(void)argc, (void)argv, (void)err;
	puts("Usage: pscal COMMAND [OPTIONS] [FILE]\n"
	     "How parallel a program is, how long it would take on other core counts,\n"
	     "and what keeps it from scaling.\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n'pscal COMMAND --help' lists its options, 'man pscal-COMMAND' explains them.");
	return STATUS_DONE;
}

/* What may stand in the place of a command. */
static const struct cmd others[] = {
	{"--help", NULL, print_help},
	{"-h", NULL, print_help},
	{"help", NULL, print_help},
	{"--version", NULL, print_version},
};
enum { OTHER_COUNT = sizeof(others) / sizeof(others[0]) };

/* Done is only what could be written. */
static int run_command(const struct cmd *cmd, int argc, const char **argv)
{
	struct err err = {""};
	char name[64] = "pscal";
	int status;

	if (cmd->summary)
		snprintf(name, sizeof(name), "pscal %s", cmd->name);
	argv[0] = name;
	status = cmd->run(argc, argv, &err);
	if ((fflush(stdout) || ferror(stdout)) && status == STATUS_DONE) {
		err_set(&err, "standard output: cannot write: %m");
		status = STATUS_FAILED;
	}
	if (status != STATUS_DONE && *err.text)
		printable_say(stderr, "%s: %s", name, err.text);
	return status;
}

static void do_nothing(int number)
{
	(void)number;
}

/*
 * A file that may not become larger ('ulimit -f') is an error of write(). The signal is caught and
 * not ignored, as what is started here would ignore it, too.
 */
static void survive_limits(void)
{
	struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART}, before;

	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, const char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	descriptors_keep_standard();
	survive_limits();
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return run_command(commands[i], argc - 1, argv + 1);
	for (size_t i = 0; i < OTHER_COUNT; i++)
		if (strcmp(name, others[i].name) == 0)
			return run_command(&others[i], argc - 1, argv + 1);
	if (*name)
		printable_say(stderr, "pscal: there is no command '%s'; see 'pscal --help'", name);
	else
		printable_say(stderr, "pscal: say what to do; 'pscal --help' lists the commands");
	return STATUS_USAGE;
}
