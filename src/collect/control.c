/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Opening ------------------------------------------------------------------------------- */

static int open_fifo(int *fd, const char *path, struct err *err)
{
	struct stat stat;

	/* Read and write: the open neither waits for another process nor ends with it. */
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return err_set(err, "%s: cannot be opened: %m; make it with mkfifo", path);
	if (!fstat(*fd, &stat) && S_ISFIFO(stat.st_mode))
		return 0;
	close(*fd);
	*fd = -1;
	return err_set(err, "%s: is not a FIFO; make one with mkfifo", path);
}

static int take_fd(int *fd, const char *text, struct err *err)
{
	uint64_t number;

	if (parse_u64(&number, text, INT_MAX))
		return err_set(err, "'%s' is not the number of a file descriptor", text);
	if (fcntl((int)number, F_GETFD) < 0)
		return err_set(err, "there is no file descriptor %s", text);
	*fd = (int)number;
	return 0;
}

static int open_both(struct control *control, const char *kind, char *names, struct err *err)
{
	bool fifo = strcmp(kind, "fifo") == 0;
	int (*open_one)(int *, const char *, struct err *) = fifo ? open_fifo : take_fd;
	char *ack = strchr(names, ',');

	if (ack)
		*ack++ = '\0';
	if (open_one(&control->fd, names, err))
		return -1;
	control->close_fd = fifo;
	if (ack && open_one(&control->ack_fd, ack, err))
		return -1;
	control->close_ack_fd = ack && fifo;
	return 0;
}

int control_open(struct control *control, const char *text, struct err *err)
{
	const char *kind = strncmp(text, "fd:", 3) == 0 ? "fd" : "fifo";
	const char *names = text;
	char *copy;
	int rc;

	*control = (struct control){.fd = -1, .ack_fd = -1};
	if (strncmp(text, "fd:", 3) == 0 || strncmp(text, "fifo:", 5) == 0)
		names = strchr(text, ':') + 1;
	copy = xstrdup(names);
	rc = open_both(control, kind, copy, err);
	free(copy);
	if (rc)
		control_close(control);
	return rc;
}

void control_close(struct control *control)
{
	if (control->close_fd && control->fd >= 0)
		close(control->fd);
	if (control->close_ack_fd && control->ack_fd >= 0)
		close(control->ack_fd);
	*control = (struct control){.fd = -1, .ack_fd = -1};
}

/* --- Commands ------------------------------------------------------------------------------ */

static bool is_ready(int fd, short what)
{
	struct pollfd ready = {.fd = fd, .events = what};

	return fd >= 0 && poll(&ready, 1, 0) == 1;
}

/* Closes the control: no process will write any more. */
static void give_up(struct control *control)
{
	if (control->close_fd)
		close(control->fd);
	control->fd = -1;
}

/* Returns whether there are bytes to parse. A descriptor of the user may block. */
static bool control_fill(struct control *control)
{
	ssize_t got;

	if (control->begin < control->end)
		return true;
	if (!is_ready(control->fd, POLLIN))
		return false;
	got = read(control->fd, control->bytes, sizeof(control->bytes));
	control->begin = 0;
	control->end = got > 0 ? (size_t)got : 0;
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		give_up(control);
	return got > 0;
}

/* Returns whether `line` is complete. A line that is too long is cut off. */
static bool read_line(struct control *control)
{
	if (control->done)
		control->length = 0;
	control->done = false;
	while (!control->done && control->begin < control->end) {
		char c = control->bytes[control->begin++];

		control->done = c == '\n' || c == '\0';
		if (!control->done && control->length < CONTROL_LINE_MAX - 1)
			control->line[control->length++] = c;
	}
	control->line[control->length] = '\0';
	return control->done;
}

static const struct {
	const char *word;
	enum control_command command;
} words[] = {
	{"enable", CONTROL_ENABLE},
	{"disable", CONTROL_DISABLE},
	{"stop", CONTROL_STOP},
	{"ping", CONTROL_PING},
};

static enum control_command command_of(const char *line)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(line, words[i].word) == 0)
			return words[i].command;
	return CONTROL_UNKNOWN;
}

enum control_command control_next(struct control *control)
{
	if (!control_fill(control))
		return CONTROL_NONE;
	while (read_line(control)) {
		if (control->length) /* skip empty lines */
			return command_of(control->line);
	}
	return CONTROL_NONE; /* the rest of the line has not come yet */
}

bool control_has_more(const struct control *control)
{
	return control->begin < control->end;
}

void control_ack(struct control *control)
{
	static const char ack[] = "ack\n";
	ssize_t ignored;

	if (!is_ready(control->ack_fd, POLLOUT))
		return;
	ignored = write(control->ack_fd, ack, sizeof(ack) - 1);
	(void)ignored;
}
