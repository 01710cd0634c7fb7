/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hands over events to a recorder, without being part of its target. As the command itself, without
 * arguments, it only waits.
 *
 *	stranger environment PID	as the user of process PID, in whose environment it
 *					finds the recorder
 *	stranger network DIRECTORY	as a third user, if the kernel lists a recorder in DIRECTORY
 */
#include "attack.h"

enum { EVENTS = 40, MS = 800, STRANGE_UID = 65533 };

static void find_in_environment(const char *pid)
{
	static char text[1 << 16]; /* remains in use by the own environment */
	char path[64], *at = text;
	FILE *environment;

	snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	environment = fopen(path, "re");
	if (!environment)
		exit(74);
	text[fread(text, 1, sizeof(text) - 2, environment)] = '\0';
	fclose(environment);
	while (*at && strncmp(at, SPOOL_ENVIRONMENT "=", strlen(SPOOL_ENVIRONMENT) + 1))
		at += strlen(at) + 1;
	putenv(at);
}

/* Only looks for this recorder in the kernel's list, so as not to disturb other ones. */
static void find_in_network(const char *directory)
{
	FILE *sockets = fopen("/proc/net/unix", "re");
	char line[512];

	while (sockets && fgets(line, sizeof(line), sockets))
		if (strstr(line, directory))
			setenv(SPOOL_ENVIRONMENT, directory, 1);
	if (sockets)
		fclose(sockets);
}

int main(int count, char **words)
{
	struct spool_header *header;

	if (count < 3) {
		attack_begin();
		usleep(MS * 1000);
		return 0;
	}
	attack_become(*words[1] == 'e' ? ATTACK_UID : STRANGE_UID);
	if (*words[1] == 'e')
		find_in_environment(words[2]);
	else
		find_in_network(words[2]);
	if (!getenv(SPOOL_ENVIRONMENT))
		return 0;
	attack_say(1, "n4096 STRANGER\n");
	header = attack_thread(NULL, getpid(), 1, 1);
	for (uint64_t i = 0; i < EVENTS; i++)
		attack_window(header, 0)[i] = (struct spool_record){
			monotonic_ns(), spool_word(i % 2 ? SPOOL_LEAVE : SPOOL_ENTER, 0x1000, 0)};
	attack_turn(header, 1);
	usleep(MS * 1000);
	return 0;
}
