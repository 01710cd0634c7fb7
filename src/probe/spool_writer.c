/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_writer.h"

#include "probe/confinement.h"
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

/* The time without a look for events after which the recorder is stopped or dead. */
#define READ_LATELY_NS (UINT64_C(10) * 1000000000)

/*
 * The time that a process waits if thousands of offers are not taken yet, or as many of its user as
 * that may have files open (ETOOMANYREFS of unix(7)).
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

/* Sends an offer; `fd` -1: without a descriptor. */
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

/*
 * Returns whether a file may have this size: the kernel sends a signal beyond the limit of files.
 */
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

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before it, pages come as they are touched */
#endif

/* The bytes that are mapped at first. */
enum { FIRST_BYTES = SPOOL_HEADER_BYTES + SPOOL_FIRST_WINDOWS * SPOOL_WINDOW };

/* --- Room ---------------------------------------------------------------------------------- */

static uint64_t limit(int resource)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, resource, 0, (long)limits, 0, 0);
	return limits[0];
}

/* Returns the windows that a file may have, few enough for a program with limited memory. */
static uint64_t windows_allowed(void)
{
	uint64_t windows = limit(RLIMIT_AS) / 256 / SPOOL_WINDOW, file = limit(RLIMIT_FSIZE);

	if (windows < SPOOL_FIRST_WINDOWS || file < SPOOL_HEADER_BYTES + SPOOL_WINDOW)
		return 0;
	if ((file - SPOOL_HEADER_BYTES) / SPOOL_WINDOW < windows)
		windows = (file - SPOOL_HEADER_BYTES) / SPOOL_WINDOW;
	return windows < SPOOL_WINDOWS ? windows : SPOOL_WINDOWS;
}

/* --- Mapped parts --------------------------------------------------------------------------- */

/* Returns the part of window `at`: part 0 begins with SPOOL_FIRST_WINDOWS, part 1 with twice ... */
static unsigned part_of(uint64_t at)
{
	return 63 - (unsigned)__builtin_clzll(at / SPOOL_FIRST_WINDOWS);
}

static uint64_t part_begin(unsigned part)
{
	return (uint64_t)SPOOL_FIRST_WINDOWS << part;
}

static uint64_t part_bytes(unsigned part)
{
	uint64_t begin = part_begin(part), windows = begin;

	if (begin + windows > SPOOL_WINDOWS)
		windows = SPOOL_WINDOWS - begin;
	return windows * SPOOL_WINDOW;
}

static uint8_t *window_at(const struct spool_writer *writer, uint64_t at)
{
	unsigned part;

	if (at < SPOOL_FIRST_WINDOWS)
		return (uint8_t *)writer->header + SPOOL_HEADER_BYTES + at * SPOOL_WINDOW;
	part = part_of(at);
	return writer->more[part] + (at - part_begin(part)) * SPOOL_WINDOW;
}

/*
 * Maps a part without a descriptor: copies and extends the mapping before it (mremap(2) with an old
 * size of 0). The new mapping begins with that one's last window.
 */
static bool map_part(struct spool_writer *writer, unsigned part)
{
	uint8_t *last = window_at(writer, part_begin(part) - 1);
	long at = raw_call(SYS_mremap, (long)last, 0, (long)(SPOOL_WINDOW + part_bytes(part)),
			   MREMAP_MAYMOVE, 0, 0);

	if (raw_call_failed(at))
		return false;
	writer->more[part] = (uint8_t *)at + SPOOL_WINDOW; // NOLINT: an address
	return true;
}

/*
 * Allocates the pages of a window at once, and not one by one. Without memory the kernel returns an
 * error here; later it would send SIGBUS to the program.
 */
static bool populate(const struct spool_writer *writer, uint64_t at)
{
	long result = raw_call(SYS_madvise, (long)window_at(writer, at), SPOOL_WINDOW,
			       MADV_POPULATE_WRITE, 0, 0, 0);

	return !raw_call_failed(result) || result == -EINVAL;
}

/* Adds a window. */
static bool grow(struct spool_writer *writer)
{
	uint64_t count = writer->count;

	if (count >= writer->allowed || !recorder_link_has_room(writer->link))
		return false;
	if (count >= SPOOL_FIRST_WINDOWS && !writer->more[part_of(count)] &&
	    !map_part(writer, part_of(count)))
		return false;
	return populate(writer, count);
}

/* --- Opening and closing ------------------------------------------------------------------- */

