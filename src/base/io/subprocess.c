/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/subprocess.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Our ends of the pipes of the program: input, output and errors; -1: closed. */
enum { IN, OUT, ERR, ENDS };

struct text {
	char *bytes;
	size_t size, capacity;
};

struct talk {
	const char *program;
	pid_t pid;
	int fds[ENDS];
	const char *input;
	size_t left; /* of the input */
	struct text texts[ENDS];
	uint64_t deadline_ns;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Makes a pipe. A socket for input makes a reader that goes away an error, and no SIGPIPE. */
static int make_pair(int end, int ours_and_its[2])
{
	int ends[2];

	if (end == IN ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
		      : pipe2(ends, O_CLOEXEC))
		return -1;
	ours_and_its[0] = ends[0];
	ours_and_its[1] = ends[1];
	return 0;
}

/* Runs the program in the child. Returns if it cannot be started. */
static void become(const char *const *command, const int its[ENDS], pid_t parent,
		   const struct subprocess_limits *limits)
{
	const struct rlimit seconds = {limits->seconds + 1, limits->seconds + 1},
			    memory = {limits->memory_bytes, limits->memory_bytes};
	union { /* execvp does not change its arguments, but its prototype allows it */
		const char *const *in;
		char *const *out;
	} args = {.in = command};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
	    setrlimit(RLIMIT_CPU, &seconds) ||
	    (limits->memory_bytes && setrlimit(RLIMIT_AS, &memory)))
		return;
	for (int end = 0; end < ENDS; end++)
		if (dup2(its[end], end) < 0)
			return;
	execvp(command[0], args.out);
}

/* Starts the program. Returns 0, or the error number if it could not; the child has ended then. */
static int start_child(struct talk *talk, const char *const *command, const int its[ENDS],
		       const struct subprocess_limits *limits)
{
	int report[2], code = 0;
	pid_t parent = getpid();
	ssize_t got;

	if (pipe2(report, O_CLOEXEC))
		return errno;
	talk->pid = fork();
	if (talk->pid == 0) {
		become(command, its, parent, limits);
		code = errno;
		_exit(write(report[1], &code, sizeof(code)) != sizeof(code));
	}
	if (talk->pid < 0)
		code = errno;
	close(report[1]);
	do
		got = talk->pid < 0 ? 0 : read(report[0], &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	if (got > 0)
		waitpid(talk->pid, NULL, 0);
	close(report[0]);
	return code;
}

static int start(struct talk *talk, const char *const *command,
		 const struct subprocess_limits *limits)
{
	int its[ENDS] = {-1, -1, -1};
	int code = 0;

	for (int end = 0; end < ENDS && !code; end++) {
		int pair[2];

		if (make_pair(end, pair)) {
			code = errno;
			break;
		}
		talk->fds[end] = pair[0];
		its[end] = pair[1];
	}
	if (!code)
		code = start_child(talk, command, its, limits);
	for (int end = 0; end < ENDS; end++)
		close_fd(&its[end]);
	return code;
}

/* Sends some input. The program need not read all of it. */
static void send_some(struct talk *talk)
{
	ssize_t sent = send(talk->fds[IN], talk->input, talk->left, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent > 0) {
		talk->input += sent;
		talk->left -= (size_t)sent;
	}
	if (!talk->left || (sent < 0 && errno != EAGAIN && errno != EINTR))
		close_fd(&talk->fds[IN]);
}

static int receive_some(struct talk *talk, int end, struct err *err)
{
	enum { CHUNK = 1 << 16 };
	struct text *text = &talk->texts[end];
	ssize_t got;

	array_reserve(&text->bytes, &text->capacity, text->size + CHUNK + 1);
	got = read(talk->fds[end], text->bytes + text->size, CHUNK);
	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0)
		close_fd(&talk->fds[end]);
	else
		text->size += (size_t)got;
	if (text->size > SUBPROCESS_OUTPUT_MAX)
		return err_set(err, "%s: writes more than %d MiB", talk->program,
			       SUBPROCESS_OUTPUT_MAX >> 20);
	return 0;
}

static int wait_for_some(struct talk *talk, struct pollfd polled[ENDS], struct err *err)
{
	uint64_t now_ns = monotonic_ns();

	if (now_ns >= talk->deadline_ns)
		return err_set(err, "%s: takes too long, and was ended", talk->program);
	for (int end = 0; end < ENDS; end++)
		polled[end] = (struct pollfd){talk->fds[end], end == IN ? POLLOUT : POLLIN, 0};
	if (poll(polled, ENDS, (int)((talk->deadline_ns - now_ns) / 1000000) + 1) < 0)
		for (int end = 0; end < ENDS; end++)
			polled[end].revents = 0; /* a signal */
	return 0;
}

static int exchange(struct talk *talk, struct err *err)
{
	while (talk->fds[OUT] >= 0 || talk->fds[ERR] >= 0) {
		struct pollfd polled[ENDS];

		if (wait_for_some(talk, polled, err))
			return -1;
		if (polled[IN].revents)
			send_some(talk);
		for (int end = OUT; end <= ERR; end++)
			if (polled[end].revents && receive_some(talk, end, err))
				return -1;
	}
	return 0;
}

static char *take_text(struct text *text, size_t *size)
{
	array_reserve(&text->bytes, &text->capacity, text->size + 1);
	text->bytes[text->size] = '\0';
	*size = text->size;
	return text->bytes;
}

/*
 * Waits for the end of the program, which may have closed its outputs before, until the deadline.
 */
static void wait_for_end(struct talk *talk, int *status)
{
	static const struct timespec nap = {.tv_nsec = 1000000};

	while (waitpid(talk->pid, status, WNOHANG) == 0) {
		if (monotonic_ns() >= talk->deadline_ns)
			kill(talk->pid, SIGKILL);
		nanosleep(&nap, NULL);
	}
}

static int end_program(struct talk *talk, bool kill_it)
{
	int status = 0;

	for (int i = 0; i < ENDS; i++)
		close_fd(&talk->fds[i]);
	if (kill_it)
		kill(talk->pid, SIGKILL);
	wait_for_end(talk, &status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int subprocess_run(struct subprocess *subprocess, const char *const *command, const char *input,
		   size_t input_size, struct subprocess_limits limits, struct err *err)
{
	struct talk talk = {.program = command[0],
			    .fds = {-1, -1, -1},
			    .input = input,
			    .left = input_size,
			    .deadline_ns = monotonic_ns() + limits.seconds * UINT64_C(1000000000)};
	int code = start(&talk, command, &limits), rc;

	*subprocess = (struct subprocess){.exit_status = -1, .missing = code == ENOENT};
	if (code) {
		for (int i = 0; i < ENDS; i++)
			close_fd(&talk.fds[i]);
		errno = code;
		return err_set(err, "%s: cannot be started: %m", command[0]);
	}
	rc = exchange(&talk, err);
	subprocess->exit_status = end_program(&talk, rc != 0);
	subprocess->output = take_text(&talk.texts[OUT], &subprocess->output_size);
	subprocess->errors = take_text(&talk.texts[ERR], &subprocess->errors_size);
	return rc;
}

void subprocess_release(struct subprocess *subprocess)
{
	free(subprocess->output);
	free(subprocess->errors);
	*subprocess = (struct subprocess){0};
}
