/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/recorder_link.h"

#include "probe/raw_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

/* A recorder that has not looked for events for so long is stopped or dead. */
#define READ_LATELY_NS (UINT64_C(10) * 1000000000)

/*
 * A process waits no longer than this where thousands of offers have not been taken so far, or as
 * many of its user as that may have files open (ETOOMANYREFS of unix(7)).
 */
enum { PATIENCE_US = 100000, PAUSE_US = 1000, INTERRUPTIONS_MAX = 20 };

static void close_fd(long fd)
{
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* --- Trust --------------------------------------------------------------------------------- */

static bool is_trusted_user(uint64_t uid)
{
	return uid == 0 || uid == (uint64_t)raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

static bool is_trusted(long fd, mode_t type)
{
	struct stat file;

	return !raw_call_failed(raw_call(SYS_fstat, fd, (long)&file, 0, 0, 0, 0)) &&
	       (file.st_mode & S_IFMT) == type && is_trusted_user(file.st_uid) &&
	       !(file.st_mode & (S_IWGRP | S_IWOTH)) && (type == S_IFDIR || file.st_nlink == 1);
}

static size_t length_of(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

static bool has_token(const struct recorder_link *link)
{
	size_t length = length_of(link->path);

	for (size_t i = 0; i < SPOOL_TOKEN; i++)
		if (link->path[length - SPOOL_TOKEN + i] != link->plan->token[i])
			return false;
	return link->path[length - SPOOL_TOKEN - 1] == '/';
}

/* --- The plan ------------------------------------------------------------------------------ */

static const struct plan_header *map_plan(long fd, size_t *bytes)
{
	struct stat file;
	long at;

	if (!is_trusted(fd, S_IFREG) || raw_call(SYS_fstat, fd, (long)&file, 0, 0, 0, 0) ||
	    (size_t)file.st_size < sizeof(struct plan_header))
		return NULL;
	*bytes = (size_t)file.st_size;
	at = raw_call(SYS_mmap, 0, (long)*bytes, PROT_READ, MAP_SHARED, fd, 0);
	return raw_call_failed(at) ? NULL : (const struct plan_header *)at; // NOLINT: an address
}

static bool copy_path(struct recorder_link *link, const char *path)
{
	size_t length = path ? length_of(path) : 0;

	if (length < SPOOL_TOKEN + 2 || *path != '/' || length >= sizeof(link->path))
		return false;
	for (size_t i = 0; i <= length; i++)
		link->path[i] = path[i];
	return true;
}

static void give_up(struct recorder_link *link)
{
	raw_call(SYS_munmap, (long)link->plan, (long)link->plan_bytes, 0, 0, 0, 0);
	link->plan = NULL;
}

int recorder_link_open(struct recorder_link *link, const char *path)
{
	long directory, fd;

	if (!copy_path(link, path))
		return -1;
	directory = raw_call(SYS_openat, AT_FDCWD, (long)link->path,
			     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
	if (directory < 0)
		return -1;
	fd = is_trusted(directory, S_IFDIR)
		     ? raw_call(SYS_openat, directory, (long)SPOOL_PLAN,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, 0, 0)
		     : -EPERM;
	close_fd(directory);
	if (fd < 0)
		return -1;
	link->plan = map_plan(fd, &link->plan_bytes);
	close_fd(fd);
	if (link->plan && (link->plan->magic != PLAN_MAGIC ||
			   (link->plan->version == SPOOL_VERSION && !has_token(link))))
		give_up(link);
	return link->plan ? 0 : -1;
}

bool recorder_link_is_read(const struct recorder_link *link)
{
	uint64_t read_ns = __atomic_load_n(&link->plan->read_ns, __ATOMIC_RELAXED), now_ns;
	struct timespec now = {0, 0};

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return read_ns && now_ns < read_ns + READ_LATELY_NS;
}

bool recorder_link_has_room(const struct recorder_link *link)
{
	return __atomic_load_n(&link->plan->room, __ATOMIC_RELAXED) && recorder_link_is_read(link);
}

/* --- Handing over -------------------------------------------------------------------------- */

static long connect_to(const struct recorder_link *link)
{
	const struct timeval patience = {0, PATIENCE_US};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = length_of(link->path);
	long fd = raw_call(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0, 0, 0),
	     result = -EINTR;

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < length; i++)
		address.sun_path[i] = link->path[i];
	for (size_t i = 0; i < sizeof("/" SPOOL_SOCKET); i++)
		address.sun_path[length + i] = ("/" SPOOL_SOCKET)[i];
	raw_call(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&patience, sizeof(patience), 0);
	for (int i = 0; i < INTERRUPTIONS_MAX; i++) {
		result = raw_call(SYS_connect, fd, (long)&address, sizeof(address), 0, 0, 0);
		if (result != -EINTR)
			break;
	}
	if (!raw_call_failed(result))
		return fd;
	close_fd(fd);
	return result;
}

static bool is_our_recorder(long fd)
{
	struct ucred peer = {.uid = UINT32_MAX};
	socklen_t size = sizeof(peer);

	return !raw_call_failed(raw_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer,
					 (long)&size, 0)) &&
	       is_trusted_user(peer.uid);
}

static long send_message(long to, struct msghdr *message)
{
	const struct timespec pause = {0, PAUSE_US * 1000};
	long sent = -1;

	for (int i = 0; i < PATIENCE_US / PAUSE_US; i++) {
		sent = raw_call(SYS_sendmsg, to, (long)message, MSG_NOSIGNAL, 0, 0, 0);
		if (sent != -ETOOMANYREFS)
			break;
		raw_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return sent;
}

/* `fd` -1: without one. */
static bool send_offer(const struct recorder_link *link, const struct spool_offer *offer, long fd)
{
	struct iovec part = {(void *)(uintptr_t)offer, sizeof(*offer)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = {.aligned = {.cmsg_len = CMSG_LEN(sizeof(int)),
				 .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	long to = connect_to(link), sent = -1;

	if (to < 0)
		return false;
	if (fd >= 0) {
		*(int *)(void *)CMSG_DATA(&control.aligned) = (int)fd;
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (is_our_recorder(to))
		sent = send_message(to, &message);
	close_fd(to);
	return sent == sizeof(*offer);
}

/* A limit on the size of files, beyond which the kernel sends a signal, is one on these, too. */
static bool may_be_so_large(uint64_t bytes)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)limits, 0, 0);
	return bytes <= limits[0];
}

static long make_file(const char *name, uint64_t bytes)
{
	enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
	long fd;

	if (!may_be_so_large(bytes))
		return -EFBIG;
	fd = raw_call(SYS_memfd_create, (long)name, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);
	if (fd < 0)
		return fd;
	if (!raw_call_failed(raw_call(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0)) &&
	    !raw_call_failed(raw_call(SYS_fcntl, fd, F_ADD_SEALS, SEALS, 0, 0, 0)))
		return fd;
	close_fd(fd);
	return -ENOMEM;
}

static void *map_file(long fd, uint64_t bytes)
{
	long at = raw_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (raw_call_failed(at))
		return NULL;
	raw_call(SYS_madvise, at, (long)bytes, MADV_DONTDUMP, 0, 0, 0);
	return (void *)at; // NOLINT: an address
}

void *recorder_link_offer(const struct recorder_link *link, struct spool_offer *offer,
			  uint64_t bytes, uint64_t mapped)
{
	bool is_thread = offer->kind == SPOOL_OFFER_THREAD;
	long fd = make_file(is_thread ? "pscal-events" : "pscal-notes", bytes);
	void *at;

	if (fd < 0)
		return NULL;
	offer->magic = SPOOL_MAGIC;
	offer->version = SPOOL_VERSION;
	at = map_file(fd, mapped);
	if (at && !send_offer(link, offer, fd)) {
		raw_call(SYS_munmap, (long)at, (long)mapped, 0, 0, 0, 0);
		at = NULL;
	}
	close_fd(fd);
	return at;
}

void recorder_link_refuse(const struct recorder_link *link)
{
	const struct spool_offer offer = {
		.magic = SPOOL_MAGIC, .version = SPOOL_VERSION, .kind = SPOOL_OFFER_PROGRAM};

	send_offer(link, &offer, -1);
}