int spool_writer_open(struct spool_writer *writer, const struct recorder_link *link,
		      const struct spool_offer *first)
{
	struct spool_offer offer = *first;
	uint64_t allowed = windows_allowed();
	uint64_t bytes = SPOOL_HEADER_BYTES + allowed * SPOOL_WINDOW;

	offer.kind = SPOOL_OFFER_THREAD;
	offer.pid = (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	offer.tid = (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	/* The first event turns to the first window. */
	*writer = (struct spool_writer){.window = -(uint64_t)SPOOL_WINDOW,
					.link = link,
					.allowed = allowed,
					.pid = offer.pid,
					.tid = offer.tid};
	if (allowed)
		writer->header = recorder_link_offer(link, &offer, bytes, FIRST_BYTES);
	return writer->header ? 0 : -1;
}

void spool_writer_close(struct spool_writer *writer)
{
	__atomic_store_n(&writer->header->ended, 1, __ATOMIC_RELEASE);
	raw_call(SYS_munmap, (long)writer->header, FIRST_BYTES, 0, 0, 0, 0);
	for (unsigned i = 0; i < SPOOL_MORE_PARTS; i++)
		if (writer->more[i])
			raw_call(SYS_munmap, (long)(writer->more[i] - SPOOL_WINDOW),
				 (long)(SPOOL_WINDOW + part_bytes(i)), 0, 0, 0, 0);
	*writer = (struct spool_writer){.offset = 0};
}

void spool_writer_miss(struct spool_writer *writer)
{
	__atomic_fetch_add(&writer->header->full, 1, __ATOMIC_RELAXED);
}

/* --- Windows ------------------------------------------------------------------------------- */

/*
 * Returns the place of a window; NULL: it is not the thread's. A child of the process has this
 * memory as well, and may have become another user's.
 */
static uint8_t *place_of(const struct spool_writer *writer, uint64_t window)
{
	uint32_t at =
		__atomic_load_n(&writer->header->windows[window % SPOOL_WINDOWS], __ATOMIC_RELAXED);

	return at < writer->count ? window_at(writer, at) : NULL;
}

/* Returns a window that has been read, or a new one; -1: no room, or the recorder has stopped. */
static int64_t free_window(struct spool_writer *writer)
{
	struct spool_header *header = writer->header;
	uint64_t taken = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);

	if (taken == UINT64_MAX)
		return -1;
	if (writer->oldest < taken)
		return __atomic_load_n(&header->windows[writer->oldest++ % SPOOL_WINDOWS],
				       __ATOMIC_RELAXED);
	if (!grow(writer))
		return -1;
	header->window_count = (uint32_t)writer->count + 1;
	return (int64_t)writer->count++;
}

/*
 * Turns to the next window. Windows follow one another, as offsets do: no event is longer than one.
 */
static bool turn_to(struct spool_writer *writer, uint64_t window)
{
	int64_t at = free_window(writer);

	if (at < 0 || at >= (int64_t)writer->count)
		return false;
	__atomic_store_n(&writer->header->windows[window % SPOOL_WINDOWS], (uint32_t)at,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&writer->header->turned, window + 1, __ATOMIC_RELEASE);
	writer->base = window_at(writer, (uint64_t)at);
	writer->window = window * SPOOL_WINDOW;
	return true;
}

static struct spool_record *turn(struct spool_writer *writer, uint64_t offset, unsigned records,
				 bool *again)
{
	uint64_t window = offset / SPOOL_WINDOW, inside = offset % SPOOL_WINDOW;
	struct spool_record *head;
	uint8_t *place;

	/* A signal handler may have turned already, even beyond this window. */
	while ((int64_t)(window * SPOOL_WINDOW - writer->window) > 0)
		if (!turn_to(writer, (writer->window + SPOOL_WINDOW) / SPOOL_WINDOW))
			return NULL;
	place = place_of(writer, window);
	if (!place)
		return NULL;
	head = (struct spool_record *)(void *)(place + inside);
	if (inside + records * sizeof(*head) <= SPOOL_WINDOW)
		return spool_writer_begin(head, records);
	spool_writer_put(head, 0, spool_word(SPOOL_PAD, 0, 2 * (records - 1)));
	*again = true;
	return NULL;
}

struct spool_record *spool_writer_turn(struct spool_writer *writer, uint64_t offset,
				       unsigned records, bool *again)
{
	uint64_t all = ~UINT64_C(0), old = 0;
	struct spool_record *head;

	if (!confinement_hold()) {
		*again = false;
		spool_writer_miss(writer);
		return NULL;
	}
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	head = turn(writer, offset, records, again);
	if (!head && !*again)
		spool_writer_miss(writer);
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	confinement_free();
	return head;
}
