/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_code.h"

#include <link.h>
#include <stddef.h>

struct question {
	uintptr_t address;
	struct omp_code answer;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct question *question = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		struct omp_code code = {.begin = info->dlpi_addr + part->p_vaddr};

		code.end = code.begin + part->p_memsz;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) ||
		    !omp_code_has(&code, (const void *)question->address)) // NOLINT: an address
			continue;
		question->answer = code;
		return 1;
	}
	return 0;
}

struct omp_code omp_code_of(const void *address)
{
	struct question question = {.address = (uintptr_t)address};

	dl_iterate_phdr(look_at, &question);
	return question.answer;
}
