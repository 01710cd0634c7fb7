/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/pager.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the shell command of the pager; NULL: the user or the terminal wants none. */
static const char *pager_command(void)
{
	const char *command = getenv("PSCAL_PAGER"), *terminal = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "if command -v less >/dev/null; then less; else cat; fi";
	return !*command || strcmp(command, "cat") == 0 || !terminal ||
			       strcmp(terminal, "dumb") == 0
		       ? NULL
		       : command;
}

/* Keeps the size of the terminal in COLUMNS and LINES: a pipe, which reports write to, has none. */
static void keep_size(void)
{
	struct winsize size;
	char number[16];

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	snprintf(number, sizeof(number), "%u", (unsigned)size.ws_col);
	setenv("COLUMNS", number, true);
	snprintf(number, sizeof(number), "%u", (unsigned)size.ws_row);
	setenv("LINES", number, true);
}

/* Runs cat if the shell does not find the pager. */
static void run_pager(const char *command)
{
	char *script = xasprintf("%s\nstatus=$?; [ $status -ne 127 ] || exec cat", command);

	execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	_exit(127);
}

/* Leaves Ctrl-C to the pager: pscal must not end while the pager uses the terminal. */
static void ignore_signals(struct pager *pager)
{
	const struct sigaction ignored = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &ignored, &pager->interrupt);
	sigaction(SIGQUIT, &ignored, &pager->quit);
}

void pager_begin(struct pager *pager)
{
	const char *command = pager_command();
	int ends[2];

	if (pager->pid || !command || !isatty(STDOUT_FILENO) || fflush(stdout) ||
	    pipe2(ends, O_CLOEXEC))
		return;
	keep_size();
	setenv("LESS", "FRX", false);
	pager->pid = fork();
	if (pager->pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		run_pager(command);
	}
	if (pager->pid > 0) {
		ignore_signals(pager);
		pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(ends[1], STDOUT_FILENO);
	} else {
		pager->pid = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_end(struct pager *pager)
{
	if (!pager->pid)
		return;
	fflush(stdout);
	dup2(pager->terminal, STDOUT_FILENO); /* ends the input of the pager */
	close(pager->terminal);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	pager->pid = 0;
}
