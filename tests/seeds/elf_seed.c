/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/elf_seed.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* --- The contents -------------------------------------------------------------------------- */

#define WORK  "\x55\x48\x89\xe5\x89\xf8\x83\xc0\x01\x5d\xc3"
#define JUMPS "\xf3\x0f\x1e\xfa\x85\xff\x74\x09\x48\x8d\x05\x00\x00\x00\x00\x01\xf8\xc3"

static const struct {
	const char *name, *code;
	unsigned char size, type;
} functions[] = {
	{"work", WORK, sizeof(WORK) - 1, STT_FUNC},
	{"_Z5jumpsi", JUMPS, sizeof(JUMPS) - 1, STT_FUNC},
	{"enters", "\x89\xf8\x83\xc0\x01\xe9\xb7\xff\xff\xff", 10, STT_FUNC}, /* after the push */
	{"calls@@V1", "\x48\x83\xec\x08\xe8\x97\xff\xff\xff\x48\x83\xc4\x08\xc3", 14, STT_FUNC},
	{"chooses", "\x48\x8d\x05\x79\xff\xff\xff\xc3", 8, STT_GNU_IFUNC},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* A CIE "zR" of version 1: the CFA is rsp + 8 at first, pointers are 4 bytes relative to their
 * place. */
static const char cie[] = "\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0";

static const char abbreviations[] =		   /* DWARF 4 */
	"\1\x11\1\x03\x08\x10\x17\x11\1\x12\6\0\0" /* the unit, which has: */
	"\2\x34\0\x49\x13\2\x18\0\0"		   /* a variable */
	"\3\1\1\x49\x13\0\0"			   /* an array, which has: */
	"\4\x21\0\x37\x0b\0\0"			   /* a number of elements */
	"\5\x13\1\x0b\x0b\0\0"			   /* a structure, which has: */
	"\6\x0d\0\3\x08\x49\x13\x38\x0b\0\0"	   /* a member */
	"\7\x24\0\x0b\x0b\0\0";			   /* a number */

/* struct { int before, lock; } variable[3]; types are offsets in the section. */
static const char variable_info[] = "\2\x32\0\0\0\x09\3";
static const char type_info[] = "\3\x3a\0\0\0\4\3\0"
				"\5\x08\6lock\0\x48\0\0\0\4\0"
				"\7\4\0";

/* A table of version 4: one directory, one file, a line for each function. */
static const char line_header[] = "\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1\0work.c\0\0\0\0";

enum section {
	NO_SECTION,
	TEXT,
	SYMBOLS,
	STRINGS,
	NAMES,
	FRAMES,
	NOTE,
	ABBREVIATIONS,
	INFO,
	LINES,
	SECTIONS,
};

static const struct {
	const char *name;
	uint32_t type, link;
	uint64_t flags, entry;
} sections[SECTIONS] = {
	[TEXT] = {".text", SHT_PROGBITS, 0, SHF_ALLOC | SHF_EXECINSTR, 0},
	[SYMBOLS] = {".symtab", SHT_SYMTAB, STRINGS, 0, sizeof(Elf64_Sym)},
	[STRINGS] = {".strtab", SHT_STRTAB, 0, 0, 0},
	[NAMES] = {".shstrtab", SHT_STRTAB, 0, 0, 0},
	[FRAMES] = {".eh_frame", SHT_PROGBITS, 0, SHF_ALLOC, 0},
	[NOTE] = {".note.gnu.build-id", SHT_NOTE, 0, SHF_ALLOC, 0},
	[ABBREVIATIONS] = {".debug_abbrev", SHT_PROGBITS, 0, 0, 0},
	[INFO] = {".debug_info", SHT_PROGBITS, 0, 0, 0},
	[LINES] = {".debug_line", SHT_PROGBITS, 0, 0, 0},
};

struct making {
	struct bytes file;
	Elf64_Shdr headers[SECTIONS];
};

/* --- Sections ------------------------------------------------------------------------------ */

static uint64_t address_of(size_t function)
{
	return ELF_SEED_ADDRESS + ELF_SEED_TEXT + function * ELF_SEED_FUNCTION;
}

static void pad(struct bytes *bytes, size_t to)
{
	while (bytes->count < to)
		put(bytes, "", 1);
}

static void make_text(struct making *making)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		put(&making->file, functions[i].code, functions[i].size);
		for (size_t j = functions[i].size; j < ELF_SEED_FUNCTION; j++)
			put(&making->file, "\x90", 1);
	}
}

static void make_symbols(struct making *making)
{
	uint32_t name = 1;

	put(&making->file, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const Elf64_Sym symbol = {
			.st_name = name,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, functions[i].type),
			.st_shndx = TEXT,
			.st_value = address_of(i),
			.st_size = functions[i].size,
		};

		put(&making->file, &symbol, sizeof(symbol));
		name += (uint32_t)strlen(functions[i].name) + 1;
	}
}

