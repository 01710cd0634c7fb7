/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks its own blocks. Compiled in several ways. */
#include "probe/probe.h"

#include <stdio.h>

int main(void)
{
	unsigned i;

	for (i = 0; i < 1000; i++) {
		PSCAL_BEGIN(outer);
		PSCAL_BEGIN_VALUE(inner, i);
		PSCAL_MARK(here);
		PSCAL_MARK_VALUE(there, i);
		PSCAL_END_VALUE(inner, i);
		PSCAL_END(outer);
	}
	printf("%u\n", i);
	return 0;
}
