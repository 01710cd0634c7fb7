/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/elf_functions.h"

#include "base/alloc.h"
#include "code/elf_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* --- Versions of symbols ------------------------------------------------------------------- */

/* A library has some dozens; of a damaged file no more is looked at. */
enum { VERSIONS_MAX = 4096, VERSION_HIDDEN = 0x8000, VERSION_FIRST = 2 };

struct versions {
	Elf_Data *of_symbols;  /* of the dynamic ones; NULL: they have none */
	Elf_Data *definitions; /* NULL: not known */
	size_t names;	       /* the section of their names */
};

static void find_versions(struct versions *versions, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	*versions = (struct versions){NULL, NULL, 0};
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_GNU_versym)
			versions->of_symbols = elf_getdata(section, NULL);
		if (header.sh_type != SHT_GNU_verdef)
			continue;
		versions->definitions = elf_getdata(section, NULL);
		versions->names = header.sh_link;
	}
}

static const char *version_name(const struct versions *versions, Elf *elf, unsigned number)
{
	GElf_Verdef definition;
	GElf_Verdaux name;
	int64_t at = 0, name_at;

	for (int i = 0; versions->definitions && i < VERSIONS_MAX; i++) {
		if (at > INT_MAX || !gelf_getverdef(versions->definitions, (int)at, &definition))
			return NULL;
		name_at = at + definition.vd_aux;
		if (definition.vd_ndx == number)
			return name_at <= INT_MAX && gelf_getverdaux(versions->definitions,
								     (int)name_at, &name)
				       ? elf_strptr(elf, versions->names, name.vda_name)
				       : NULL;
		if (!definition.vd_next)
			return NULL;
		at += definition.vd_next;
	}
	return NULL;
}

/* That of a dynamic symbol, if nobody gets it who does not ask for it. */
static const char *old_version(const struct versions *versions, Elf *elf, int symbol)
{
	GElf_Versym version;

	if (!versions->of_symbols || !gelf_getversym(versions->of_symbols, symbol, &version) ||
	    !(version & VERSION_HIDDEN) || (version & ~VERSION_HIDDEN) < VERSION_FIRST)
		return NULL;
	return version_name(versions, elf, version & ~(unsigned)VERSION_HIDDEN);
}

/* --- Functions ----------------------------------------------------------------------------- */

/*
 * Names may share their ends, and those of aliases all of them. But those of a damaged file are not
 * to take many times the memory that it does.
 */
enum { NAMES_PER_BYTE = 16 };

/* The functions that are looked for, and the receiver of them. */
struct walk {
	const struct elf_file *file, *symbols; /* the same if it has them itself */
	int type;
	uint64_t names_left; /* bytes that names may still have */
	void (*found)(void *context, const struct elf_function *function);
	void *context;
};

static void tell_function(struct walk *walk, const struct elf_function *function)
{
	const char *version = function->old_version;
	size_t length = strlen(function->name) + (version ? strlen(version) : 0);
	struct elf_function told = *function;

	if (length > walk->names_left || !elf_file_offset(&told.offset, walk->file, told.address))
		return;
	walk->names_left -= length;
	walk->found(walk->context, &told);
}

static void each_of_section(struct walk *walk, Elf_Scn *section, const GElf_Shdr *header,
			    const struct versions *versions)
{
	Elf *elf = walk->symbols->elf;
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name;

		if (GELF_ST_TYPE(symbol.st_info) != walk->type || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name)
			tell_function(walk, &(struct elf_function){
						    .name = name,
						    .old_version = old_version(versions, elf, i),
						    .size = symbol.st_size,
						    .address = symbol.st_value});
	}
}

