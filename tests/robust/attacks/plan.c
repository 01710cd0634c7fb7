/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans of another user, with code that the next process of root would run:
 *
 *	plan LIBRARY DIRECTORY
 *
 * makes plans of all kinds below DIRECTORY, and makes root begin a program with each of them.
 * Prints each plan that was wrongly taken, and root's own plan if it was not taken.
 */
#include "attack.h"

#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

enum { CHANGED = 42 };

struct kind {
	const char *name, *token;
	uid_t owner; /* of the directory and the plan */
	mode_t directory, plan;
	enum { FILE_OF_PLAN, LINK_TO_PLAN, SECOND_LINK, FIFO, SHORT, LINK_TO_DIRECTORY } what;
	bool taken;
};

static const struct kind kinds[] = {
	{"root's own", TOKEN, 0, 0711, 0644, FILE_OF_PLAN, true},
	{"of another user", TOKEN, ATTACK_UID, 0711, 0644, FILE_OF_PLAN, false},
	{"in a directory that everybody may write", TOKEN, 0, 0777, 0644, FILE_OF_PLAN, false},
	{"in a sticky directory", TOKEN, 0, 01777, 0644, FILE_OF_PLAN, false},
	{"in a directory that a group may write", TOKEN, 0, 0775, 0644, FILE_OF_PLAN, false},
	{"that everybody may write", TOKEN, 0, 0711, 0666, FILE_OF_PLAN, false},
	{"that a group may write", TOKEN, 0, 0711, 0664, FILE_OF_PLAN, false},
	{"of another directory", "another token of the same length", 0, 0711, 0644, FILE_OF_PLAN,
	 false},
	{"that is a link", TOKEN, 0, 0711, 0644, LINK_TO_PLAN, false},
	{"that has two names", TOKEN, 0, 0711, 0644, SECOND_LINK, false},
	{"that is a pipe", TOKEN, 0, 0711, 0644, FIFO, false},
	{"that is cut", TOKEN, 0, 0711, 0644, SHORT, false},
	{"in a directory that is a link", TOKEN, 0, 0711, 0644, LINK_TO_DIRECTORY, false},
};

/* mov $42, %eax; ret; and nops for the rest of the moved code */
static const uint8_t code[] = {0xb8, CHANGED, 0, 0, 0, 0xc3, 0x90, 0x90};

struct written_plan {
	struct plan_header header;
	struct plan_object object;
	struct plan_patch patch;
	char texts[16];
};

static void must(bool done, const char *what)
{
	if (!done) {
		perror(what);
		exit(74);
	}
}

/* A plan for this program itself. */
static struct written_plan make_plan(const struct kind *kind)
{
	struct written_plan plan = {
		.header = {.magic = PLAN_MAGIC,
			   .version = SPOOL_VERSION,
			   .room = 1,
			   .read_ns = monotonic_ns(),
			   .every = 1,
			   .marks = 1,
			   .object_count = 1,
			   .patch_count = 1,
			   .text_bytes = sizeof(plan.texts)},
		.object = {.patch_count = 1},
		.patch = {.name = 1, .length = sizeof(code), .moved_length = sizeof(code)},
		.texts = "\0probed",
	};
	extern const char __executable_start[];
	const uint8_t *entry = (const uint8_t *)(uintptr_t)probed;
	struct stat self;

	must(stat("/proc/self/exe", &self) == 0, "/proc/self/exe");
	memcpy(plan.header.token, kind->token, sizeof(plan.header.token));
	plan.object.device = self.st_dev;
	plan.object.inode = self.st_ino;
	plan.object.mtime_ns =
		(uint64_t)self.st_mtim.tv_sec * 1000000000 + (uint64_t)self.st_mtim.tv_nsec;
	plan.patch.block = plan.patch.address =
		(uint64_t)(entry - (const uint8_t *)__executable_start);
	memcpy(plan.patch.before, entry, sizeof(code));
	memcpy(plan.patch.moved, code, sizeof(code));
	return plan;
}

static void write_plan(const struct kind *kind, const char *path)
{
	struct written_plan plan = make_plan(kind);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t length = kind->what == SHORT ? offsetof(struct written_plan, patch) : sizeof(plan);

	must(fd >= 0 && write(fd, &plan, length) == (ssize_t)length &&
		     fchown(fd, kind->owner, kind->owner) == 0 && fchmod(fd, kind->plan) == 0,
	     path);
	close(fd);
}

static void make_file(const struct kind *kind, const char *path)
{
	char other[600];

	snprintf(other, sizeof(other), "%s.other", path);
	if (kind->what == FIFO) {
		must(mkfifo(path, 0644) == 0, path);
		return;
	}
	write_plan(kind, kind->what == LINK_TO_PLAN || kind->what == SECOND_LINK ? other : path);
	if (kind->what == LINK_TO_PLAN)
		must(symlink(other, path) == 0, path);
	if (kind->what == SECOND_LINK)
		must(link(other, path) == 0, path);
}

/* Listens there and holds the lock, as a recorder does. */
static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.90s/" SPOOL_SOCKET, path);
	must(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0,
	     path);
	return fd;
}

static int run_victim(const char *self, const char *library, const char *spool)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		setenv("LD_PRELOAD", library, 1);
		setenv(SPOOL_ENVIRONMENT, spool, 1);
		alarm(60);
		execl(self, self, "victim", NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void try_kind(const struct kind *kind, const char *library, const char *self,
		     const char *below)
{
	char directory[300], real[300], path[400];
	int status, listener, lock;

	snprintf(directory, sizeof(directory), "%.200s/" TOKEN, below);
	snprintf(real, sizeof(real), "%.200s/%s", below,
		 kind->what == LINK_TO_DIRECTORY ? "real" : TOKEN);
	must(mkdir(real, 0700) == 0, real);
	if (kind->what == LINK_TO_DIRECTORY)
		must(symlink(real, directory) == 0, directory);
	snprintf(path, sizeof(path), "%s/" SPOOL_PLAN, real);
	make_file(kind, path);
	listener = listen_at(real);
	must(chown(real, kind->owner, kind->owner) == 0 && chmod(real, kind->directory) == 0, real);
	lock = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	flock(lock, LOCK_EX);
	status = run_victim(self, library, directory);
	if (status != (kind->taken ? CHANGED : 2))
		printf("a plan %s: status %d\n", kind->name, status);
	close(lock);
	close(listener);
}

int main(int count, char **words)
{
	char below[300], self[4096] = "";

	if (count == 2 && strcmp(words[1], "victim") == 0)
		return probed(1);
	if (count < 3)
		return 2;
	must(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0, "/proc/self/exe");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(below, sizeof(below), "%.200s/%zu", words[2], i);
		must(mkdir(below, 0755) == 0, below);
		try_kind(&kinds[i], words[1], self, below);
	}
	return 0;
}
