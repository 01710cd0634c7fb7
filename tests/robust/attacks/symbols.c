/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols HOW: claims that its code is of files of its own that are hard to read.
 *
 *	cut	each shrinks and grows while it is read
 *	large	each has a table of millions of functions
 *	many	each claims to have millions of sections
 *	lease	each has a lease, which is not given back
 *	fifo	each is a FIFO without a writer
 */
#include "attack.h"

#include <elf.h>
#include <sys/stat.h>

enum { FILES = 24, MILLIONS = 12000000, SOME = 20000, ADDRESS = 0x10000000 };

#define MANY (UINT64_C(1) << 23)

/* Makes a program that has only functions of one name. */
static void make_program(const char *path, size_t functions)
{
	static const char names[] = "\0.symtab\0.strtab\0an_attackers_function";
	FILE *file = fopen(path, "we");
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(head),
			   .e_ehsize = sizeof(head),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 3,
			   .e_shstrndx = 2};
	Elf64_Phdr code = {PT_LOAD, PF_R | PF_X, 0, 0, 0, UINT32_MAX, UINT32_MAX, 4096};
	uint64_t begin = sizeof(head) + sizeof(code), bytes = functions * sizeof(Elf64_Sym);
	Elf64_Shdr sections[3] = {
		{0},
		{1, SHT_SYMTAB, 0, 0, begin, bytes, 2, 0, 8, sizeof(Elf64_Sym)},
		{9, SHT_STRTAB, 0, 0, begin + bytes, sizeof(names), 0, 0, 1, 0},
	};

	head.e_shoff = begin + bytes + sizeof(names);
	if (!file)
		exit(74);
	fwrite(&head, sizeof(head), 1, file);
	fwrite(&code, sizeof(code), 1, file);
	for (size_t i = 0; i < functions; i++) {
		Elf64_Sym symbol = {17, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 16 * i, 16};

		fwrite(&symbol, sizeof(symbol), 1, file);
	}
	fwrite(names, sizeof(names), 1, file);
	fwrite(sections, sizeof(sections), 1, file);
	fclose(file);
}

/* Makes a program without content; its first section has the number of sections. */
static void make_sections(const char *path)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_shoff = sizeof(head),
			   .e_ehsize = sizeof(head),
			   .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr first = {.sh_size = MANY};
	FILE *file = fopen(path, "we");

	if (!file)
		exit(74);
	fwrite(&head, sizeof(head), 1, file);
	fwrite(&first, sizeof(first), 1, file);
	if (ftruncate(fileno(file), (off_t)(sizeof(head) + MANY * sizeof(first))))
		exit(75);
	fclose(file);
}

static void hold(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		exit(76);
}

static void cut_for_ever(void)
{
	char path[32];

	for (unsigned i = 0;; i++) {
		snprintf(path, sizeof(path), "file-%u", i % FILES);
		(void)!truncate(path, i / FILES % 2 ? 4096 : 600000);
	}
}

static void point(void)
{
	struct spool_header *header = attack_thread(NULL, getpid(), 1, 1);

	for (uint64_t i = 0; i < FILES; i++)
		attack_window(header, 0)[i] = (struct spool_record){
			monotonic_ns(), spool_word(SPOOL_ENTER, ADDRESS + (i << 28) + 64, 0)};
	attack_turn(header, 1);
}

int main(int count, char **words)
{
	static char notes[FILES * 4200];
	const char *how = count > 1 ? words[1] : "cut";
	bool is_lease = strcmp(how, "lease") == 0;
	size_t length = 0;
	char path[32];

	attack_begin();
	for (uint64_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "file-%u", (unsigned)i);
		if (*how == 'f'			    ? mkfifo(path, 0666)
		    : *how == 'l' && !is_lease && i ? link("file-0", path)
						    : 0)
			return 74;
		if (*how == 'm')
			make_sections(path);
		if (*how == 'c' || is_lease || (*how == 'l' && !i))
			make_program(path, *how == 'l' && !is_lease ? MILLIONS : SOME);
		if (is_lease)
			hold(path);
		length += (size_t)sprintf(notes + length, "m%lx-%lx r-xp 0 8:1 1 %s/%s\n",
					  (long)(ADDRESS + (i << 28)),
					  (long)(ADDRESS + ((i + 1) << 28)), getenv("PWD"), path);
	}
	attack_say(1, notes);
	if (*how == 'c' && attack_survive() == 0)
		cut_for_ever();
	if (is_lease && attack_survive() == 0) {
		sleep(ATTACK_MS / 1000);
		_exit(0);
	}
	for (int i = 0; i < 10; i++) {
		point();
		usleep(50000);
	}
	return 0;
}
