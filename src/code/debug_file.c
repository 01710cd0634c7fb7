/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/debug_file.h"

#include "base/alloc.h"
#include "code/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DIRECTORY "/usr/lib/debug"

/* What a file says of the one with the rest of it. */
struct wanted {
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t id_size;
	char *name; /* NULL: it does not say */
	uint32_t checksum;
	struct stat self;
};

/* A name with its NUL, and as the last word of the section the checksum. */
static void read_link(struct wanted *wanted, const struct elf_file *file)
{
	Elf_Scn *section = elf_file_section(file, ".gnu_debuglink");
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t size = data && data->d_buf ? data->d_size : 0;
	const char *name;

	if (size <= sizeof(wanted->checksum))
		return;
	size -= sizeof(wanted->checksum);
	name = data->d_buf;
	/* It is of a file in directories that we know, and leads to no other. */
	if (!*name || !memchr(name, '\0', size) || strchr(name, '/'))
		return;
	wanted->name = xstrdup(name);
	memcpy(&wanted->checksum, name + size, sizeof(wanted->checksum));
}

static bool read_wanted(struct wanted *wanted, const char *path)
{
	struct elf_file file;

	*wanted = (struct wanted){.id_size = 0};
	if (!elf_file_open(&file, path))
		return false;
	wanted->id_size = elf_file_build_id(wanted->id, &file);
	read_link(wanted, &file);
	if (fstat(file.fd, &wanted->self))
		wanted->self = (struct stat){0};
	elf_file_close(&file);
	return true;
}

static uint32_t checksum_of(int fd)
{
	uLong sum = crc32(0, NULL, 0);
	unsigned char bytes[1 << 16];
	off_t at = 0;
	ssize_t got;

	for (; (got = pread(fd, bytes, sizeof(bytes), at)) > 0; at += got)
		sum = crc32(sum, bytes, (uInt)got);
	return (uint32_t)sum;
}

static bool is_wanted(const struct wanted *wanted, const char *path)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	struct elf_file file;
	struct stat status;
	size_t size;
	bool is;

	if (!elf_file_open(&file, path))
		return false;
	size = elf_file_build_id(id, &file);
	if (fstat(file.fd, &status) ||
	    (status.st_dev == wanted->self.st_dev && status.st_ino == wanted->self.st_ino))
		is = false;
	else if (size && wanted->id_size)
		is = size == wanted->id_size && memcmp(id, wanted->id, size) == 0;
	else
		is = wanted->name && checksum_of(file.fd) == wanted->checksum;
	elf_file_close(&file);
	return is;
}

/* `path` if it is the one, which is freed otherwise. */
static char *take_if_wanted(const struct wanted *wanted, char *path)
{
	if (is_wanted(wanted, path))
		return path;
	free(path);
	return NULL;
}

static char *find_by_id(const struct wanted *wanted, const char *root)
{
	char text[2 * ELF_BUILD_ID_MAX + 1] = "";

	if (wanted->id_size < 2)
		return NULL;
	for (size_t i = 0; i < wanted->id_size; i++) {
		text[2 * i] = "0123456789abcdef"[wanted->id[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[wanted->id[i] & 15];
	}
	return take_if_wanted(
		wanted, xasprintf("%s" DIRECTORY "/.build-id/%.2s/%s.debug", root, text, text + 2));
}

static char *find_by_name(const struct wanted *wanted, const char *path, const char *root)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0, inside = strlen(root);
	int directory = (int)length;
	char *found;

	if (!wanted->name || !slash)
		return NULL;
	found = take_if_wanted(wanted, xasprintf("%.*s%s", directory, path, wanted->name));
	if (!found)
		found = take_if_wanted(wanted,
				       xasprintf("%.*s.debug/%s", directory, path, wanted->name));
	if (!found && strncmp(path, root, inside) == 0 && path[inside] == '/')
		found = take_if_wanted(wanted, xasprintf("%s" DIRECTORY "%.*s%s", root,
							 directory - (int)inside, path + inside,
							 wanted->name));
	return found;
}

char *debug_file_find(const char *path, const char *root)
{
	struct wanted wanted;
	char *found;

	if (!read_wanted(&wanted, path))
		return NULL;
	found = find_by_id(&wanted, root ? root : "");
	if (!found)
		found = find_by_name(&wanted, path, root ? root : "");
	free(wanted.name);
	return found;
}
