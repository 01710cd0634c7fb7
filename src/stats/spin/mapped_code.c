/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/mapped_code.h"

#include "base/alloc.h"
#include "base/io/regular_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code_file {
	char *path;
	uint64_t inode;
	int fd; /* -1: it cannot be used */
	enum instruction_set set;
};

/* Those beyond count as unknown; a process has some dozens. */
enum { FILES_MAX = 512 };

void mapped_code_release(struct mapped_code *files)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->files[i].fd >= 0)
			close(files->files[i].fd);
		free(files->files[i].path);
	}
	for (size_t i = 0; i < INSTRUCTION_SETS; i++)
		instruction_reader_free(files->readers[i]);
	free(files->files);
	*files = (struct mapped_code){0};
}

/* Whose code it is, by the beginning of the file. -1: nobody's that we can read. */
static int find_set(int fd, enum instruction_set *set)
{
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -1;
	*set = header.e_machine == EM_AARCH64 ? INSTRUCTIONS_AARCH64 : INSTRUCTIONS_X86_64;
	return header.e_machine == EM_AARCH64 || header.e_machine == EM_X86_64 ? 0 : -1;
}

static int open_file(const struct mapped *mapped, enum instruction_set *set)
{
	struct stat status;
	int fd = regular_file_open(&status, mapped->path);

	if (fd < 0)
		return -1;
	if ((mapped->inode && mapped->inode != status.st_ino) || find_set(fd, set)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* NULL: there are too many. */
static const struct code_file *find_file(struct mapped_code *files, const struct mapped *mapped)
{
	struct code_file *file;

	for (size_t i = 0; i < files->count; i++)
		if (files->files[i].inode == mapped->inode &&
		    !strcmp(files->files[i].path, mapped->path))
			return &files->files[i];
	if (files->count == FILES_MAX)
		return NULL;
	array_reserve(&files->files, &files->capacity, files->count + 1);
	file = &files->files[files->count++];
	file->path = xstrdup(mapped->path);
	file->inode = mapped->inode;
	file->fd = open_file(mapped, &file->set);
	return file;
}

int mapped_code_read(struct code_window *window, struct mapped_code *files,
		     const struct mapped *mapped, uint64_t address)
{
	const struct code_file *file = mapped && mapped->path ? find_file(files, mapped) : NULL;
	uint64_t before, after;
	ssize_t got;

	if (!file || file->fd < 0)
		return -1;
	before = address - mapped->begin < CODE_REACH ? address - mapped->begin : CODE_REACH;
	after = sizeof(window->bytes) - CODE_REACH;
	if (after > mapped->end - address)
		after = mapped->end - address;
	got = pread(file->fd, window->bytes, before + after,
		    (off_t)(mapped->offset + (address - before - mapped->begin)));
	if (got <= 0)
		return -1;
	if (!files->readers[file->set])
		files->readers[file->set] = instruction_reader_new(file->set);
	window->reader = files->readers[file->set];
	window->code = (struct code){window->bytes, (size_t)got, address - before};
	return window->reader ? 0 : -1;
}
