/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal: how parallel a program is, and how it would scale. This file holds the table of commands
 * and main; src/MODULES describes the folders of the source.
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/names.h"
#include "cmd/options/cmd.h"
#include "version.h"

#include <perfmon/pfmlib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The commands in the order of their use; a heading stands before the first of a group. */
static const struct {
	const char *heading;
	const struct cmd *cmd;
} commands[] = {
	{"Record a program, and see what limits it", &cmd_run},
	{NULL, &cmd_record},
	{NULL, &cmd_profile},
	{NULL, &cmd_forecast},
	{"Measure it at several sizes", &cmd_sweep},
	{NULL, &cmd_fit},
	{"Look closer", &cmd_timeline},
	{NULL, &cmd_rdam},
	{NULL, &cmd_stretch},
	{NULL, &cmd_dag},
	{NULL, &cmd_model},
	{NULL, &cmd_report},
	{"Other tools", &cmd_export},
	{NULL, &cmd_list},
	{NULL, &cmd_doctor},
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static const struct cmd *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands[i].cmd->name) == 0)
			return commands[i].cmd;
	return NULL;
}

static int print_version(int argc, const char **argv, struct err *err)
{
	(void)argc, (void)argv, (void)err;
	puts("pscal " PSCAL_VERSION PSCAL_COMMIT);
	puts("features: " PSCAL_FEATURES);
	printf("libraries: " PSCAL_LIBRARIES ", libpfm %d.%d\n", PFM_MAJ_VERSION(pfm_get_version()),
	       PFM_MIN_VERSION(pfm_get_version()));
	return STATUS_DONE;
}

static int print_usage(void)
{
	puts("Usage: pscal COMMAND [OPTIONS] [FILE]\n"
	     "How parallel a program is, how long it would take on other core counts,\n"
	     "and what keeps it from scaling.\n"
	     "\n"
	     "First steps:\n"
	     "    pscal run -- make -j8     records it, and shows both answers\n"
	     "    pscal forecast --why      what keeps it from scaling\n"
	     "    pscal profile             CPUs used, run-queue wait, threads");
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].heading)
			printf("\n%s:\n", commands[i].heading);
		printf("  %-10s %s\n", commands[i].cmd->name, commands[i].cmd->summary);
	}
	puts("\n'pscal COMMAND -h' lists its usual options, 'pscal COMMAND --help' all of them,\n"
	     "'man pscal-COMMAND' explains them.");
	return STATUS_DONE;
}

/* Commands of other tools, and the command of pscal that does the same. */
static const char *const habits[][2] = {
	{"stat", "run"},	 {"top", "profile"},	   {"script", "timeline"},
	{"trace", "timeline"},	 {"attach", "run"},	   {"start", "run"},
	{"predict", "forecast"}, {"simulate", "forecast"}, {"why", "forecast"},
	{"convert", "export"},	 {"events", "list"},
};

static const char *said_elsewhere(const char *name)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
		if (strcmp(name, habits[i][0]) == 0)
			return habits[i][1];
	return name;
}

/* Returns true if $PATH has a program of this name. */
static bool is_program(const char *name)
{
	char *path = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *rest = path, *directory;
	bool found = false;

	while (!found && !strchr(name, '/') && (directory = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", directory, name);

		found = *directory && access(file, X_OK) == 0;
		free(file);
	}
	free(path);
	return found;
}

static int refuse_command(const char *name, struct err *err)
{
	struct nearest nearest;
	char *question;

	nearest_init(&nearest, said_elsewhere(name));
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_try(&nearest, commands[i].cmd->name);
	question = nearest_question(&nearest);
	if (question)
		err_set(err, "there is no command '%s'; %s", name, question);
	else if (is_program(name))
		err_set(err, "there is no command '%s'; to record a program say 'pscal run -- %s'",
			name, name);
	else
		err_set(err, "there is no command '%s'; 'pscal --help' lists them", name);
	free(question);
	return STATUS_USAGE;
}

static int run_command(const struct cmd *cmd, int argc, const char **argv);

/* Runs 'pscal help COMMAND' as 'pscal COMMAND --help'. */
static int print_help(int argc, const char **argv, struct err *err)
{
	const char *words[] = {NULL, "--help", NULL};
	const struct cmd *cmd;

	if (argc < 2 || strcmp(argv[1], "help") == 0)
		return print_usage();
	cmd = find_command(argv[1]);
	return cmd ? run_command(cmd, 2, words) : refuse_command(argv[1], err);
}

/* Words other than commands that the first argument may be. */
static const struct cmd others[] = {
	{"--help", NULL, print_help}, {"-h", NULL, print_help},
	{"help", NULL, print_help},   {"--version", NULL, print_version},
	{"-V", NULL, print_version},  {"version", NULL, print_version},
};
enum { OTHER_COUNT = sizeof(others) / sizeof(others[0]) };

/* Returns the exit status of the command. A failed write to standard output is an error, too. */
static int run_command(const struct cmd *cmd, int argc, const char **argv)
{
	struct err err = {.text = ""};
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
		err_say(stderr, name, &err);
	return status;
}

static void do_nothing(int number)
{
	(void)number;
}

/*
 * Makes writes beyond the limit of 'ulimit -f' fail with an error. SIGXFSZ is caught, not ignored,
 * as a started program would inherit that it is ignored.
 */
static void survive_limits(void)
{
	struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART}, before;

	if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGXFSZ, &action, NULL);
}

/* Sets the error for a file given in the place of a command. */
static void refuse_file(const char *path, struct err *err)
{
	if (access(path, X_OK) == 0)
		err_set(err, "%s: is a program, not a command of pscal; say 'pscal run -- %s'",
			path, path);
	else
		err_set(err, "%s: is a file, not a command of pscal; say 'pscal profile %s'", path,
			path);
}

/* Sets the error for a first argument that is not a command. */
static int refuse_word(int argc, const char **argv, struct err *err)
{
	const char *name = argc > 1 ? argv[1] : "";
	const char *next = argc > 2 && find_command(argv[2]) ? argv[2] : "COMMAND";
	struct stat file;

	if (!*name)
		err_set(err, "name a command; 'pscal --help' lists them");
	else if (strncmp(name, "--he", 4) == 0 || strncmp(name, "--ver", 5) == 0)
		err_set(err, "%s: there is no such option; there are --help and --version", name);
	else if (*name == '-')
		err_set(err, "%s: options go behind the command; say 'pscal %s %s'", name, next,
			name);
	else if (stat(name, &file) == 0 && S_ISREG(file.st_mode))
		refuse_file(name, err);
	else
		refuse_command(name, err);
	return STATUS_USAGE;
}

static const struct cmd none = {"", NULL, refuse_word};

int main(int argc, const char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct cmd *cmd = find_command(name);

	descriptors_keep_standard();
	survive_limits();
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1);
	for (size_t i = 0; i < OTHER_COUNT; i++)
		if (strcmp(name, others[i].name) == 0)
			return run_command(&others[i], argc - 1, argv + 1);
	return run_command(&none, argc, argv);
}
