/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slowfs DIRECTORY SERVERS MS [SECONDS (60)]: a file system of a slow disk. It is mounted at
 * DIRECTORY with one file of zeros, "data", of which SERVERS pages are read at a time, in order of
 * arrival, each in a time of exponential length with a mean of MS. It prints "ready", and ends at
 * SIGTERM, SIGINT or after SECONDS. Needs root and /dev/fuse.
 *
 * With posix_fadvise(POSIX_FADV_RANDOM) a read of a page is one request, and its thread waits in state
 * D, as for a disk. The file is so large that hardly any page is read twice.
 */
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SERVERS_MAX = 256, PAGE = 4096, PAGES_MAX = 32, ROOT = 1, DATA = 2, REQUEST_MAX = 1 << 17 };

static const uint64_t data_bytes = UINT64_C(1) << 40;

static int device;
static double mean_ns;

/* --- Answers --------------------------------------------------------------------------------- */

static void answer(const struct fuse_in_header *in, int error, const void *body, size_t size)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + size), .error = -error, .unique = in->unique};
	struct iovec parts[] = {{&out, sizeof(out)}, {(void *)(uintptr_t)body, size}};

	if (writev(device, parts, 2) < 0 && errno != ENOENT) /* the asking process may have ended */
		perror("slowfs: an answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){.ino = node,
				  .size = node == DATA ? data_bytes : 0,
				  .mode = node == DATA ? S_IFREG | 0444 : S_IFDIR | 0555,
				  .nlink = 1,
				  .blksize = PAGE};
}

static void answer_init(const struct fuse_in_header *in, const struct fuse_init_in *init)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION < init->minor ? FUSE_KERNEL_MINOR_VERSION
								 : init->minor,
		.max_readahead = PAGE,
		.flags = FUSE_ASYNC_READ,
		.max_background = 4 * SERVERS_MAX,
		.congestion_threshold = 4 * SERVERS_MAX,
		.max_write = PAGE,
		.time_gran = 1,
	};

	answer(in, 0, &out, sizeof(out));
}

static void answer_lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out = {.nodeid = DATA, .entry_valid = 60, .attr_valid = 60};

	out.attr = attributes(DATA);
	if (strcmp(name, "data") == 0)
		answer(in, 0, &out, sizeof(out));
	else
		answer(in, ENOENT, NULL, 0);
}

static void answer_read(const struct fuse_in_header *in, const struct fuse_read_in *read_in,
			uint64_t *random)
{
	static const char zeros[PAGES_MAX * PAGE];
	size_t size = read_in->size < sizeof(zeros) ? read_in->size : sizeof(zeros);
	double ns;
	struct timespec length;

	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	ns = -mean_ns * log(((double)(*random >> 11) + 1) / 9007199254740993.);
	length = (struct timespec){(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};
	nanosleep(&length, NULL);
	answer(in, 0, zeros, size);
}

static void take_request(const struct fuse_in_header *in, uint64_t *random)
{
	const void *body = in + 1;
	struct fuse_attr_out attr = {.attr_valid = 60, .attr = attributes(in->nodeid)};
	const struct fuse_open_out opened = {.fh = 0};

	switch (in->opcode) {
	case FUSE_INIT:
		answer_init(in, body);
		break;
	case FUSE_LOOKUP:
		answer_lookup(in, body);
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		answer_read(in, body, random);
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_READDIR: /* the end of the directory */
		answer(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
	case FUSE_DESTROY:
		break; /* the kernel expects no answer */
	default:
		answer(in, ENOSYS, NULL, 0);
	}
}

static void *serve_requests(void *number)
{
	uint64_t random = 0x9e3779b97f4a7c15 * (2 * (uint64_t)(uintptr_t)number + 1);
	struct fuse_in_header *in = malloc(REQUEST_MAX);

	if (!in)
		exit(1);
	for (;;) {
		ssize_t size = read(device, in, REQUEST_MAX);

		if (size >= (ssize_t)sizeof(*in))
			take_request(in, &random);
		else if (size < 0 && errno == ENODEV) /* it has been unmounted */
			break;
		else if (size < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
			break;
	}
	free(in);
	return NULL;
}

/* --- From the beginning to the end ----------------------------------------------------------- */

static double number_of(const char *text, double least, double most)
{
	char *end;
	double number = strtod(text, &end);

	if (end > text && !*end && number >= least && number <= most)
		return number;
	fprintf(stderr, "slowfs: %s: is no number from %g to %g\n", text, least, most);
	exit(2);
}

static int mount_at(const char *directory)
{
	char options[80];

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -1;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	return mount("slowfs", directory, "fuse", MS_NOSUID | MS_NODEV | MS_RDONLY, options);
}

int main(int argc, char **argv)
{
	struct timespec rest = {.tv_nsec = 0};
	sigset_t signals;
	pthread_t thread;
	int servers;

	if (argc < 4) {
		fprintf(stderr, "slowfs DIRECTORY SERVERS MS [SECONDS]\n");
		return 2;
	}
	servers = (int)number_of(argv[2], 1, SERVERS_MAX);
	mean_ns = number_of(argv[3], 0, 10000) * 1e6;
	rest.tv_sec = (time_t)(argc > 4 ? number_of(argv[4], 1, 3600) : 60);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (mount_at(argv[1])) {
		perror("slowfs: mount");
		return 1;
	}
	for (int i = 0; i < servers; i++)
		if (pthread_create(&thread, NULL, serve_requests, (void *)(uintptr_t)i)) {
			umount2(argv[1], MNT_DETACH);
			return 1;
		}
	puts("ready");
	fflush(stdout);
	sigtimedwait(&signals, NULL, &rest);
	umount2(argv[1], MNT_DETACH);
	return 0;
}
