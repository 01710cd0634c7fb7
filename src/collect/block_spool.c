/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_spool.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/regular_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads that end without a word are looked for so often. */
static const uint64_t check_ns = 100000000;

/* --- The directory ------------------------------------------------------------------------- */

int block_spool_open(struct block_spool *spool, const char *prefix,
		     void (*ended)(void *context, struct block_thread *thread), void *context,
		     struct err *err)
{
	*spool = (struct block_spool){.notify = -1, .ended = ended, .context = context};
	if (spool_directory_make(&spool->directory, prefix, err))
		return -1;
	spool->path = spool->directory.path;
	clock_pairs_take(&spool->clocks);
	return 0;
}

int block_spool_watch(struct block_spool *spool, struct err *err)
{
	spool->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (spool->notify < 0 || inotify_add_watch(spool->notify, spool->path, IN_CREATE) < 0)
		return err_set(err, "%s: cannot be watched for files: %m", spool->path);
	return 0;
}

static void wait_for_file(struct block_spool *spool, const char *name)
{
	if (!isdigit((unsigned char)*name))
		return;
	array_reserve(&spool->waiting, &spool->waiting_capacity, spool->waiting_count + 1);
	spool->waiting[spool->waiting_count++] = xasprintf("%s/%s", spool->path, name);
}

static bool is_known(const struct block_spool *spool, const char *name)
{
	for (size_t i = 0; i < spool->thread_count; i++)
		if (strcmp(strrchr(spool->threads[i]->path, '/') + 1, name) == 0)
			return true;
	for (size_t i = 0; i < spool->waiting_count; i++)
		if (strcmp(strrchr(spool->waiting[i], '/') + 1, name) == 0)
			return true;
	return false;
}

