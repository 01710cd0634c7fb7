/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/spool_listener.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The most offers that wait, the limit of most systems (net.core.somaxconn), and the number of
 * descriptors that are not memory after which none are taken.
 */
enum { BACKLOG = 4096, REFUSED_MAX = 64 };

/*
 * The time for an offer. A thread sends it as soon as it has connected, but may wait for a CPU in
 * between: on a busy machine for a second, and at low priority many times as long. Silent ones have
 * at most half of the places.
 */
static const uint64_t silence_ns = UINT64_C(30000000000);

struct spool_listener spool_listener_none(void)
{
	return (struct spool_listener){.directory = {.fd = -1, .base = -1, .owner = -1}, .fd = -1};
}

/* --- Opening and closing ------------------------------------------------------------------- */

/* Listens, by the directory's descriptor: every user sees bound names in /proc/net/unix. */
static int listen_in(struct spool_listener *listener)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" SPOOL_SOCKET,
		 listener->directory.fd);
	listener->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A process started by root may become another user's: the name keeps others out. */
	return listener->fd < 0 || bind(listener->fd, (void *)&address, sizeof(address)) ||
			       fchmodat(listener->directory.fd, SPOOL_SOCKET, 0666, 0) ||
			       listen(listener->fd, BACKLOG)
		       ? -1
		       : 0;
}

int spool_listener_open(struct spool_listener *listener, struct err *err)
{
	*listener = spool_listener_none();
	if (run_directory_open(&listener->directory, err))
		return -1;
	listener->path = listener->directory.path;
	listener->opened_ns = monotonic_ns();
	if (strlen(listener->path) >= SPOOL_PATH_MAX)
		return err_set(err,
			       "%s: is too long a name for a socket: set TMPDIR to a shorter one",
			       listener->path);
	if (listen_in(listener))
		return err_set(err, "%s: cannot listen: %m", listener->path);
	return 0;
}

void spool_listener_close(struct spool_listener *listener)
{
	for (size_t i = 0; i < listener->caller_count; i++)
		close(listener->callers[i].fd);
	if (listener->plan) {
		__atomic_store_n(&listener->plan->read_ns, 0, __ATOMIC_RELAXED);
		munmap(listener->plan, sizeof(*listener->plan));
	}
	if (listener->fd >= 0)
		close(listener->fd);
	run_directory_close(&listener->directory);
	*listener = spool_listener_none();
}

/* --- The plan ------------------------------------------------------------------------------ */

