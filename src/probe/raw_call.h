/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls without the C library: its functions may be watched, its errno belongs to the
 * program, and it uses registers that hold arguments of the interrupted function.
 */
#ifndef PSCAL_PROBE_RAW_CALL_H
#define PSCAL_PROBE_RAW_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * Makes a system call. Returns the kernel's result: -errno on failure. Extra arguments are ignored.
 */
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "the probe library has no system calls for this machine: pscal builds for x86-64 and arm64"
#endif
}

/* Returns whether a result of raw_call() is an error. */
static inline bool raw_call_failed(long result)
{
	return result < 0 && result >= -4095;
}

#endif
