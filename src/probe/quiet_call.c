/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/quiet_call.h"

#if defined(__x86_64__)

#include "probe/raw_call.h"

#include <cpuid.h>
#include <sys/mman.h>

enum { FXSAVE_BYTES = 512 };

/* How much XSAVE writes with all that the system has switched on; 0: there is no XSAVE. */
static unsigned xsave_bytes(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	return __get_cpuid_count(0xd, 0, &a, &b, &c, &d) ? b : 0;
}

void quiet_call(void (*function)(void))
{
	unsigned bytes = xsave_bytes(), size = bytes ? bytes : FXSAVE_BYTES;
	long area = raw_call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);

	if (raw_call_failed(area))
		return;
	if (bytes)
		__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
	function();
	if (bytes)
		__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
	raw_call(SYS_munmap, area, size, 0, 0, 0, 0);
}

#else

/* Where no entries are patched, compilers save what they need. */
void quiet_call(void (*function)(void))
{
	function();
}

#endif