static void make_strings(struct making *making)
{
	put(&making->file, "", 1);
	for (size_t i = 0; i < FUNCTIONS; i++)
		put(&making->file, functions[i].name, strlen(functions[i].name) + 1);
}

static void make_names(struct making *making)
{
	uint64_t begin = making->file.count;

	put(&making->file, "", 1);
	for (size_t i = TEXT; i < SECTIONS; i++) {
		making->headers[i].sh_name = (uint32_t)(making->file.count - begin);
		put(&making->file, sections[i].name, strlen(sections[i].name) + 1);
	}
}

/* One FDE of 20 bytes for each function. */
static void make_frames(struct making *making)
{
	struct bytes *file = &making->file;
	size_t begin = file->count;

	put(file, cie, sizeof(cie) - 1);
	pad(file, begin + 24);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		put_u32(file, 16);
		put_u32(file, (uint32_t)(file->count - begin));
		put_u32(file, (uint32_t)(address_of(i) - ELF_SEED_ADDRESS - file->count));
		put_u32(file, functions[i].size);
		put_u32(file, 0);
	}
	put_u32(file, 0);
}

static void make_note(struct making *making)
{
	put(&making->file, "\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0the id of this file.", 36);
}

static void make_info(struct making *making)
{
	struct bytes *file = &making->file;

	put(file, "\x47\0\0\0\4\0\0\0\0\0\x08\1work.c\0\0\0\0\0", 4 + 7 + 1 + 7 + 4);
	put(file, &(uint64_t){address_of(0)}, 8);
	put_u32(file, FUNCTIONS * ELF_SEED_FUNCTION);
	put(file, variable_info, sizeof(variable_info) - 1);
	put(file, &(uint64_t){ELF_SEED_ADDRESS}, 8);
	put(file, type_info, sizeof(type_info) - 1);
}

static void make_lines(struct making *making)
{
	struct bytes *file = &making->file;
	size_t begin = file->count;
	uint32_t length;

	put_u32(file, 0);
	put(file, "\4\0", 2);
	put_u32(file, sizeof(line_header));
	put(file, line_header, sizeof(line_header));
	put(file, "\0\x09\2", 3); /* its begin */
	put(file, &(uint64_t){address_of(0)}, 8);
	for (size_t i = 0; i < FUNCTIONS; i++)
		put(file, "\3\1\1\2\x20", 5); /* the next line, a row; 32 bytes on */
	put(file, "\0\1\1", 3);
	length = (uint32_t)(file->count - begin - 4);
	memcpy(file->at + begin, &length, 4);
}

static void make_abbreviations(struct making *making)
{
	put(&making->file, abbreviations, sizeof(abbreviations));
}

/* --- The file ------------------------------------------------------------------------------ */

static void put_section(struct making *making, enum section number)
{
	static void (*const makers[SECTIONS])(struct making *) = {
		[TEXT] = make_text,	  [SYMBOLS] = make_symbols,
		[STRINGS] = make_strings, [NAMES] = make_names,
		[FRAMES] = make_frames,	  [NOTE] = make_note,
		[INFO] = make_info,	  [ABBREVIATIONS] = make_abbreviations,
		[LINES] = make_lines,
	};
	Elf64_Shdr *header = &making->headers[number];

	pad(&making->file, (making->file.count + 7) & ~(size_t)7);
	header->sh_type = sections[number].type;
	header->sh_flags = sections[number].flags;
	header->sh_offset = making->file.count;
	header->sh_addr = header->sh_flags ? ELF_SEED_ADDRESS + making->file.count : 0;
	header->sh_link = sections[number].link;
	header->sh_entsize = sections[number].entry;
	header->sh_addralign = 8;
	makers[number](making);
	header->sh_size = making->file.count - header->sh_offset;
}

/* Files of another machine are not read. */
#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

static void write_heads(struct making *making)
{
	const Elf64_Shdr *note = &making->headers[NOTE];
	uint64_t size = making->file.count;
	const Elf64_Ehdr head = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = OWN_MACHINE,
		.e_version = EV_CURRENT,
		.e_entry = address_of(0),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = size,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R | PF_X, 0, ELF_SEED_ADDRESS, ELF_SEED_ADDRESS, size, size, 0x1000},
		{PT_NOTE, PF_R, note->sh_offset, note->sh_addr, note->sh_addr, note->sh_size,
		 note->sh_size, 4},
	};

	memcpy(making->file.at, &head, sizeof(head));
	memcpy(making->file.at + sizeof(head), segments, sizeof(segments));
}

struct bytes elf_seed_make(void)
{
	struct making making = {.file = {0}};

	pad(&making.file, ELF_SEED_TEXT);
	for (enum section i = TEXT; i < SECTIONS; i++)
		put_section(&making, i);
	pad(&making.file, (making.file.count + 7) & ~(size_t)7);
	write_heads(&making);
	put(&making.file, making.headers, sizeof(making.headers));
	return making.file;
}
