/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where functions begin in a program or a library: in the file, as uprobes are placed, and in
 * memory. */
#ifndef PSCAL_CODE_ELF_FUNCTIONS_H
#define PSCAL_CODE_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/elf_file.h"

struct elf_function {
	const char *name;
	const char *old_version; /* it is only there for who asks for that; NULL: it is what one
				  * gets who does not */
	uint64_t offset, size;	 /* in bytes; size 0: not known */
	uint64_t address;	 /* where it is loaded, but for what is added to all addresses */
};

/*
 * Calls `found` for each function that the file defines, from its dynamic symbols and, where it has
 * them, its others; one with several names or versions more than once. A file that is no ELF file
 * of this machine has none.
 */
void elf_functions_each(const char *path,
			void (*found)(void *context, const struct elf_function *function),
			void *context);

/* The same for the functions that the separate file `debug` of `path` (debug_file_find()) names. */
void elf_functions_each_separate(const char *path, const char *debug,
				 void (*found)(void *context, const struct elf_function *function),
				 void *context);

/*
 * The same for indirect functions (STT_GNU_IFUNC), of which one of several is chosen as soon as a
 * program is there: what stands there is what chooses.
 */
void elf_functions_each_indirect(const char *path,
				 void (*found)(void *context, const struct elf_function *function),
				 void *context);

/* Of several names people use the one that is least strange: __GI___lll_lock is __lll_lock. */
size_t elf_functions_strangeness(const char *name);

/* Calls `found` for each part of the file that is run, with where it is in both. */
void elf_functions_each_code(const char *path,
			     void (*found)(void *context, uint64_t offset, uint64_t size,
					   uint64_t address),
			     void *context);

/* As elf_file_build_id(). */
size_t elf_functions_build_id(uint8_t id[ELF_BUILD_ID_MAX], const char *path);

/* Is it a program or a library of this machine, as far as can be read? */
bool elf_functions_is_program(const char *path);

/* Does it still have the symbols that only people need, those that `strip` takes away? */
bool elf_functions_has_symbols(const char *path);

/*
 * May exceptions pass through its functions, as far as can be told: does it need a library that
 * finds their way, or contain one, or, without symbols, places for them to land?
 */
bool elf_functions_may_throw(const char *path);

/* The loader that a program asks for (PT_INTERP), to be freed; NULL: it asks for none. */
char *elf_functions_loader(const char *path);

/*
 * The path of the separate file with the symbols and lines of `path`, to be freed; NULL: there is
 * none. Distributions take them out of programs and libraries: Debian has them in packages that end
 * in -dbgsym or -dbg. `path` is below the directory `root`, NULL for that of this machine. The file
 * is looked for as gdb does ("Debugging Information in Separate Files" in its manual):
 *
 *  - by the build id below usr/lib/debug/.build-id;
 *  - by the name in .gnu_debuglink, beside `path`, in .debug there, and where that directory is
 *    below usr/lib/debug.
 *
 * It has the build id of `path`, or where one of the two has none the checksum of .gnu_debuglink.
 */
char *debug_file_find(const char *path, const char *root);

#endif
