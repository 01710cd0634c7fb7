/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/object.h"

#include "base/alloc.h"
#include "base/io/files.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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
 * Checks the number of sections and segments. A program has some dozens. A file without content
 * that claims a billion would take libelf as much memory, and the time to fill it. Segments are
 * read for each mapping of a process, of which there may be many.
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

bool object_open(struct object *object, const char *path)
{
	struct stat status;

	elf_version(EV_CURRENT);
	*object = (struct object){.fd = regular_file_open(&status, path)};
	/* The file is not mapped, as its owner may truncate it. */
	if (object->fd >= 0 && has_small_tables(object->fd))
		object->elf = elf_begin(object->fd, ELF_C_READ, NULL);
	object->path = xstrdup(path);
	if (object->elf && is_own(object->elf))
		return true;
	object_close(object);
	return false;
}

void object_close(struct object *object)
{
	if (!object->path)
		return;
	elf_end(object->elf);
	if (object->fd >= 0)
		close(object->fd);
	free(object->path);
	*object = (struct object){.fd = -1};
}

Elf_Scn *object_section(const struct object *object, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(object->elf, &names))
		return NULL;
	while ((section = elf_nextscn(object->elf, section))) {
		const char *own = gelf_getshdr(section, &header)
					  ? elf_strptr(object->elf, names, header.sh_name)
					  : NULL;

		if (own && strcmp(own, name) == 0)
			return section;
	}
	return NULL;
}

size_t object_build_id(uint8_t id[ELF_BUILD_ID_MAX], const struct object *object)
{
	const void *bytes;
	ssize_t size = object->elf ? dwelf_elf_gnu_build_id(object->elf, &bytes) : 0;

	if (size <= 0 || size > ELF_BUILD_ID_MAX)
		return 0;
	memcpy(id, bytes, (size_t)size);
	return (size_t)size;
}

/*
 * Returns the number of segments, with a limit: programs have about a dozen, and a damaged file
 * must not take long for each symbol.
 */
static size_t count_segments(const struct object *object)
{
	enum { SEGMENTS_MAX = 64 };
	size_t count;

	if (elf_getphdrnum(object->elf, &count))
		return 0;
	return count < SEGMENTS_MAX ? count : SEGMENTS_MAX;
}

/* Finds the segment of code that contains `at`, an address or an offset in the file. */
static bool find_code(GElf_Phdr *segment, const struct object *object, uint64_t at, bool by_address)
{
	size_t count = count_segments(object);

	for (size_t i = 0; i < count; i++) {
		uint64_t begin;

		if (!gelf_getphdr(object->elf, (int)i, segment) || segment->p_type != PT_LOAD ||
		    !(segment->p_flags & PF_X))
			continue;
		begin = by_address ? segment->p_vaddr : segment->p_offset;
		if (at >= begin && at - begin < segment->p_filesz)
			return true;
	}
	return false;
}

static bool find_offset(uint64_t *offset, const struct object *object, uint64_t address)
{
	GElf_Phdr segment;

	if (!find_code(&segment, object, address, true))
		return false;
	*offset = address - segment.p_vaddr + segment.p_offset;
	return true;
}

bool object_address(uint64_t *address, const struct object *object, uint64_t offset)
{
	GElf_Phdr segment;

	if (!find_code(&segment, object, offset, false))
		return false;
	*address = offset - segment.p_offset + segment.p_vaddr;
	return true;
}

/* --- Mappings ------------------------------------------------------------------------------ */

/* The beginning of a page, as segments are mapped in whole pages. */
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

/* Finds the address at which the file is mapped from `offset` on with that protection. */
static bool find_mapping(uint64_t *address, const struct object *object, uint64_t offset,
			 uint32_t prot)
{
	size_t count = count_segments(object);
	GElf_Phdr segment;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    protection_of(&segment) != prot || offset < page_of(segment.p_offset) ||
		    offset >= segment.p_offset + segment.p_filesz)
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr;
		return true;
	}
	return false;
}

