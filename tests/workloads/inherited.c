/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State that a process inherits from its parent.
 *
 *	inherited print			prints it
 *	inherited strange COMMAND...	becomes the command, which inherits unusual state
 *	inherited waits			takes what a terminal sends, and prints that
 *	inherited pty COMMAND...	runs the command at a terminal, where somebody types "word",
 *					Ctrl-\ and Ctrl-C as soon as it has said "ready"
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- Output -------------------------------------------------------------------------------- */

/* Prints the lines of a file of /proc/self that have these beginnings. */
static void print_lines(const char *path, const char *const *begins)
{
	FILE *file = fopen(path, "re");
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		for (const char *const *begin = begins; *begin; begin++)
			if (strncmp(line, *begin, strlen(*begin)) == 0)
				printf("%s", line);
	if (file)
		fclose(file);
}

/* Without signals 32 and 33, which the C library reserves: it resets them with threads. */
static void print_ignored(void)
{
	const unsigned long long own = 3ULL << 31;
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long ignored;
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigIgn: %llx", &ignored) == 1)
			printf("SigIgn: %016llx\n", ignored & ~own);
	if (file)
		fclose(file);
}

static void print_status(void)
{
	static const char *const begins[] = {
		"Name:",    "Umask:",	   "Uid:",	 "Gid:",	  "Groups:",
		"Threads:", "SigPnd:",	   "ShdPnd:",	 "SigBlk:",	  "SigCgt:",
		"Cap",	    "NoNewPrivs:", "Seccomp",	 "Cpus_allowed:", "Mems_allowed:",
		"VmLck:",   "VmPin:",	   "TracerPid:", "CoreDumping:",  "THP_enabled:",
		NULL};

	print_lines("/proc/self/status", begins);
	print_ignored();
}

static void print_numbers_of(const char *path)
{
	static const char *const all[] = {"", NULL};

	printf("%s: ", path);
	print_lines(path, all);
}

static void print_limits(void)
{
	for (int i = 0; i < RLIMIT_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			printf("limit %d %llx %llx\n", i, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	}
}

static void print_timers(void)
{
	for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++) {
		struct itimerval timer;

		getitimer((enum __itimer_which)i, &timer);
		printf("timer %d %s, every %ld s\n", i,
		       timer.it_value.tv_sec + timer.it_value.tv_usec ? "runs" : "stands",
		       (long)timer.it_interval.tv_sec);
	}
}

static void print_options(void)
{
	static const struct {
		const char *name;
		int option;
		int by_address;
	} options[] = {
		{"dumpable", PR_GET_DUMPABLE, 0},	{"keepcaps", PR_GET_KEEPCAPS, 0},
		{"securebits", PR_GET_SECUREBITS, 0},	{"timerslack", PR_GET_TIMERSLACK, 0},
		{"pdeathsig", PR_GET_PDEATHSIG, 1},	{"subreaper", PR_GET_CHILD_SUBREAPER, 1},
		{"thp_disable", PR_GET_THP_DISABLE, 0}, {"mce_kill", PR_MCE_KILL_GET, 0},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		int value = 0, got = options[i].by_address ? prctl(options[i].option, &value)
							   : prctl(options[i].option, 0, 0, 0, 0);

		printf("%s %d\n", options[i].name, options[i].by_address ? value : got);
	}
	printf("personality %x\n", (unsigned)personality(0xffffffff));
	printf("nice %d, policy %d, io %ld\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
	       syscall(SYS_ioprio_get, 1, 0));
}

/* For each number its type, its flags, and its path if it has one. */
static void print_files(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[64], to[256] = "";
		struct stat file;

		if (fstat(fd, &file))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, to, sizeof(to) - 1) < 0 || *to != '/')
			*to = '\0';
		printf("file %d %o %x %x %s\n", fd, (unsigned)(file.st_mode & S_IFMT),
		       (unsigned)fcntl(fd, F_GETFL), (unsigned)fcntl(fd, F_GETFD), to);
	}
}

static void print_place(void)
{
	static const char *const spaces[] = {"pid", "mnt", "net", "ipc", "uts", "user", "cgroup"};
	char path[64], cwd[4096], to[256];
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	printf("in %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : strerror(errno));
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", spaces[i]);
		memset(to, 0, sizeof(to));
		printf("%s\n", readlink(path, to, sizeof(to) - 1) < 0 ? "?" : to);
	}
	print_numbers_of("/proc/self/cgroup");
	printf("session %s, group %s\n", getsid(0) == getsid(getppid()) ? "shared" : "own",
	       getpgrp() == getpgid(getppid()) ? "shared" : "own");
	if (terminal >= 0)
		printf("terminal, %s\n",
		       tcgetpgrp(terminal) == getpgrp() ? "foreground" : "background");
	if (terminal >= 0)
		close(terminal);
}

/* Prints the number of mappings that can be both written and executed; there must be none. */
static void print_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int both = 0;

	while (maps && fgets(line, sizeof(line), maps))
		both += strstr(line, " rwx") || strstr(line, " -wx");
	if (maps)
		fclose(maps);
	printf("%d mappings can be written and executed\n", both);
}

/* Shows any child that this process has not started, such as one of the recorder. */
static void print_children(void)
{
	int got = waitpid(-1, NULL, WNOHANG);

	printf("children: %s\n", got < 0 ? strerror(errno) : "some");
}

