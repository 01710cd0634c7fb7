/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/elf_functions.h"

#include "base/alloc.h"
#include "base/regular_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

struct elf_file {
	int fd;
	Elf *elf;
};

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

/* Something else than a file, or of another machine, is closed and NULL. */
static bool open_elf(struct elf_file *file, const char *path)
{
	struct stat status;
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	file->fd = regular_file_open(&status, path);
	/* Not mapped: whose file it is may cut it short meanwhile. */
	file->elf = file->fd < 0 ? NULL : elf_begin(file->fd, ELF_C_READ, NULL);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF && gelf_getehdr(file->elf, &header) &&
	    header.e_machine == own_machine && gelf_getclass(file->elf) == ELFCLASS64)
		return true;
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	return false;
}

static void close_elf(struct elf_file *file)
{
	elf_end(file->elf);
	close(file->fd);
}

/* Programs have about a dozen; a damaged file is not to be looked through for each symbol. */
enum { SEGMENTS_MAX = 64 };

/* The segment that an address is loaded by tells where it stands in the file. */
static bool offset_of(uint64_t *offset, Elf *elf, uint64_t address)
{
	size_t count;
	GElf_Phdr segment;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

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
	int at = 0;

	for (int i = 0; versions->definitions && i < VERSIONS_MAX; i++) {
		if (!gelf_getverdef(versions->definitions, at, &definition))
			return NULL;
		if (definition.vd_ndx == number)
			return gelf_getverdaux(versions->definitions, at + (int)definition.vd_aux,
					       &name)
				       ? elf_strptr(elf, versions->names, name.vda_name)
				       : NULL;
		if (!definition.vd_next)
			return NULL;
		at += (int)definition.vd_next;
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

static void each_of_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, int type,
			    const struct versions *versions,
			    void (*found)(void *context, const struct elf_function *function),
			    void *context)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name;
		uint64_t offset;

		if (GELF_ST_TYPE(symbol.st_info) != type || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && offset_of(&offset, elf, symbol.st_value))
			found(context,
			      &(struct elf_function){.name = name,
						     .old_version = old_version(versions, elf, i),
						     .offset = offset,
						     .size = symbol.st_size,
						     .address = symbol.st_value});
	}
}

static void each_of_type(const char *path, int type,
			 void (*found)(void *context, const struct elf_function *function),
			 void *context)
{
	static const struct versions none = {NULL, NULL, 0};
	struct elf_file file;
	struct versions versions;
	Elf_Scn *section = NULL;

	if (!open_elf(&file, path))
		return;
	find_versions(&versions, file.elf);
	while ((section = elf_nextscn(file.elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
			each_of_section(file.elf, section, &header, type,
					header.sh_type == SHT_DYNSYM ? &versions : &none, found,
					context);
	}
	close_elf(&file);
}

void elf_functions_each(const char *path,
			void (*found)(void *context, const struct elf_function *function),
			void *context)
{
	each_of_type(path, STT_FUNC, found, context);
}

void elf_functions_each_indirect(const char *path,
				 void (*found)(void *context, const struct elf_function *function),
				 void *context)
{
	each_of_type(path, STT_GNU_IFUNC, found, context);
}

void elf_functions_each_code(const char *path,
			     void (*found)(void *context, uint64_t offset, uint64_t size,
					   uint64_t address),
			     void *context)
{
	struct elf_file file;
	size_t count = 0;
	GElf_Phdr segment;

	if (!open_elf(&file, path))
		return;
	if (elf_getphdrnum(file.elf, &count))
		count = 0;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_flags & PF_X)
			found(context, segment.p_offset, segment.p_filesz, segment.p_vaddr);
	close_elf(&file);
}

bool elf_functions_is_program(const char *path)
{
	struct elf_file file;
	bool is = open_elf(&file, path);

	if (is)
		close_elf(&file);
	return is;
}

bool elf_functions_has_symbols(const char *path)
{
	struct elf_file file;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool has = false;

	if (!open_elf(&file, path))
		return false;
	while (!has && (section = elf_nextscn(file.elf, section)))
		has = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB;
	close_elf(&file);
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

	if (!open_elf(&file, path))
		return false;
	if (!elf_getshdrstrndx(file.elf, &names))
		while ((section = elf_nextscn(file.elf, section)))
			look_at_section(&found, file.elf, section, names);
	close_elf(&file);
	return found.needs_unwinder || found.has_language ||
	       (found.has_landings && !found.has_symbols && !found.is_c_library);
}

/* --- The loader, and what the file is called ------------------------------------------------ */

char *elf_functions_loader(const char *path)
{
	struct elf_file file;
	char loader[PATH_MAX] = "";
	size_t count = 0;
	GElf_Phdr segment;

	if (!open_elf(&file, path))
		return NULL;
	if (elf_getphdrnum(file.elf, &count))
		count = 0;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX && !*loader; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_INTERP &&
		    segment.p_filesz < sizeof(loader) &&
		    pread(file.fd, loader, segment.p_filesz, (off_t)segment.p_offset) < 0)
			*loader = '\0';
	close_elf(&file);
	return *loader ? xstrdup(loader) : NULL;
}

/* Of one segment of notes; 0: it is not there. */
static size_t find_build_id(uint8_t id[ELF_BUILD_ID_MAX], Elf *elf, const GElf_Phdr *segment)
{
	Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, type);
	size_t at = 0, name, text, next;
	GElf_Nhdr note;

	for (; data && (next = gelf_getnote(data, at, &note, &name, &text)); at = next) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0 ||
		    note.n_descsz > ELF_BUILD_ID_MAX)
			continue;
		memcpy(id, (const char *)data->d_buf + text, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

size_t elf_functions_build_id(uint8_t id[ELF_BUILD_ID_MAX], const char *path)
{
	struct elf_file file;
	size_t count = 0, size = 0;
	GElf_Phdr segment;

	if (!open_elf(&file, path))
		return 0;
	if (elf_getphdrnum(file.elf, &count))
		count = 0;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX && !size; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) && segment.p_type == PT_NOTE)
			size = find_build_id(id, file.elf, &segment);
	close_elf(&file);
	return size;
}
