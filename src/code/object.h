/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program or a library, or its separate debug file, opened for reading: all questions are
 * answered from the open file. The file may be damaged or malicious: each question ends.
 */
#ifndef PSCAL_CODE_OBJECT_H
#define PSCAL_CODE_OBJECT_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object that is not open has no contents. */
struct object {
	int fd;
	Elf *elf; /* NULL: it is not open */
	char *path;
};

/* False: it is no file, or no ELF file of this machine, and is not open. */
bool object_open(struct object *object, const char *path);
void object_close(struct object *object);

/*
 * Opens the separate file with the symbols and lines of an object. Distributions take them out of
 * programs and libraries: Debian has them in packages that end in -dbgsym or -dbg. The object is
 * below the directory `root`, NULL for that of this machine. The file is looked for as gdb does
 * ("Debugging Information in Separate Files" in its manual):
 *
 *  - by the build id below usr/lib/debug/.build-id;
 *  - by the name in .gnu_debuglink, beside the object, in .debug there, and where that directory is
 *    below usr/lib/debug.
 *
 * It has the build id of the object, or where one of the two has none the checksum of
 * .gnu_debuglink. False: there is none, and `debug` is not open.
 */
bool object_open_debug(struct object *debug, const struct object *object, const char *root);

/* NULL: it has no section of that name. */
Elf_Scn *object_section(const struct object *object, const char *name);

enum { ELF_BUILD_ID_MAX = 20 };

/* The build id that the linker gave it (NT_GNU_BUILD_ID). Returns its length; 0: it has none. */
size_t object_build_id(uint8_t id[ELF_BUILD_ID_MAX], const struct object *object);

/* --- Functions ----------------------------------------------------------------------------- */

struct elf_function {
	const char *name;
	const char *old_version; /* programs get it only if they ask for that version; NULL: any */
	uint64_t offset, size;	 /* in bytes, in the file; size 0: not known */
	uint64_t address;	 /* where it is loaded, but for what is added to all addresses */
};

/*
 * Calls `found` for each function of the object that `symbols` defines, which is the object itself
 * or its separate file, from the dynamic symbols and the others; one with several names or versions
 * more than once. `type` is STT_FUNC, or STT_GNU_IFUNC for those of which one of several is chosen
 * as soon as a program begins, or STT_OBJECT for its variables, whose offset is their address.
 */
void object_each_function(const struct object *object, const struct object *symbols, int type,
			  void (*found)(void *context, const struct elf_function *function),
			  void *context);

/* Does it still have the symbols that only people need, those that `strip` takes away? */
bool object_has_symbols(const struct object *object);

/*
 * May exceptions pass through its functions, as far as can be told: does it need a library that
 * finds their way, or contain one, or, without symbols, places for them to land?
 */
bool object_may_throw(const struct object *object);

/* --- Segments ------------------------------------------------------------------------------ */

/* The loader that a program asks for (PT_INTERP), to be freed; NULL: it asks for none. */
char *object_loader(const struct object *object);

/* A part of the file that is loaded (PT_LOAD). */
struct elf_segment {
	uint64_t offset, size;		/* in the file */
	uint64_t address, address_size; /* but for what is added to all addresses */
	bool is_code;
};

void object_each_segment(const struct object *object,
			 void (*found)(void *context, const struct elf_segment *segment),
			 void *context);

/* The address at which the code at `offset` of the file is loaded; false: there is none. */
bool object_address(uint64_t *address, const struct object *object, uint64_t offset);

/*
 * Where in the file the code stands that is mapped `distance` bytes behind what stands there at
 * `offset`, the beginning of a mapping with the protection `prot` (mmap(2)). False: none does.
 */
bool object_code_behind(uint64_t *found, const struct object *object, uint64_t offset,
			uint32_t prot, uint64_t distance);

#endif