static int map_plan(struct spool_listener *listener, int fd)
{
	const char *token = listener->path + strlen(listener->path) - SPOOL_TOKEN;
	void *plan = mmap(NULL, sizeof(*listener->plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (plan == MAP_FAILED)
		return -1;
	listener->plan = plan;
	memcpy(listener->plan->token, token, SPOOL_TOKEN);
	spool_listener_tell(listener, monotonic_ns(), true);
	return 0;
}

int spool_listener_publish(struct spool_listener *listener,
			   int (*write)(FILE *out, const void *context), const void *context,
			   struct err *err)
{
	int fd = openat(listener->directory.fd, SPOOL_PLAN,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");
	int failed = !out || write(out, context) || fflush(out) || ferror(out) ||
		     map_plan(listener, fd) || fchmod(fd, 0644);

	if (failed)
		err_set(err, "%s/" SPOOL_PLAN ": cannot be written: %m", listener->path);
	if (out)
		fclose(out);
	else if (fd >= 0)
		close(fd);
	return failed ? -1 : 0;
}

void spool_listener_tell(struct spool_listener *listener, uint64_t now_ns, bool room)
{
	if (!listener->plan)
		return;
	__atomic_store_n(&listener->plan->room, room, __ATOMIC_RELAXED);
	__atomic_store_n(&listener->plan->read_ns, now_ns, __ATOMIC_RELAXED);
}

/* --- Taking offers ------------------------------------------------------------------------- */

static void drop_caller(struct spool_listener *listener, size_t i)
{
	close(listener->callers[i].fd);
	memmove(&listener->callers[i], &listener->callers[i + 1],
		(--listener->caller_count - i) * sizeof(listener->callers[0]));
}

static void accept_callers(struct spool_listener *listener)
{
	while (listener->caller_count < SPOOL_CALLERS_MAX) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		listener->callers[listener->caller_count++] =
			(struct spool_caller){fd, monotonic_ns()};
	}
}

/* --- Descriptors of another process -------------------------------------------------------- */

/*
 * Returns whether a file is sealed, without asking its file system, which may be a process (FUSE).
 */
static bool is_sealed(int fd)
{
	enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW };
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;

	/* hugetlbfs can be sealed, too, but may run out of pages. */
	return seals >= 0 && (seals & SEALS) == SEALS && fstatfs(fd, &system) == 0 &&
	       system.f_type == TMPFS_MAGIC;
}

static int close_there(void *fd)
{
	syscall(SYS_close, *(int *)fd);
	return 0;
}

/*
 * Closes a file in another process that shares the descriptors, as closing a file that is no such
 * memory may take as long as its process likes (a socket that lingers, FUSE). Once the kernel has
 * removed the descriptor, a helper that has not ended holds nothing but that file: neither the end
 * of the recorder nor that of its pipes has to wait for it.
 */
static void close_elsewhere(int fd)
{
	enum { STACK = 1 << 16, TRIES = 1000, PATIENCE = 5, PAUSE_US = 1000 };
	char *stack = xcalloc(1, STACK);
	pid_t child = clone(close_there, stack + STACK, CLONE_FILES, &fd);
	bool ended = child < 0;

	free(stack);
	for (int i = 0; i < TRIES && !ended; i++) {
		ended = waitpid(child, NULL, __WALL | WNOHANG) != 0;
		if (!ended && i > PATIENCE && fcntl(fd, F_GETFD) < 0)
			break;
		if (!ended)
			usleep(PAUSE_US);
	}
	if (!ended)
		descriptors_unshare();
}

static void close_refused(struct spool_listener *listener, int fd)
{
	if (fd < 0)
		return;
	if (is_sealed(fd)) {
		close(fd);
		return;
	}
	if (++listener->refused == REFUSED_MAX) {
		close(listener->fd);
		listener->fd = -1;
	}
	close_elsewhere(fd);
}

/* Returns the descriptor of a message; it has room for one, and the kernel drops others. */
static int take_fd(struct msghdr *message)
{
	const struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
	    part->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Receives an offer. Returns the length of the message; 0: the caller has gone; -1: nothing yet. */
static ssize_t receive_offer(int caller, struct spool_arrival *arrival)
{
	struct iovec part = {&arrival->offer, sizeof(arrival->offer)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control;
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t length;

	memset(&arrival->offer, 0, sizeof(arrival->offer));
	length = recvmsg(caller, &message, MSG_CMSG_CLOEXEC);
	arrival->fd = -1;
	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? -1 : 0;
	arrival->fd = take_fd(&message);
	return length;
}

static bool has_its_size(struct spool_arrival *arrival)
{
	struct stat file;

	if (fstat(arrival->fd, &file) || !S_ISREG(file.st_mode))
		return false;
	arrival->bytes = (uint64_t)file.st_size;
	if (arrival->offer.kind != SPOOL_OFFER_THREAD)
		return arrival->bytes >= SPOOL_NOTES_MIN &&
		       arrival->bytes <= sizeof(struct spool_notes);
	return arrival->bytes >= SPOOL_HEADER_BYTES + SPOOL_WINDOW &&
	       arrival->bytes <= SPOOL_HEADER_BYTES + (uint64_t)SPOOL_WINDOWS * SPOOL_WINDOW &&
	       (arrival->bytes - SPOOL_HEADER_BYTES) % SPOOL_WINDOW == 0;
}

/*
 * Returns whether a thread is one of the process, which may offer its own threads, also ended ones.
 */
static bool is_its_thread(struct spool_arrival *arrival)
{
	const struct spool_offer *offer = &arrival->offer;
	char path[64];

	if (offer->tid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)offer->pid, (int)offer->tid);
	arrival->is_over = access(path, F_OK) != 0;
	if (!arrival->is_over || offer->tid == offer->pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d", (int)offer->tid);
	return access(path, F_OK) != 0;
}

static int judge_offer(struct spool_arrival *arrival, pid_t pid, ssize_t length, struct err *err)
{
	const struct spool_offer *offer = &arrival->offer;

	if (length < (ssize_t)(sizeof(offer->magic) + sizeof(offer->version)) ||
	    offer->magic != SPOOL_MAGIC)
		return err_set(
			err,
			"process %d: the file that it offers is not memory of the probe library",
			(int)pid);
	if (offer->version != SPOOL_VERSION)
		return err_set(err,
			       "process %d: the probe library in it is of another version of "
			       "pscal; install both from the same build",
			       (int)pid);
	if (length != sizeof(*offer) || offer->kind > SPOOL_OFFER_THREAD || arrival->fd < 0 ||
	    !is_sealed(arrival->fd) || !has_its_size(arrival))
		return err_set(err, "process %d: the memory that it offers is damaged", (int)pid);
	/* 0: the process has no number in this namespace. */
	if (!pid || offer->pid != pid)
		return err_set(
			err,
			"a process in another PID namespace, such as a container, is not recorded");
	if (!is_its_thread(arrival))
		return err_set(err,
			       "process %d: offers the events of thread %d, which belongs to "
			       "another process",
			       (int)pid, (int)offer->tid);
	return 1;
}

static int take_from_caller(struct spool_listener *listener, int caller,
			    struct spool_arrival *arrival, ssize_t length, struct err *err)
{
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);
	int rc = getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size)
			 ? err_set(err, "a connection to the spool has no process: %m")
			 : judge_offer(arrival, peer.pid, length, err);

	arrival->offer.pid = peer.pid;
	arrival->uid = peer.uid;
	arrival->gid = peer.gid;
	if (rc < 0)
		close_refused(listener, arrival->fd);
	return rc;
}

int spool_listener_next(struct spool_listener *listener, struct spool_arrival *arrival,
			struct err *err)
{
	uint64_t now_ns;

	if (listener->fd < 0)
		return 0;
	accept_callers(listener);
	now_ns = listener->caller_count ? monotonic_ns() : 0;
	for (size_t i = 0; i < listener->caller_count;) {
		struct spool_caller caller = listener->callers[i];
		ssize_t length = receive_offer(caller.fd, arrival);
		int rc = 0;

		if (length < 0 && now_ns < caller.since_ns + silence_ns) {
			i++;
			continue;
		}
		if (length > 0)
			rc = take_from_caller(listener, caller.fd, arrival, length, err);
		else if (length == 0)
			close_refused(listener, arrival->fd);
		drop_caller(listener, i);
		arrival->after_ns = listener->opened_ns;
		if (rc)
			return rc;
	}
	/* All callers are silent: new ones need their places. */
	while (listener->caller_count > SPOOL_CALLERS_MAX / 2)
		drop_caller(listener, 0);
	return 0;
}
