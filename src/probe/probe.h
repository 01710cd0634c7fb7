/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pscal/probe.h: marks blocks of code in a program of your own, for `pscal record --probe`.
 *
 *	#include <pscal/probe.h>
 *
 *	PSCAL_BEGIN(insert);
 *	...
 *	PSCAL_END(insert);
 *
 * Nothing has to be linked: where the program does not run under the recorder, each of them is a
 * load and a branch that is not taken. Works in C from C99 on and in C++. Blocks nest; the one that
 * was begun last is ended first. A thread may end only what it has begun itself.
 */
#ifndef PSCAL_PROBE_H
#define PSCAL_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A block: its address stands for it, its name is for people. */
struct pscal_block {
	const char *name;
	uint32_t known; /* for the probe library */
};

/*
 * What the probe library defines, and else nobody: `value` is recorded beside the moment, where
 * arguments are.
 */
extern void pscal_block_begin(struct pscal_block *block, uint64_t value) __attribute__((weak));
extern void pscal_block_end(struct pscal_block *block, uint64_t value) __attribute__((weak));
extern void pscal_block_mark(struct pscal_block *block, uint64_t value) __attribute__((weak));

#define PSCAL_CALL(function, name_, value)                                   \
	do {                                                                 \
		static struct pscal_block pscal_block_##name_ = {#name_, 0}; \
		if (function)                                                \
			function(&pscal_block_##name_, (uint64_t)(value));   \
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
