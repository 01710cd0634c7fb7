/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program or a library, or its separate debug file, opened for reading. All functions read the
 * open file. The file may be damaged or malicious: each call ends.
 */
#ifndef PSCAL_CODE_OBJECT_H
#define PSCAL_CODE_OBJECT_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object file. One that is not open has no contents. */
struct object {
	int fd;
	Elf *elf; /* NULL: not open */
	char *path;
};

/* Opens an object. False: it is no ELF file of this machine, and is not open. */
bool object_open(struct object *object, const char *path);
void object_close(struct object *object);

/*
 * Opens the separate file with the symbols and lines of an object. Distributions take them out of
 * programs and libraries: Debian has them in packages that end in -dbgsym or -dbg. The object is
 * below the directory `root`; NULL: that of this machine. The search is that of gdb ("Debugging
 * Information in Separate Files" in its manual):
 *
 * - by the build id below usr/lib/debug/.build-id;
 *
 * - by the name in .gnu_debuglink, beside the object, in .debug there, and in the same directory
 * below usr/lib/debug.
 *
 * The file must have the build id of the object, or, if one of them has none, the checksum of
 * .gnu_debuglink. False: there is none, and `debug` is not open.
 */
bool object_open_debug(struct object *debug, const struct object *object, const char *root);

/* Returns the section with this name; NULL: none. */
Elf_Scn *object_section(const struct object *object, const char *name);

enum { ELF_BUILD_ID_MAX = 20 };

/* Stores the build id of the linker (NT_GNU_BUILD_ID). Returns its length; 0: none. */
size_t object_build_id(uint8_t id[ELF_BUILD_ID_MAX], const struct object *object);

/* --- Functions ----------------------------------------------------------------------------- */

struct elf_function {
	const char *name;
	const char *old_version; /* programs get it only if they ask for this version; NULL: any */
	uint64_t offset, size;	 /* in bytes, in the file; size 0: not known */
	uint64_t address;	 /* where it is loaded, before relocation */
};

/*
 * Calls `found` for each function of the object in the dynamic and other symbols of `symbols`,
 * which is the object or its separate file. A function with several names or versions is reported
 * more than once. `type` is STT_FUNC; STT_GNU_IFUNC for functions whose implementation is chosen at
 * the start of a program; or STT_OBJECT for variables, whose offset is their address.
 */
void object_each_function(const struct object *object, const struct object *symbols, int type,
			  void (*found)(void *context, const struct elf_function *function),
			  void *context);

/* Returns whether the object still has the symbols that `strip` removes. */
bool object_has_symbols(const struct object *object);

/*
 * Returns whether exceptions may pass through its functions, as far as that is known: whether it
 * needs a library that unwinds for them, or contains one, or, without symbols, has landing pads.
 */
bool object_may_throw(const struct object *object);

/* --- Segments ------------------------------------------------------------------------------ */

/* Returns the loader that a program asks for (PT_INTERP); NULL: none. The caller frees it. */
char *object_loader(const struct object *object);

/* A part of the file that is loaded (PT_LOAD). */
struct elf_segment {
	uint64_t offset, size;		/* in the file */
	uint64_t address, address_size; /* before relocation */
	bool is_code;
};

void object_each_segment(const struct object *object,
			 void (*found)(void *context, const struct elf_segment *segment),
			 void *context);

/* Finds the address at which the code at `offset` of the file is loaded; false: none. */
bool object_address(uint64_t *address, const struct object *object, uint64_t offset);

/*
 * Finds the place in the file of code that is mapped `distance` bytes behind the beginning of a
 * mapping of `offset` with the protection `prot` (mmap(2)). False: no code of the file is there.
 */
bool object_code_behind(uint64_t *found, const struct object *object, uint64_t offset,
			uint32_t prot, uint64_t distance);

#endif
