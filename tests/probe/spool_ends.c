/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_ends.h"

#include "base/err.h"
#include "support.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* --- The recorder's ------------------------------------------------------------------------ */

static int write_header(FILE *out, const void *header)
{
	return fwrite(header, sizeof(struct plan_header), 1, out) == 1 ? 0 : -1;
}

void spool_ends_listen(struct spool_listener *listener, const struct plan_header *header)
{
	struct plan_header own = *header;
	struct err err = {.text = ""};

	own.magic = PLAN_MAGIC;
	own.version = SPOOL_VERSION;
	if (spool_listener_open(listener, &err) ||
	    spool_listener_publish(listener, write_header, &own, &err))
		fail_msg("%s", err.text);
}

struct spool_arrival spool_ends_take(struct spool_listener *listener, unsigned kind)
{
	struct spool_arrival arrival;
	struct err err;
	int rc;

	while ((rc = spool_listener_next(listener, &arrival, &err))) {
		if (rc < 0)
			fail_msg("%s", err.text);
		if (arrival.offer.kind == kind)
			return arrival;
		close(arrival.fd);
	}
	arrival.fd = -1;
	return arrival;
}

size_t spool_ends_notes(char *text, size_t size, int fd)
{
	ssize_t length = pread(fd, text, size - 1, offsetof(struct spool_notes, text));

	assert_true(length >= 0);
	text[length] = '\0';
	return strlen(text);
}

/* --- The process's ------------------------------------------------------------------------- */

void *spool_ends_make(int *fd, size_t bytes)
{
	void *at;

	*fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(*fd >= 0);
	assert_int_equal(ftruncate(*fd, (off_t)bytes), 0);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_true(at != MAP_FAILED);
	assert_int_equal(fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	return at;
}

int spool_ends_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" SPOOL_SOCKET, path);
	assert_int_equal(connect(fd, (void *)&address, sizeof(address)), 0);
	return fd;
}

void spool_ends_send(const char *path, const void *bytes, size_t length, int fd)
{
	struct iovec part = {(void *)(uintptr_t)bytes, length};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = {.aligned = {.cmsg_len = CMSG_LEN(sizeof(int)),
				 .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int to = spool_ends_connect(path);

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.aligned), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	assert_int_equal(sendmsg(to, &message, 0), length);
	close(to);
	if (fd >= 0)
		close(fd);
}

void spool_ends_offer(const char *path, struct spool_offer offer, int fd)
{
	offer.magic = SPOOL_MAGIC;
	offer.version = SPOOL_VERSION;
	spool_ends_send(path, &offer, sizeof(offer), fd);
}
