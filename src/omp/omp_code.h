/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose code lies at an address. */
#ifndef PSCAL_OMP_OMP_CODE_H
#define PSCAL_OMP_OMP_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a library, as it is loaded; zero: of none. */
struct omp_code {
	uintptr_t begin, end;
};

/* Of the library that has this address. */
struct omp_code omp_code_of(const void *address);

static inline bool omp_code_has(const struct omp_code *code, const void *address)
{
	return (uintptr_t)address - code->begin < code->end - code->begin;
}

#endif
