/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ignores each signal that asks it to end. */
#include "attack.h"

int main(void)
{
	attack_begin();
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	for (int i = 0; i < ATTACK_MS / 100; i++)
		usleep(100000);
	return 0;
}
