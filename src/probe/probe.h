/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal/probe.h: marks blocks of code in your own program, for `pscal record --probe`.
 *
 *	#include <pscal/probe.h>
 *
 *	PSCAL_BEGIN(insert);
 *	...
 *	PSCAL_END(insert);
 *
 * No library has to be linked: outside of a recording each macro is a load and a branch that is not
 * taken. It works in C from C99 on and in C++. Blocks nest; the innermost block ends first. A
 * thread may end only blocks that it has begun itself.
 */
#ifndef PSCAL_PROBE_H
#define PSCAL_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A block, identified by its address; its name is for people. */
struct pscal_block {
	const char *name;
	uint32_t known; /* for the probe library */
};

typedef void pscal_recorder(struct pscal_block *block, uint64_t value);

/* Defined only by the probe library: records `value` as an argument. */
extern pscal_recorder pscal_block_begin __attribute__((weak));
extern pscal_recorder pscal_block_end __attribute__((weak));
extern pscal_recorder pscal_block_mark __attribute__((weak));

/*
 * Returns the address of a weak function, or NULL. In programs that are not position-independent,
 * linkers always resolve an undefined weak symbol to NULL, unless all references go through the
 * global offset table.
 */
#if defined(__x86_64__) && defined(__ELF__) && !defined(__PIC__)
#define PSCAL_FIND(type, function)                                                      \
	static inline type *function##_found(void)                                      \
	{                                                                               \
		type *found;                                                            \
		__asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0" \
			: "=r"(found));                                                 \
		return found;                                                           \
	}
#else
#define PSCAL_FIND(type, function)                 \
	static inline type *function##_found(void) \
	{                                          \
		return function;                   \
	}
#endif

PSCAL_FIND(pscal_recorder, pscal_block_begin)
PSCAL_FIND(pscal_recorder, pscal_block_end)
PSCAL_FIND(pscal_recorder, pscal_block_mark)

#define PSCAL_CALL(function, name_, value)                                     \
	do {                                                                   \
		static struct pscal_block pscal_block_##name_ = {#name_, 0};   \
		pscal_recorder *pscal_found_ = function##_found();             \
		if (pscal_found_)                                              \
			pscal_found_(&pscal_block_##name_, (uint64_t)(value)); \
	} while (0)

#define PSCAL_BEGIN(name)	       PSCAL_CALL(pscal_block_begin, name, 0)
#define PSCAL_BEGIN_VALUE(name, value) PSCAL_CALL(pscal_block_begin, name, value)
#define PSCAL_END(name)		       PSCAL_CALL(pscal_block_end, name, 0)
#define PSCAL_END_VALUE(name, value)   PSCAL_CALL(pscal_block_end, name, value)
#define PSCAL_MARK(name)	       PSCAL_CALL(pscal_block_mark, name, 0)
#define PSCAL_MARK_VALUE(name, value)  PSCAL_CALL(pscal_block_mark, name, value)

#ifdef __cplusplus
}
#endif
#endif