/* After so many births at once that the kernel has not told of all. */
static void find_all_files(struct block_spool *spool)
{
	DIR *directory = opendir(spool->path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (!is_known(spool, entry->d_name))
			wait_for_file(spool, entry->d_name);
	if (directory)
		closedir(directory);
}

static void find_files(struct block_spool *spool)
{
	union {
		struct inotify_event event;
		char bytes[4096];
	} buffer;
	ssize_t length;

	if (spool->notify < 0)
		find_all_files(spool);
	while ((length = read(spool->notify, &buffer, sizeof(buffer))) > 0)
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(buffer.bytes + at);

			if (event->mask & IN_Q_OVERFLOW)
				find_all_files(spool);
			else if (event->len && !is_known(spool, event->name))
				wait_for_file(spool, event->name);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}

/* --- Threads ------------------------------------------------------------------------------- */

/* A program that a process has exec'ed before, and a thread whose id is used again, are over. */
static void end_before(struct block_spool *spool, const struct spool_reader *reader)
{
	for (size_t i = 0; i < spool->thread_count; i++) {
		const struct spool_reader *other = &spool->threads[i]->reader;

		if (other->pid == reader->pid &&
		    (other->tid == reader->tid || other->image != reader->image))
			spool->threads[i]->over = true;
	}
}

static void note_trouble(struct block_spool *spool, const struct err *err)
{
	spool->unread++;
	if (!spool->trouble)
		spool->trouble = xstrdup(err->text);
}

static void add_thread(struct block_spool *spool, const struct spool_reader *reader, char *path)
{
	struct block_thread *thread = xcalloc(1, sizeof(*thread));

	end_before(spool, reader);
	thread->reader = *reader;
	thread->path = path;
	array_reserve(&spool->threads, &spool->thread_capacity, spool->thread_count + 1);
	spool->threads[spool->thread_count++] = thread;
}

static void open_files(struct block_spool *spool)
{
	size_t kept = 0;

	for (size_t i = 0; i < spool->waiting_count; i++) {
		struct spool_reader reader;
		struct err err;
		int rc = spool_reader_open(&reader, spool->waiting[i], &err);

		if (rc > 0) {
			add_thread(spool, &reader, spool->waiting[i]);
		} else if (rc == 0) {
			spool->waiting[kept++] = spool->waiting[i];
		} else {
			note_trouble(spool, &err);
			free(spool->waiting[i]);
		}
	}
	spool->waiting_count = kept;
}

static uint64_t lost_by(const struct block_thread *thread)
{
	return thread->reader.missing + thread->reader.torn;
}

static void forget_thread(struct block_spool *spool, struct block_thread *thread)
{
	spool->lost += lost_by(thread);
	spool->missing += thread->reader.missing;
	spool->ended(spool->context, thread);
	spool_reader_let_go(&thread->reader);
	unlink(thread->path);
	free(thread->path);
	free(thread);
}

static bool is_alive(const struct spool_reader *reader)
{
	return syscall(SYS_tgkill, reader->pid, reader->tid, 0) == 0 || errno != ESRCH;
}

/*
 * Those that have said that they end may have written something since it was looked at, so they are
 * over only now. Others die without a word.
 */
static void look_for_ends(struct block_spool *spool)
{
	uint64_t now_ns = monotonic_ns();
	bool check = now_ns >= spool->checked_ns + check_ns;
	size_t kept = 0;

	if (check)
		spool->checked_ns = now_ns;
	for (size_t i = 0; i < spool->thread_count; i++) {
		struct block_thread *thread = spool->threads[i];

		if (thread->drained) {
			forget_thread(spool, thread);
			continue;
		}
		thread->over |= thread->reader.ended || (check && !is_alive(&thread->reader));
		spool->threads[kept++] = thread;
	}
	spool->thread_count = kept;
}

/* --- Events -------------------------------------------------------------------------------- */

static void take_stack(struct block_thread *thread)
{
	size_t depth =
		thread->event.count < SPOOL_STACK_MAX ? thread->event.count : SPOOL_STACK_MAX;

	memcpy(thread->stack + 2, thread->event.values, depth * sizeof(*thread->stack));
	thread->stack_depth = depth;
}

/* The next event that is one. A stack belongs to the one behind it. */
static bool fill(struct block_spool *spool, struct block_thread *thread)
{
	if (thread->has_event)
		return true;
	while (spool_reader_next(&thread->reader, &thread->event, thread->over)) {
		if (thread->event.kind == SPOOL_STACK) {
			take_stack(thread);
			continue;
		}
		thread->time_ns = thread->reader.clock == SPOOL_TSC
					  ? clock_pairs_ns(&spool->clocks, thread->event.time)
					  : thread->event.time;
		thread->has_event = true;
		return true;
	}
	thread->drained = thread->over;
	return false;
}

/* The one at `at` may be later than those below it. */
static void sift_down(struct block_spool *spool, size_t at)
{
	struct block_thread **heap = spool->heap, *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= spool->heap_count)
			break;
		if (child + 1 < spool->heap_count &&
		    heap[child + 1]->time_ns < heap[child]->time_ns)
			child++;
		if (heap[child]->time_ns >= moved->time_ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool has_turn(struct block_spool *spool, struct block_thread *thread)
{
	return fill(spool, thread) && thread->time_ns <= spool->until_ns;
}

void block_spool_begin_pass(struct block_spool *spool, bool last)
{
	if (last)
		spool->checked_ns = 0;
	find_files(spool);
	open_files(spool);
	look_for_ends(spool);
	spool->until_ns = monotonic_ns(); /* before the pair, so that all times are behind one */
	clock_pairs_take(&spool->clocks);
	array_reserve(&spool->heap, &spool->heap_capacity, spool->thread_count);
	spool->heap_count = 0;
	for (size_t i = 0; i < spool->thread_count; i++)
		if (has_turn(spool, spool->threads[i]))
			spool->heap[spool->heap_count++] = spool->threads[i];
	for (size_t i = spool->heap_count / 2; i-- > 0;)
		sift_down(spool, i);
}

struct block_thread *block_spool_first(struct block_spool *spool)
{
	return spool->heap_count ? spool->heap[0] : NULL;
}

void block_spool_drop_first(struct block_spool *spool)
{
	struct block_thread *thread = spool->heap[0];

	thread->has_event = false;
	thread->stack_depth = 0;
	if (!has_turn(spool, thread))
		spool->heap[0] = spool->heap[--spool->heap_count];
	if (spool->heap_count)
		sift_down(spool, 0);
}

/* --- The end ------------------------------------------------------------------------------- */

void block_spool_close(struct block_spool *spool)
{
	for (size_t i = 0; i < spool->thread_count; i++)
		forget_thread(spool, spool->threads[i]);
	for (size_t i = 0; i < spool->waiting_count; i++)
		free(spool->waiting[i]);
	if (spool->notify >= 0)
		close(spool->notify);
	spool_directory_remove(&spool->directory);
	free(spool->trouble);
	free(spool->threads);
	free(spool->heap);
	free(spool->waiting);
	clock_pairs_release(&spool->clocks);
	*spool = (struct block_spool){.notify = -1};
}

uint64_t block_spool_lost(const struct block_spool *spool)
{
	uint64_t lost = spool->lost;

	for (size_t i = 0; i < spool->thread_count; i++)
		lost += lost_by(spool->threads[i]);
	return lost;
}

uint64_t block_spool_missing(const struct block_spool *spool)
{
	uint64_t missing = spool->missing;

	for (size_t i = 0; i < spool->thread_count; i++)
		missing += spool->threads[i]->reader.missing;
	return missing;
}

/* The first line of a file, as far as it is a sentence; NULL: there is none. */
static char *read_sentence(const char *path)
{
	char text[512];
	struct stat status;
	int fd = regular_file_open(&status, path);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return NULL;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (char *at = text; *at; at++)
		if (iscntrl((unsigned char)*at))
			*at = '?';
	return xstrdup(text);
}

/* The first line of the first file of trouble; the same goes wrong in all processes. */
char *block_spool_trouble(const struct block_spool *spool)
{
	DIR *directory = spool->path ? opendir(spool->path) : NULL;
	const struct dirent *entry;
	char *line = spool->trouble ? xstrdup(spool->trouble) : NULL;

	while (directory && !line && (entry = readdir(directory))) {
		char *path;

		if (strncmp(entry->d_name, "trouble-", strlen("trouble-")) != 0)
			continue;
		path = xasprintf("%s/%s", spool->path, entry->d_name);
		line = read_sentence(path);
		free(path);
	}
	if (directory)
		closedir(directory);
	return line;
}
