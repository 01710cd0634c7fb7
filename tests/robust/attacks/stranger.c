/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hands over events to a recorder whose target it is none of: the argument is the process that knows
 * where that is. As the command itself it only waits.
 */
#include "attack.h"

enum { EVENTS = 40, MS = 800 };

int main(int count, char **words)
{
	char path[64], text[4096], *at = text;
	struct spool_header *header;
	FILE *environment;

	if (count < 2) {
		attack_begin();
		usleep(MS * 1000);
		return 0;
	}
	attack_become(ATTACK_UID);
	snprintf(path, sizeof(path), "/proc/%d/environ", atoi(words[1]));
	environment = fopen(path, "re");
	if (!environment)
		return 74;
	text[fread(text, 1, sizeof(text) - 1, environment)] = '\0';
	while (*at && strncmp(at, SPOOL_ENVIRONMENT "=", strlen(SPOOL_ENVIRONMENT) + 1))
		at += strlen(at) + 1;
	putenv(at);
	attack_say(1, "n4096 STRANGER\n");
	header = attack_thread(NULL, getpid(), 1, 1);
	for (uint64_t i = 0; i < EVENTS; i++)
		attack_window(header, 0)[i] = (struct spool_record){
			monotonic_ns(), spool_word(i % 2 ? SPOOL_LEAVE : SPOOL_ENTER, 0x1000, 0)};
	attack_turn(header, 1);
	usleep(MS * 1000);
	return 0;
}
