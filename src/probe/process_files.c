/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/process_files.h"

#include "probe/probe_thread.h"
#include "probe/raw_call.h"
#include "probe/spool_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Whoever else writes into the spool cannot have us write into what is his. */
static bool is_ours(long fd)
{
	struct stat file;

	return !raw_call_failed(raw_call(SYS_fstat, fd, (long)&file, 0, 0, 0, 0)) &&
	       file.st_uid == raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* SPOOL/KIND-PID-IMAGE */
static void put_path(struct spool_text *path, const char *kind)
{
	path->length = 0;
	spool_text_put(path, probe_settings.spool);
	spool_text_put(path, "/");
	spool_text_put(path, kind);
	spool_text_put_number(path, probe_process->id);
	spool_text_put(path, "-");
	spool_text_put_number(path, probe_settings.first.image);
}

static long open_path(const struct spool_text *path)
{
	return raw_call(SYS_openat, AT_FDCWD, (long)path->bytes,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
}

/* Another one where the first is of who this process was before it has given up its rights. */
static int open_file(const char *kind)
{
	struct spool_text path;
	long fd;

	put_path(&path, kind);
	fd = open_path(&path);
	if (fd == -EACCES) {
		spool_text_put(&path, SPOOL_LATER);
		fd = open_path(&path);
	}
	if (fd >= 0 && is_ours(fd))
		return (int)fd;
	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return -1;
}

static void write_all(int fd, const char *bytes, uint64_t length)
{
	while (length) {
		long written = raw_call(SYS_write, fd, (long)bytes, (long)length, 0, 0, 0);

		if (written <= 0)
			return;
		bytes += written;
		length -= (uint64_t)written;
	}
}

/* A line as a whole, as other threads may write one. */
static void write_line(const char *kind, const struct spool_text *line)
{
	int fd = open_file(kind);

	if (fd < 0)
		return;
	write_all(fd, line->bytes, line->length);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

void probe_process_maps(void)
{
	static const char maps[] = "/proc/self/maps";
	char bytes[1024]; /* on a stack of the program */
	long from = raw_call(SYS_openat, AT_FDCWD, (long)maps, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	int to = from < 0 ? -1 : open_file("maps-");
	long length;

	while (to >= 0 &&
	       (length = raw_call(SYS_read, from, (long)bytes, sizeof(bytes), 0, 0, 0)) > 0)
		write_all(to, bytes, (uint64_t)length);
	if (to >= 0)
		raw_call(SYS_close, to, 0, 0, 0, 0, 0);
	if (from >= 0)
		raw_call(SYS_close, from, 0, 0, 0, 0, 0);
}

void probe_process_program(void)
{
	int fd = open_file("program-");

	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

void probe_process_name(uint64_t block, const char *name)
{
	struct spool_text line = {.length = 0};

	spool_text_put_number(&line, block);
	spool_text_put(&line, " ");
	spool_text_put(&line, name);
	spool_text_put(&line, "\n");
	write_line("names-", &line);
}

void probe_process_site(uint64_t block, const char *function, const char *file, uint32_t line)
{
	struct spool_text text = {.length = 0};
	size_t length = 0;

	while (file[length])
		length++;
	spool_text_put_number(&text, block);
	spool_text_put(&text, " ");
	spool_text_put_most(&text, function, SPOOL_PATH_MAX / 2 - 50);
	spool_text_put(&text, " ");
	spool_text_put(&text,
		       file + (length > SPOOL_PATH_MAX / 2 ? length - SPOOL_PATH_MAX / 2 : 0));
	spool_text_put(&text, ":");
	spool_text_put_number(&text, line);
	spool_text_put(&text, "\n");
	write_line("names-", &text);
}

void probe_process_trouble(const char *sentence, const char *what)
{
	struct spool_text line = {.length = 0};

	if (what) {
		spool_text_put(&line, what);
		spool_text_put(&line, ": ");
	}
	spool_text_put(&line, sentence);
	spool_text_put(&line, "\n");
	write_line("trouble-", &line);
}

void probe_process_elsewhere(void)
{
	probe_settings.on = false;
	probe_process_trouble(
		"nothing is recorded of a process with ids of its own (in another PID "
		"namespace, as containers are)",
		NULL);
}

/* Afterwards nothing could be written, so it is written before. */
void probe_process_confined(bool is_confined)
{
	static const char kind[] = "trouble-confined-";
	struct spool_text path, line = {.length = 0};

	if (is_confined) {
		spool_text_put(&line, "a process has confined itself to some system calls "
				      "(seccomp): from then on nothing is recorded of it and of "
				      "what it starts\n");
		write_line(kind, &line);
		return;
	}
	put_path(&path, kind);
	raw_call(SYS_unlinkat, AT_FDCWD, (long)path.bytes, 0, 0, 0, 0);
}