static void each_function(struct walk *walk)
{
	static const struct versions none = {NULL, NULL, 0};
	struct versions versions;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	struct stat status;

	if (fstat(walk->symbols->fd, &status))
		return;
	walk->names_left = NAMES_PER_BYTE * (uint64_t)status.st_size;
	find_versions(&versions, walk->symbols->elf);
	while ((section = elf_nextscn(walk->symbols->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
			each_of_section(walk, section, &header,
					header.sh_type == SHT_DYNSYM ? &versions : &none);
}

static void each_of_type(const char *path, int type,
			 void (*found)(void *context, const struct elf_function *function),
			 void *context)
{
	struct elf_file file;

	if (!elf_file_open(&file, path))
		return;
	each_function(&(struct walk){&file, &file, type, 0, found, context});
	elf_file_close(&file);
}

void elf_functions_each(const char *path,
			void (*found)(void *context, const struct elf_function *function),
			void *context)
{
	each_of_type(path, STT_FUNC, found, context);
}

/* Its own segments say no more where anything stands. */
void elf_functions_each_separate(const char *path, const char *debug,
				 void (*found)(void *context, const struct elf_function *function),
				 void *context)
{
	struct elf_file file, symbols;

	if (!elf_file_open(&file, path))
		return;
	if (elf_file_open(&symbols, debug)) {
		each_function(&(struct walk){&file, &symbols, STT_FUNC, 0, found, context});
		elf_file_close(&symbols);
	}
	elf_file_close(&file);
}

void elf_functions_each_indirect(const char *path,
				 void (*found)(void *context, const struct elf_function *function),
				 void *context)
{
	each_of_type(path, STT_GNU_IFUNC, found, context);
}

size_t elf_functions_strangeness(const char *name)
{
	return strspn(name, "_") * 256 + strlen(name);
}

void elf_functions_each_code(const char *path,
			     void (*found)(void *context, uint64_t offset, uint64_t size,
					   uint64_t address),
			     void *context)
{
	struct elf_file file;
	size_t count;
	GElf_Phdr segment;

	if (!elf_file_open(&file, path))
		return;
	count = elf_file_segments(&file);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_flags & PF_X)
			found(context, segment.p_offset, segment.p_filesz, segment.p_vaddr);
	elf_file_close(&file);
}

bool elf_functions_is_program(const char *path)
{
	struct elf_file file;
	bool is = elf_file_open(&file, path);

	if (is)
		elf_file_close(&file);
	return is;
}

bool elf_functions_has_symbols(const char *path)
{
	struct elf_file file;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool has = false;

	if (!elf_file_open(&file, path))
		return false;
	while (!has && (section = elf_nextscn(file.elf, section)))
		has = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB;
	elf_file_close(&file);
	return has;
}

/* --- Exceptions ---------------------------------------------------------------------------- */

static bool begins_with_any(const char *name, const char *const *begins)
{
	for (; *begins; begins++)
		if (strncmp(name, *begins, strlen(*begins)) == 0)
			return true;
	return false;
}

/* The string of each entry of this kind in the dynamic section. */
static bool has_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, int64_t tag,
			const char *const *begins)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
		const char *name = entry.d_tag == tag
					   ? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
					   : NULL;

		if (name && begins_with_any(name, begins))
			return true;
	}
	return false;
}

static bool has_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		       const char *const *begins)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && begins_with_any(name, begins))
			return true;
	}
	return false;
}

struct unwinding {
	bool needs_unwinder, is_c_library, has_symbols, has_language, has_landings;
};

static void look_at_section(struct unwinding *unwinding, Elf *elf, Elf_Scn *section, size_t names)
{
	static const char *const unwinders[] = {"libstdc++.", "libc++.", "libc++abi.", "libgcc_s.",
						NULL};
	static const char *const c_library[] = {"libc.so.", NULL};
	static const char *const languages[] = {"__gxx_personality",  "__cxa_throw",
						"rust_eh_",	      "__gnat_personality",
						"__objc_personality", NULL};
	GElf_Shdr header;
	const char *name;

	if (!gelf_getshdr(section, &header))
		return;
	name = elf_strptr(elf, names, header.sh_name);
	unwinding->has_landings |= name && strcmp(name, ".gcc_except_table") == 0;
	if (header.sh_type == SHT_DYNAMIC) {
		unwinding->needs_unwinder |=
			has_dynamic(elf, section, &header, DT_NEEDED, unwinders);
		unwinding->is_c_library |= has_dynamic(elf, section, &header, DT_SONAME, c_library);
	}
	if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) {
		unwinding->has_symbols |= header.sh_type == SHT_SYMTAB;
		unwinding->has_language |= has_symbol(elf, section, &header, languages);
	}
}

/*
 * The C library has landing pads for threads that are cancelled, and so has all that contains it.
 */
