/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/elf_file.h"

#include "base/io/files.h"

#include <elfutils/libdwelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int own_machine =
#if defined(__x86_64__)
	EM_X86_64;
#elif defined(__aarch64__)
	EM_AARCH64;
#elif defined(__riscv)
	EM_RISCV;
#else
	EM_NONE;
#endif

static bool is_own(Elf *elf)
{
	GElf_Ehdr header;

	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	       header.e_machine == own_machine && gelf_getclass(elf) == ELFCLASS64;
}

/*
 * A program has some dozens of sections and segments. A file without content that says that it has a
 * billion would take libelf as much memory, and the time to fill it. Segments are read for each mapping of
 * a process, of which there may be many.
 */
static bool has_small_tables(int fd)
{
	enum { SECTIONS_MAX = 1 << 17, SEGMENTS_MAX = 1 << 10 };
	Elf64_Ehdr header;
	Elf64_Shdr first;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    header.e_phnum > SEGMENTS_MAX)
		return false;
	return !header.e_shoff || header.e_shnum ||
	       (pread(fd, &first, sizeof(first), (off_t)header.e_shoff) == (ssize_t)sizeof(first) &&
		first.sh_size <= SECTIONS_MAX);
}

bool elf_file_open(struct elf_file *file, const char *path)
{
	struct stat status;

	elf_version(EV_CURRENT);
	file->fd = regular_file_open(&status, path);
	/* Not mapped: whose file it is may cut it short meanwhile. */
	file->elf = file->fd >= 0 && has_small_tables(file->fd)
			    ? elf_begin(file->fd, ELF_C_READ, NULL)
			    : NULL;
	if (file->elf && is_own(file->elf))
		return true;
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct elf_file){.fd = -1};
	return false;
}

void elf_file_close(struct elf_file *file)
{
	if (!file->elf)
		return;
	elf_end(file->elf);
	close(file->fd);
	*file = (struct elf_file){.fd = -1};
}

Elf_Scn *elf_file_section(const struct elf_file *file, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(file->elf, &names))
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		const char *own = gelf_getshdr(section, &header)
					  ? elf_strptr(file->elf, names, header.sh_name)
					  : NULL;

		if (own && strcmp(own, name) == 0)
			return section;
	}
	return NULL;
}

size_t elf_file_build_id(uint8_t id[ELF_BUILD_ID_MAX], const struct elf_file *file)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(file->elf, &bytes);

	if (size <= 0 || size > ELF_BUILD_ID_MAX)
		return 0;
	memcpy(id, bytes, (size_t)size);
	return (size_t)size;
}

size_t elf_file_segments(const struct elf_file *file)
{
	enum { SEGMENTS_MAX = 64 };
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return 0;
	return count < SEGMENTS_MAX ? count : SEGMENTS_MAX;
}

/* The segment of code that has `at` in it: in memory, or in the file. */
static bool find_code(GElf_Phdr *segment, const struct elf_file *file, uint64_t at, bool by_address)
{
	size_t count = elf_file_segments(file);

	for (size_t i = 0; i < count; i++) {
		uint64_t begin;

		if (!gelf_getphdr(file->elf, (int)i, segment) || segment->p_type != PT_LOAD ||
		    !(segment->p_flags & PF_X))
			continue;
		begin = by_address ? segment->p_vaddr : segment->p_offset;
		if (at >= begin && at - begin < segment->p_filesz)
			return true;
	}
	return false;
}

bool elf_file_offset(uint64_t *offset, const struct elf_file *file, uint64_t address)
{
	GElf_Phdr segment;

	if (!find_code(&segment, file, address, true))
		return false;
	*offset = address - segment.p_vaddr + segment.p_offset;
	return true;
}

bool elf_file_address(uint64_t *address, const struct elf_file *file, uint64_t offset)
{
	GElf_Phdr segment;

	if (!find_code(&segment, file, offset, false))
		return false;
	*address = offset - segment.p_offset + segment.p_vaddr;
	return true;
}

/* --- Mappings ------------------------------------------------------------------------------ */

/* Segments are mapped in whole pages. */
static uint64_t page_of(uint64_t at)
{
	return at & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

static uint32_t protection_of(const GElf_Phdr *segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0U) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0U) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0U);
}

/* The address at which the part of the file from `offset` on is mapped with that protection. */
static bool find_mapping(uint64_t *address, const struct elf_file *file, uint64_t offset,
			 uint32_t prot)
{
	size_t count = elf_file_segments(file);
	GElf_Phdr segment;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    protection_of(&segment) != prot || offset < page_of(segment.p_offset) ||
		    offset >= segment.p_offset + segment.p_filesz)
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr;
		return true;
	}
	return false;
}

bool elf_file_code_behind(uint64_t *found, const struct elf_file *file, uint64_t offset,
			  uint32_t prot, uint64_t distance)
{
	size_t count = elf_file_segments(file);
	GElf_Phdr segment;
	uint64_t address;

	if (!find_mapping(&address, file, offset, prot))
		return false;
	address += distance;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || address < page_of(segment.p_vaddr) ||
		    address >= segment.p_vaddr + segment.p_filesz)
			continue;
		*found = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}
