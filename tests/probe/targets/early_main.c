/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

unsigned long early_calls(void);

int main(void)
{
	printf("%lu\n", early_calls());
	return 0;
}
