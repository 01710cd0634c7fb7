/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by attacks on a recorder. Each attack is the command of a recording that root makes, and
 * becomes another user, as a daemon does. It speaks the protocol of probe/spool.h by itself, and
 * works in the directory in which it begins. The programs run and watch judge the result, from
 * outside.
 */
#ifndef PSCAL_TESTS_ATTACK_H
#define PSCAL_TESTS_ATTACK_H

#include "base/monotonic.h"
#include "probe/patch_plan.h"
#include "probe/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* An attack that keeps a recorder busy lasts for ATTACK_MS: watch ends it when the recorder has
 * ended. */
enum {
	ATTACK_UID = 65534,
	ATTACK_FDS_MAX = 253,
	ATTACK_WINDOW = SPOOL_WINDOW / 16,
	ATTACK_MS = 120000
};

enum { ATTACK_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* The function that recordings watch, so that there is a spool. */
__attribute__((noinline, used)) static int probed(int value)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop" : "+r"(value));
	return value + 1;
}

static inline void attack_become(uid_t id)
{
	if (setgroups(0, NULL) || setgid(id) || setuid(id))
		exit(70);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

/*
 * Writes the id of the command and the place of its recorder to files, and becomes the other user.
 */
static inline void attack_begin_as(uid_t id)
{
	const struct rlimit core = {0, 0};
	const char *spool = getenv(SPOOL_ENVIRONMENT);
	struct rlimit files;
	FILE *file = fopen("attack.pid", "we");

	probed(1);
	if (!file || fprintf(file, "%d\n%s\n", (int)getpid(), spool ? spool : "") < 0 ||
	    fclose(file))
		exit(71);
	setrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	unsetenv("LD_PRELOAD");
	if (id)
		attack_become(id);
}

static inline void attack_begin(void)
{
	attack_begin_as(ATTACK_UID);
}

/* True until the attack has lasted for so long. */
static inline bool attack_goes_on(uint64_t begin_ns, unsigned ms)
{
	return monotonic_ns() < begin_ns + ms * UINT64_C(1000000);
}

/* Leaves a process behind that is not waited for. Returns 0 in it, its id in the caller. */
static inline pid_t attack_survive(void)
{
	pid_t pid = fork();

	if (pid == 0)
		setsid();
	return pid;
}

/* --- Talking to the recorder --------------------------------------------------------------- */

/* -1: there is no recorder, or it is too busy. */
static inline int attack_connect(void)
{
	const struct timeval patience = {0, 200000};
	const char *path = getenv(SPOOL_ENVIRONMENT);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.90s/" SPOOL_SOCKET,
		 path ? path : "");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Sends any message with any descriptors. Returns true if it was sent. */
static inline bool attack_send(const void *message, size_t length, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(ATTACK_FDS_MAX * sizeof(int))];
		struct cmsghdr aligned;
	} control;
	union {
		const void *from;
		void *base;
	} bytes = {message};
	struct iovec part = {bytes.base, length};
	struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};
	int to = attack_connect();
	ssize_t sent = -1;

	if (to < 0)
		return false;
	if (count) {
		control.aligned = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)),
						   .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.aligned), fds, count * sizeof(int));
		head.msg_control = &control;
		head.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	sent = sendmsg(to, &head, MSG_NOSIGNAL);
	close(to);
	return sent >= 0;
}

/* An offer of this process, or of the process in ATTACK_PID. */
static inline struct spool_offer attack_offer(unsigned kind, pid_t tid, uint64_t image)
{
	const char *claimed = getenv("ATTACK_PID");
	struct spool_offer offer = {.magic = SPOOL_MAGIC,
				    .version = SPOOL_VERSION,
				    .pid = claimed ? atoi(claimed) : (int32_t)getpid(),
				    .tid = claimed ? atoi(claimed) : (int32_t)tid,
				    .image = image,
				    .clock = SPOOL_MONOTONIC};

	offer.kind = kind;
	return offer;
}

static inline bool attack_offer_fd(unsigned kind, pid_t tid, uint64_t image, int fd)
{
	const struct spool_offer offer = attack_offer(kind, tid, image);

	return attack_send(&offer, sizeof(offer), &fd, 1);
}

/* --- Memory -------------------------------------------------------------------------------- */

static inline int attack_memory(uint64_t bytes, int seals)
{
	int fd = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, seals))
		exit(72);
	return fd;
}

static inline void *attack_map(int fd, uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		exit(73);
	return at;
}

/* Events of a thread, with room for so many windows; `fd` gets the file, or is NULL. */
static inline struct spool_header *attack_thread(int *fd, pid_t tid, uint64_t image,
						 uint64_t windows)
{
	uint64_t bytes = SPOOL_HEADER_BYTES + windows * SPOOL_WINDOW;
	int own = attack_memory(bytes, ATTACK_SEALS);
	struct spool_header *header = attack_map(own, bytes);

	header->window_count = (uint32_t)windows;
	for (uint32_t i = 0; i < SPOOL_WINDOWS; i++)
		header->windows[i] = i < windows ? i : 0;
	attack_offer_fd(SPOOL_OFFER_THREAD, tid, image, own);
	if (fd)
		*fd = own;
	else
		close(own);
	return header;
}

static inline struct spool_record *attack_window(struct spool_header *header, uint64_t at)
{
	return (struct spool_record *)(void *)((char *)header + SPOOL_HEADER_BYTES +
					       at * SPOOL_WINDOW);
}

/* Fills a window: enters of blocks from `block` on, `step` apart. */
static inline void attack_fill(struct spool_header *header, uint64_t at, uint64_t time,
			       uint64_t block, uint64_t step)
{
	struct spool_record *record = attack_window(header, at);

	for (uint64_t i = 0; i < ATTACK_WINDOW; i++) {
		record[i].time = time;
		record[i].word = spool_word(SPOOL_ENTER, block + i * step, 0);
	}
}

static inline void attack_turn(struct spool_header *header, uint64_t turned)
{
	__atomic_store_n(&header->turned, turned, __ATOMIC_RELEASE);
}

/* Notes with this text. */
static inline int attack_notes(const char *text, size_t length)
{
	int fd = attack_memory(sizeof(struct spool_notes), ATTACK_SEALS);
	struct spool_notes *notes = attack_map(fd, sizeof(*notes));

	notes->used = length;
	memcpy(notes->text, text, length < sizeof(notes->text) ? length : sizeof(notes->text));
	munmap(notes, sizeof(*notes));
	return fd;
}

/* The same, offered as the notes of this program. */
static inline void attack_say(uint64_t image, const char *text)
{
	int fd = attack_notes(text, strlen(text));

	attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), image, fd);
	close(fd);
}

#endif
