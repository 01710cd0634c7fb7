/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program or a library, or what has been taken out of one, opened to be read. */
#ifndef PSCAL_CODE_ELF_FILE_H
#define PSCAL_CODE_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	int fd;
	Elf *elf; /* NULL: it is not open */
};

/* False: it is no file, or no ELF file of this machine, and is not open. */
bool elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

/* NULL: it has no section of that name. */
Elf_Scn *elf_file_section(const struct elf_file *file, const char *name);

enum { ELF_BUILD_ID_MAX = 20 };

/* What the linker calls it (NT_GNU_BUILD_ID). Returns its bytes, 0: it has none. */
size_t elf_file_build_id(uint8_t id[ELF_BUILD_ID_MAX], const struct elf_file *file);

/*
 * How many segments of it are looked at (gelf_getphdr). Programs have about a dozen; a damaged file
 * is not to be looked through for each symbol.
 */
size_t elf_file_segments(const struct elf_file *file);

/* Where code that is loaded at `address` stands in the file; false: it has none there. */
bool elf_file_offset(uint64_t *offset, const struct elf_file *file, uint64_t address);

/* The other way round. */
bool elf_file_address(uint64_t *address, const struct elf_file *file, uint64_t offset);

/*
 * Where in the file the code stands that is mapped `distance` bytes behind what stands there at
 * `offset`, the beginning of a mapping with the protection `prot` (mmap(2)). False: none does.
 */
bool elf_file_code_behind(uint64_t *found, const struct elf_file *file, uint64_t offset,
			  uint32_t prot, uint64_t distance);

#endif
