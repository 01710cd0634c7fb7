/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls the watched function as fast as it can, for so many ms, and prints its size in kB then. Its
 * recorder is killed meanwhile.
 */
#include "attack.h"

static long memory_kb(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "RssShmem: %ld", &kb) == 1)
			break;
	if (status)
		fclose(status);
	return kb;
}

int main(int count, char **words)
{
	uint64_t begin_ns = monotonic_ns();
	volatile int value = 0;

	if (count < 2)
		return 2;
	attack_begin();
	while (attack_goes_on(begin_ns, (unsigned)atoi(words[1])))
		for (int i = 0; i < 1000; i++)
			value = probed(value);
	printf("%ld\n", memory_kb());
	return 0;
}
