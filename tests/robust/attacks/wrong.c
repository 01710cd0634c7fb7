/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offers memory that is not from a probe library, in all possible ways. */
#include "attack.h"

#include <sys/stat.h>

static void offer(unsigned kind, int fd)
{
	attack_offer_fd(kind, getpid(), 1, fd);
	attack_offer_fd(kind, getpid(), 1, fd);
	if (fd >= 0)
		close(fd);
}

static void offer_kinds(unsigned kind)
{
	const uint64_t bytes = kind == SPOOL_OFFER_THREAD ? SPOOL_HEADER_BYTES + SPOOL_WINDOW
							  : sizeof(struct spool_notes);
	static const int seals[] = {0, F_SEAL_SHRINK, F_SEAL_GROW, ATTACK_SEALS | F_SEAL_WRITE,
				    ATTACK_SEALS | F_SEAL_FUTURE_WRITE};
	static const char *const files[] = {
		".",	"/dev/zero",	  "/dev/null", "plain", "/proc/self/mem",
		"fifo", "/proc/self/maps"};
	char again[64];
	int ends[2], fd;

	for (size_t i = 0; i < sizeof(seals) / sizeof(*seals); i++)
		offer(kind, attack_memory(bytes, seals[i]));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		offer(kind, open(files[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	if (pipe2(ends, O_CLOEXEC) == 0)
		offer(kind, ends[0]);
	offer(kind, socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	offer(kind, (int)syscall(SYS_memfd_create, "huge", MFD_ALLOW_SEALING | MFD_HUGETLB));
	fd = attack_memory(bytes, ATTACK_SEALS);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	offer(kind, open(again, O_RDONLY | O_CLOEXEC));
	offer(kind, open(again, O_PATH | O_CLOEXEC));
	close(fd);
	offer(kind, attack_memory(0, ATTACK_SEALS));
	offer(kind, attack_memory(bytes + 1, ATTACK_SEALS));
	offer(kind, attack_memory(INT64_MAX - 65535, ATTACK_SEALS));
	attack_send("", 0, NULL, 0);
}

static void send_wrong(int fd)
{
	struct {
		struct spool_offer offer;
		char more[4096];
	} message = {attack_offer(SPOOL_OFFER_THREAD, getpid(), 1), {0}};
	int many[ATTACK_FDS_MAX];

	for (size_t i = 0; i < ATTACK_FDS_MAX; i++)
		many[i] = fd;
	attack_send(&message, sizeof(message.offer), many, ATTACK_FDS_MAX);
	attack_send(&message, sizeof(message.offer), NULL, 0);
	attack_send(&message, sizeof(message), &fd, 1);
	for (size_t length = 0; length < sizeof(message.offer); length += 4)
		attack_send(&message, length, &fd, 1);
	for (unsigned bit = 0; bit < 8 * sizeof(message.offer); bit++) {
		struct spool_offer other = message.offer;

		((unsigned char *)&other)[bit / 8] ^= (unsigned char)(1 << bit % 8);
		attack_send(&other, sizeof(other), &fd, 1);
	}
}

int main(void)
{
	int fd = open("plain", O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	attack_begin();
	if (fd < 0 || ftruncate(fd, sizeof(struct spool_notes)) || mkfifo("fifo", 0666))
		return 74;
	offer_kinds(SPOOL_OFFER_THREAD);
	offer_kinds(SPOOL_OFFER_PROGRAM);
	attack_thread(&fd, getpid(), 1, 4);
	send_wrong(fd);
	return 0;
}
