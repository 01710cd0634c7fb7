/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/stop_signals.h"

#include "base/err.h"

#include <sys/signalfd.h>
#include <unistd.h>

static int is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int stop_signals_block(struct stop_signals *signals, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGPIPE); /* a reader that went away is an error of write(), */
	sigaddset(&set, SIGXFSZ); /* and so is a file that has become too large */
	sigaddset(&set, SIGCONT); /* so it was stopped */
	if (!is_ignored(SIGHUP))
		sigaddset(&set, SIGHUP);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0)
		return err_set(err, "signals cannot be watched: %m");
	signal(SIGCHLD, SIG_DFL); /* who inherits it ignored could not wait for a child */
	sigprocmask(SIG_BLOCK, &set, &signals->before);
	return 0;
}

int stop_signals_next(const struct stop_signals *signals)
{
	struct signalfd_siginfo info;

	return read(signals->fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

bool stop_signals_ask(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

void stop_signals_restore(struct stop_signals *signals)
{
	if (signals->fd < 0)
		return;
	while (stop_signals_next(signals)) /* they have been answered by ending */
		;
	close(signals->fd);
	signals->fd = -1;
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}