static int print(int count, char **words)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (int i = 0; i < count; i++)
		printf("word %d %s\n", i, words[i]);
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "_=", 2) != 0)
			printf("env %s\n", *variable);
	print_status();
	print_numbers_of("/proc/self/oom_score_adj");
	print_numbers_of("/proc/self/coredump_filter");
	print_limits();
	print_timers();
	print_options();
	print_files();
	print_place();
	print_code();
	print_children();
	return 21;
}

/* --- Unusual state ------------------------------------------------------------------------- */

static void limit(int resource, rlim_t most)
{
	struct rlimit limit;

	getrlimit((__rlimit_resource_t)resource, &limit);
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	setrlimit((__rlimit_resource_t)resource, &limit);
}

static void put_number(const char *path, const char *number)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, number, strlen(number)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

/* Ignores signals that no process sends; blocks one that is pending. */
static void set_signals(void)
{
	static const int ignored[] = {SIGCHLD, SIGHUP, SIGPIPE, SIGUSR2, SIGTTOU,
				      SIGXFSZ, SIGURG, SIGQUIT, SIGALRM};
	sigset_t blocked;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGTSTP);
	sigaddset(&blocked, SIGVTALRM);
	sigaddset(&blocked, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
}

static int strange(char **command)
{
	static const struct itimerval later[] = {
		{{7, 0}, {900, 0}}, {{8, 0}, {900, 0}}, {{0, 0}, {900, 0}}};

	if (!command[0])
		return 2;
	set_signals();
	limit(RLIMIT_NOFILE, 700);
	limit(RLIMIT_CORE, 12345);
	limit(RLIMIT_STACK, 16 << 20);
	limit(RLIMIT_CPU, 500);
	limit(RLIMIT_MSGQUEUE, 4096);
	for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++)
		setitimer((enum __itimer_which)i, &later[i], NULL);
	put_number("/proc/self/oom_score_adj", "77");
	put_number("/proc/self/coredump_filter", "0x23");
	umask(0125);
	if (setpriority(PRIO_PROCESS, 0, 3))
		perror("nice");
	prctl(PR_SET_TIMERSLACK, 70001, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGWINCH);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	personality(ADDR_NO_RANDOMIZE);
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6);
	dup2(0, 7);
	dup2(1, 511);
	dup3(1, 8, O_CLOEXEC);
	setenv("EMPTY", "", 1);
	execvp(command[0], command);
	perror(command[0]);
	return 127;
}

/* --- At a terminal ------------------------------------------------------------------------- */

static volatile sig_atomic_t quits, interrupts;

static void take(int number)
{
	if (number == SIGQUIT)
		quits = quits + 1;
	else
		interrupts = interrupts + 1;
}

/* Waits for blocked signals, none of which comes before this. */
static void wait_for(const volatile sig_atomic_t *count, const sigset_t *before, const char *name)
{
	printf("ready\n");
	fflush(stdout);
	while (!*count)
		sigsuspend(before);
	printf("%d %s\n", (int)*count, name);
}

static int waits(void)
{
	char line[64] = "";
	sigset_t both, before;

	sigemptyset(&both);
	sigaddset(&both, SIGQUIT);
	sigaddset(&both, SIGINT);
	sigprocmask(SIG_BLOCK, &both, &before);
	signal(SIGINT, take);
	signal(SIGQUIT, take);
	print_place();
	printf("ready\n");
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin))
		printf("read %s", line);
	wait_for(&quits, &before, "quit");
	wait_for(&interrupts, &before, "interrupted");
	return 22;
}

static void type(int terminal, int *typed)
{
	static const char *const keys[] = {"word\n", "\034", "\003"};

	if (*typed < 3 && write(terminal, keys[*typed], strlen(keys[*typed])) < 0)
		perror("pty");
	++*typed;
}

/*
 * Runs the command at this terminal, prints its status, and waits for the end of the terminal. When
 * the leader of a session ends, the kernel may drop what the terminal has not shown yet.
 */
static void lead(char **command)
{
	void (*interrupted)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
	pid_t child = fork();
	char rest[64];
	int status;

	if (child == 0) {
		signal(SIGINT, interrupted);
		signal(SIGQUIT, quit);
		execvp(command[0], command);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		_exit(1);
	printf("\n\001status %d\n",
	       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	fflush(stdout);
	while (read(STDIN_FILENO, rest, sizeof(rest)) > 0)
		continue;
	_exit(0);
}

static int pty(char **command)
{
	int terminal, status = 1, typed = 0;
	pid_t child = forkpty(&terminal, NULL, NULL, NULL);
	char line[4096];
	FILE *said;

	if (child == 0)
		lead(command);
	said = child > 0 ? fdopen(terminal, "r") : NULL;
	while (said && fgets(line, sizeof(line), said) &&
	       sscanf(line, "\001status %d", &status) != 1) {
		printf("%s", line);
		if (strncmp(line, "ready", 5) == 0)
			type(terminal, &typed);
	}
	if (said)
		fclose(said);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return 1;
	return status;
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";

	if (strcmp(what, "print") == 0)
		return print(count, words);
	if (strcmp(what, "strange") == 0)
		return strange(words + 2);
	if (strcmp(what, "waits") == 0)
		return waits();
	if (strcmp(what, "pty") == 0 && count > 2)
		return pty(words + 2);
	return 2;
}
