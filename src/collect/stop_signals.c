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

static bool is_one_of(int number, const int *numbers)
{
	while (*numbers && *numbers != number)
		numbers++;
	return *numbers;
}

/* Returns whether a signal asks for nothing: write() returns errors of pipes and sizes. */
static bool is_no_request(int number)
{
	static const int numbers[] = {SIGCHLD, SIGCONT, SIGPIPE, SIGXFSZ, 0};

	return is_one_of(number, numbers);
}

static bool is_watched(int number)
{
	static const int always[] = {SIGINT, SIGTERM, SIGCHLD, SIGCONT, 0};
	static const int never[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
				    /* stops by the terminal; signals without meaning here; bugs */
				    SIGURG, SIGWINCH, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
				    SIGSEGV, SIGSYS, 0};

	return is_one_of(number, always) || (!is_one_of(number, never) && !is_ignored(number));
}

void stop_signals_mind_children(struct stop_signals *signals)
{
	signals->children_ignored |= is_ignored(SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
}

int stop_signals_block(struct stop_signals *signals, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (is_watched(number))
			sigaddset(&set, number);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0)
		return err_set(err, "signals cannot be watched: %m");
	stop_signals_mind_children(signals);
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
	return !is_no_request(number);
}

bool stop_signals_are_shared(int number)
{
	return number == SIGINT || number == SIGQUIT;
}

void stop_signals_give_back(const struct stop_signals *signals)
{
	if (signals->children_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

void stop_signals_restore(struct stop_signals *signals)
{
	if (signals->fd < 0)
		return;
	while (stop_signals_next(signals)) /* the end of the recording has answered them */
		;
	close(signals->fd);
	signals->fd = -1;
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}
