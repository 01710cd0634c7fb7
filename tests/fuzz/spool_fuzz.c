/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what a watched process has written into its spool, which its recorder reads: of a
 * file of events the struct header below, and what its windows begin with; and behind a NUL each,
 * its maps, the names of its blocks, and its troubles. Reading ends, and gives no more than there
 * is.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "collect/block_names.h"
#include "collect/probe_plan.h"
#include "collect/spool_reader.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOWS = 3, WINDOW_RECORDS = SPOOL_WINDOW / sizeof(struct spool_record) };

#define SPOOL "/dev/shm/pscal-fuzz"

/* The parts of an input; each is cut short with it. */
struct header {
	uint8_t clock, ended;
	uint8_t windows[WINDOWS];
	uint8_t first; /* where in each window that begins, of 256 places */
	uint64_t turned, full, image;
	int32_t pid;
};

struct spoiled {
	const uint8_t *at;
	size_t left;
};

static void take(struct spoiled *input, void *to, size_t size)
{
	size_t taken = size < input->left ? size : input->left;

	memcpy(to, input->at, taken);
	input->at += taken;
	input->left -= taken;
}

/* Up to a NUL, or the end. */
static void write_text(struct spoiled *input, const char *spool, const char *kind,
		       const struct header *header)
{
	const uint8_t *end = memchr(input->at, '\0', input->left);
	size_t length = end ? (size_t)(end - input->at) : input->left;
	char *path = xasprintf("%s/%s-%d-%" PRIu64, spool, kind, header->pid, header->image);
	FILE *file = fopen(path, "we");

	if (!file || fwrite(input->at, 1, length, file) != length || fclose(file))
		abort();
	input->at += length + !!end;
	input->left -= length + !!end;
	free(path);
}

static void remove_text(const char *spool, const char *kind, const struct header *header)
{
	char *path = xasprintf("%s/%s-%d-%" PRIu64, spool, kind, header->pid, header->image);

	unlink(path);
	free(path);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void write_events(struct spoiled *input, const char *path, const struct header *header)
{
	size_t bytes = SPOOL_HEADER_BYTES + WINDOWS * SPOOL_WINDOW;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct spool_header *made;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		abort();
	made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert(made != MAP_FAILED);
	made->version = SPOOL_VERSION;
	made->clock = header->clock;
	made->pid = header->pid;
	made->image = header->image;
	made->full = header->full;
	made->ended = header->ended;
	made->turned = header->turned;
	for (size_t i = 0; i < WINDOWS; i++)
		made->windows[i] = header->windows[i];
	for (size_t i = 0; i < WINDOWS; i++) {
		struct spool_record *window =
			(void *)((char *)made + SPOOL_HEADER_BYTES + i * SPOOL_WINDOW);

		size_t first = header->first * (WINDOW_RECORDS / 256);

		take(input, window + first,
		     least(input->left / (WINDOWS - i),
			   (WINDOW_RECORDS - first) * sizeof(*window)));
	}
	made->magic = SPOOL_MAGIC;
	munmap(made, bytes);
	close(fd);
}

static void read_all(const char *path, struct block_names *names)
{
	struct block_process *process;
	struct spool_reader reader;
	struct spool_event event;
	struct err err;
	size_t events = 0;

	if (spool_reader_open(&reader, path, &err) < 1)
		abort();
	process = block_names_process(names, reader.pid, reader.image);
	for (int last = 0; last <= 1; last++)
		while (spool_reader_next(&reader, &event, last)) {
			uint32_t number = block_names_number(names, process, event.block);

			assert(++events <= (size_t)WINDOWS * WINDOW_RECORDS);
			assert(event.kind < SPOOL_KINDS && event.count <= SPOOL_VALUES_MAX);
			assert(number < names->count && *names->items[number]);
		}
	assert(reader.torn <= (uint64_t)WINDOWS * WINDOW_RECORDS);
	block_names_give_back(names, process);
	spool_reader_let_go(&reader);
}

/* Nothing but two files is there at any time. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct spoiled input = {bytes, length};
	const struct probe_plan plan = {.texts = NULL};
	char spool[64], *path;
	struct block_names names = {.plan = &plan, .proc = "/nowhere"};
	struct header header = {0};

	snprintf(spool, sizeof(spool), SPOOL "-%d", (int)getpid());
	mkdir(spool, 0700); /* it may be there */
	names.spool = spool;
	take(&input, &header, sizeof(header));
	write_text(&input, spool, "maps", &header);
	write_text(&input, spool, "names", &header);
	path = xasprintf("%s/1", spool);
	write_events(&input, path, &header);
	read_all(path, &names);
	block_names_release(&names);
	remove_text(spool, "maps", &header);
	remove_text(spool, "names", &header);
	unlink(path);
	rmdir(spool);
	free(path);
	return 0;
}