bool elf_functions_may_throw(const char *path)
{
	struct unwinding found = {0};
	struct elf_file file;
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf_file_open(&file, path))
		return false;
	if (!elf_getshdrstrndx(file.elf, &names))
		while ((section = elf_nextscn(file.elf, section)))
			look_at_section(&found, file.elf, section, names);
	elf_file_close(&file);
	return found.needs_unwinder || found.has_language ||
	       (found.has_landings && !found.has_symbols && !found.is_c_library);
}

/* --- The loader, and what the file is called ------------------------------------------------ */

char *elf_functions_loader(const char *path)
{
	struct elf_file file;
	char loader[PATH_MAX] = "";
	size_t count;
	GElf_Phdr segment;

	if (!elf_file_open(&file, path))
		return NULL;
	count = elf_file_segments(&file);
	for (size_t i = 0; i < count && !*loader; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_INTERP &&
		    segment.p_filesz < sizeof(loader) &&
		    pread(file.fd, loader, segment.p_filesz, (off_t)segment.p_offset) < 0)
			*loader = '\0';
	elf_file_close(&file);
	return *loader ? xstrdup(loader) : NULL;
}

size_t elf_functions_build_id(uint8_t id[ELF_BUILD_ID_MAX], const char *path)
{
	struct elf_file file;
	size_t size;

	if (!elf_file_open(&file, path))
		return 0;
	size = elf_file_build_id(id, &file);
	elf_file_close(&file);
	return size;
}

/* --- The separate file of symbols and lines ------------------------------------------------ */

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* The description of its separate file that a file contains. */
struct debug_file {
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t id_size;
	char *name; /* NULL: it does not say */
	uint32_t checksum;
	struct stat self;
};

/* A name with its NUL, and as the last word of the section the checksum. */
static void read_debug_link(struct debug_file *wanted, const struct elf_file *file)
{
	Elf_Scn *section = elf_file_section(file, ".gnu_debuglink");
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t size = data && data->d_buf ? data->d_size : 0;
	const char *name;

	if (size <= sizeof(wanted->checksum))
		return;
	size -= sizeof(wanted->checksum);
	name = data->d_buf;
	/* The name is that of a file in known directories and must not lead to another one. */
	if (!*name || !memchr(name, '\0', size) || strchr(name, '/'))
		return;
	wanted->name = xstrdup(name);
	memcpy(&wanted->checksum, name + size, sizeof(wanted->checksum));
}

static bool read_debug_file(struct debug_file *wanted, const char *path)
{
	struct elf_file file;

	*wanted = (struct debug_file){.id_size = 0};
	if (!elf_file_open(&file, path))
		return false;
	wanted->id_size = elf_file_build_id(wanted->id, &file);
	read_debug_link(wanted, &file);
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

static bool is_debug_file(const struct debug_file *wanted, const char *path)
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

/* Returns `path` if that is the separate file; frees it otherwise. */
static char *take_if_wanted(const struct debug_file *wanted, char *path)
{
	if (is_debug_file(wanted, path))
		return path;
	free(path);
	return NULL;
}

static char *find_debug_by_id(const struct debug_file *wanted, const char *root)
{
	char text[2 * ELF_BUILD_ID_MAX + 1] = "";

	if (wanted->id_size < 2)
		return NULL;
	for (size_t i = 0; i < wanted->id_size; i++) {
		text[2 * i] = "0123456789abcdef"[wanted->id[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[wanted->id[i] & 15];
	}
	return take_if_wanted(wanted, xasprintf("%s" DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug",
						root, text, text + 2));
}

static char *find_debug_by_name(const struct debug_file *wanted, const char *path, const char *root)
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
		found = take_if_wanted(wanted, xasprintf("%s" DEBUG_DIRECTORY "%.*s%s", root,
							 directory - (int)inside, path + inside,
							 wanted->name));
	return found;
}

char *debug_file_find(const char *path, const char *root)
{
	struct debug_file wanted;
	char *found;

	if (!read_debug_file(&wanted, path))
		return NULL;
	found = find_debug_by_id(&wanted, root ? root : "");
	if (!found)
		found = find_debug_by_name(&wanted, path, root ? root : "");
	free(wanted.name);
	return found;
}