bool object_code_behind(uint64_t *found, const struct object *object, uint64_t offset,
			uint32_t prot, uint64_t distance)
{
	size_t count = count_segments(object);
	GElf_Phdr segment;
	uint64_t address;

	if (!find_mapping(&address, object, offset, prot))
		return false;
	address += distance;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X) || address < page_of(segment.p_vaddr) ||
		    address >= segment.p_vaddr + segment.p_filesz)
			continue;
		*found = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

/* --- Versions of symbols ------------------------------------------------------------------- */

/* The most versions that are examined; a library has some dozens. */
enum { VERSIONS_MAX = 4096, VERSION_HIDDEN = 0x8000, VERSION_FIRST = 2 };

struct versions {
	Elf_Data *of_symbols;  /* versions of the dynamic symbols; NULL: none */
	Elf_Data *definitions; /* their definitions; NULL: not known */
	size_t names;	       /* section of their names */
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

/* Returns the version of a dynamic symbol if programs get it only by asking for that version. */
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
 * The limit of all names, in bytes per byte of the file. Names may share their ends, and aliases
 * whole names, but those of a damaged file must not take many times its size of memory.
 */
enum { NAMES_PER_BYTE = 16 };

/* A search for functions, and the receiver of them. */
struct walk {
	const struct object *object, *symbols;
	int type;
	uint64_t names_left; /* bytes that names may still take */
	void (*found)(void *context, const struct elf_function *function);
	void *context;
};

static void tell_function(struct walk *walk, const struct elf_function *function)
{
	const char *version = function->old_version;
	size_t length = strlen(function->name) + (version ? strlen(version) : 0);
	struct elf_function told = *function;

	if (length > walk->names_left)
		return;
	if (walk->type == STT_OBJECT)
		told.offset = told.address;
	else if (!find_offset(&told.offset, walk->object, told.address))
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

void object_each_function(const struct object *object, const struct object *symbols, int type,
			  void (*found)(void *context, const struct elf_function *function),
			  void *context)
{
	static const struct versions none = {NULL, NULL, 0};
	struct walk walk = {object, symbols, type, 0, found, context};
	struct versions versions;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	struct stat status;

	if (!object->elf || fstat(symbols->fd, &status))
		return;
	walk.names_left = NAMES_PER_BYTE * (uint64_t)status.st_size;
	find_versions(&versions, symbols->elf);
	while ((section = elf_nextscn(symbols->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
			each_of_section(&walk, section, &header,
					header.sh_type == SHT_DYNSYM ? &versions : &none);
}

void object_each_segment(const struct object *object,
			 void (*found)(void *context, const struct elf_segment *segment),
			 void *context)
{
	size_t count = object->elf ? count_segments(object) : 0;
	GElf_Phdr segment;

	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(object->elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			found(context, &(struct elf_segment){segment.p_offset, segment.p_filesz,
							     segment.p_vaddr, segment.p_memsz,
							     (segment.p_flags & PF_X) != 0});
}

bool object_has_symbols(const struct object *object)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool has = false;

	while (!has && (section = elf_nextscn(object->elf, section)))
		has = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB;
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

/* Returns whether an entry with this tag in the dynamic section has a string that begins so. */
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

/* The C library, and any file that contains it, has landing pads for threads that are cancelled. */
bool object_may_throw(const struct object *object)
{
	struct unwinding found = {0};
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(object->elf, &names))
		return false;
	while ((section = elf_nextscn(object->elf, section)))
		look_at_section(&found, object->elf, section, names);
	return found.needs_unwinder || found.has_language ||
	       (found.has_landings && !found.has_symbols && !found.is_c_library);
}

char *object_loader(const struct object *object)
{
	size_t count = count_segments(object);
	char loader[PATH_MAX] = "";
	GElf_Phdr segment;

	for (size_t i = 0; i < count && !*loader; i++)
		if (gelf_getphdr(object->elf, (int)i, &segment) && segment.p_type == PT_INTERP &&
		    segment.p_filesz < sizeof(loader) &&
		    pread(object->fd, loader, segment.p_filesz, (off_t)segment.p_offset) < 0)
			*loader = '\0';
	return *loader ? xstrdup(loader) : NULL;
}

/* --- Separate debug files ------------------------------------------------------------------- */

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* The properties of its separate file that an object states. */
struct debug_file {
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t id_size;
	char *name; /* NULL: not stated */
	uint32_t checksum;
	struct stat self;
};

/* Reads the name, with its NUL, and the checksum, the last word of the section. */
static void read_debug_link(struct debug_file *wanted, const struct object *object)
{
	Elf_Scn *section = object_section(object, ".gnu_debuglink");
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	size_t size = data && data->d_buf ? data->d_size : 0;
	const char *name;

	if (size <= sizeof(wanted->checksum))
		return;
	size -= sizeof(wanted->checksum);
	name = data->d_buf;
	/* The name must be that of a file in the known directories and lead nowhere else. */
	if (!*name || !memchr(name, '\0', size) || strchr(name, '/'))
		return;
	wanted->name = xstrdup(name);
	memcpy(&wanted->checksum, name + size, sizeof(wanted->checksum));
}

static bool describe_debug(struct debug_file *wanted, const struct object *object)
{
	*wanted = (struct debug_file){.id_size = 0};
	wanted->id_size = object_build_id(wanted->id, object);
	read_debug_link(wanted, object);
	return fstat(object->fd, &wanted->self) == 0;
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

static bool is_debug_file(const struct debug_file *wanted, const struct object *found)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	size_t size = object_build_id(id, found);
	struct stat status;

	if (fstat(found->fd, &status) ||
	    (status.st_dev == wanted->self.st_dev && status.st_ino == wanted->self.st_ino))
		return false;
	if (size && wanted->id_size)
		return size == wanted->id_size && memcmp(id, wanted->id, size) == 0;
	return wanted->name && checksum_of(found->fd) == wanted->checksum;
}

/* Opens `path` if that is the separate file. Takes ownership of `path`. */
static bool open_if_wanted(struct object *debug, const struct debug_file *wanted, char *path)
{
	bool is = object_open(debug, path) && is_debug_file(wanted, debug);

	free(path);
	if (!is)
		object_close(debug);
	return is;
}

static bool open_by_id(struct object *debug, const struct debug_file *wanted, const char *root)
{
	char text[2 * ELF_BUILD_ID_MAX + 1] = "";

	if (wanted->id_size < 2)
		return false;
	for (size_t i = 0; i < wanted->id_size; i++) {
		text[2 * i] = "0123456789abcdef"[wanted->id[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[wanted->id[i] & 15];
	}
	return open_if_wanted(
		debug, wanted,
		xasprintf("%s" DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", root, text, text + 2));
}

static bool open_by_name(struct object *debug, const struct debug_file *wanted, const char *path,
			 const char *root)
{
	const char *slash = strrchr(path, '/');
	size_t inside = strlen(root);
	int directory = slash ? (int)(slash - path) + 1 : 0;

	if (!wanted->name || !slash)
		return false;
	return open_if_wanted(debug, wanted, xasprintf("%.*s%s", directory, path, wanted->name)) ||
	       open_if_wanted(debug, wanted,
			      xasprintf("%.*s.debug/%s", directory, path, wanted->name)) ||
	       (strncmp(path, root, inside) == 0 && path[inside] == '/' &&
		open_if_wanted(debug, wanted,
			       xasprintf("%s" DEBUG_DIRECTORY "%.*s%s", root,
					 directory - (int)inside, path + inside, wanted->name)));
}

bool object_open_debug(struct object *debug, const struct object *object, const char *root)
{
	struct debug_file wanted;
	bool found;

	*debug = (struct object){.fd = -1};
	if (!object->elf)
		return false;
	found = describe_debug(&wanted, object) &&
		(open_by_id(debug, &wanted, root ? root : "") ||
		 open_by_name(debug, &wanted, object->path, root ? root : ""));
	free(wanted.name);
	return found;
}
