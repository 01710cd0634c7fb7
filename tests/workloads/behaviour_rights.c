/* SPDX-License-Identifier: GPL-3.0-or-later */
/* behaviour_rights [NAME]: signals, rights, limits and files, see behaviour.h. */
#include "behaviour.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

/* --- Signals ------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t count;

static void jump(int number)
{
	siglongjmp(back, number);
}

static void count_it(int number)
{
	(void)number;
	count = count + (int)behaviour_touch(0);
}

static int jumps_out_of_handlers(void)
{
	signal(SIGSEGV, jump);
	signal(SIGUSR1, jump);
	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(back, 1) == 0)
			raise(SIGSEGV);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR1);
	return run_threads(2);
}

static int survives_an_overflow(void)
{
	stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK};

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		deep(1);
	printf("on\n");
	return 0;
}

static int has_timers(void)
{
	struct itimerval often = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};

	signal(SIGALRM, count_it);
	signal(SIGPROF, count_it);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	while (count < 10)
		behaviour_touch(0);
	setitimer(ITIMER_REAL, &none, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	return run_threads(2);
}

static int is_interrupted(void)
{
	struct timespec long_time = {20, 0};
	struct itimerval often = {{0, 5000}, {0, 5000}};

	signal(SIGALRM, count_it);
	setitimer(ITIMER_REAL, &often, NULL);
	tell(nanosleep(&long_time, NULL));
	return 0;
}

/* Sends signals, and a byte after the last one of some, as a reader would wait for ever. */
static void send_signals(int to, int until_byte)
{
	for (int i = 0; i != until_byte; i++) {
		kill(getppid(), SIGUSR1);
		usleep(2000);
	}
	_exit(write(to, "", 1) != 1);
}

/* True if a call that a handler has interrupted is restarted. */
static int restarts_calls(void)
{
	for (int restart = 0; restart < 2; restart++) {
		struct sigaction action = {.sa_handler = count_it,
					   .sa_flags = restart ? SA_RESTART : 0};
		int ends[2];
		char byte;
		pid_t child;

		MUST(!pipe(ends) && !sigaction(SIGUSR1, &action, NULL));
		child = fork();
		if (child == 0)
			send_signals(ends[1], restart ? 10 : -1);
		tell(read(ends[0], &byte, 1));
		kill(child, SIGKILL);
		end_of(child);
	}
	return 0;
}

static int queues_signals(void)
{
	union sigval value;
	sigset_t set;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (value.sival_int = 0; value.sival_int < 4; value.sival_int++)
		sigqueue(getpid(), SIGRTMIN, value);
	for (int i = 0; i < 4; i++)
		printf("%d ", sigwaitinfo(&set, &info) == SIGRTMIN ? info.si_int : -1);
	return 0;
}

static int reads_signals(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fork() == 0)
		_exit(0);
	MUST(read(fd, &info, sizeof(info)) == sizeof(info));
	printf("%s\n", strsignal((int)info.ssi_signo));
	return run_threads(2);
}

static int writes_to_nobody(void)
{
	int ends[2];

	MUST(!pipe(ends) && !close(ends[0]));
	signal(SIGPIPE, SIG_IGN);
	tell(write(ends[1], "x", 1));
	fflush(stdout);
	signal(SIGPIPE, SIG_DFL);
	return (int)write(ends[1], "x", 1);
}

static ucontext_t here, there;

static void coroutine(void)
{
	printf("there\n");
	swapcontext(&there, &here);
	printf("there again\n");
}

static int changes_stacks(void)
{
	static char stack[65536];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	printf("here\n");
	swapcontext(&here, &there);
	return 0;
}

/* --- Rights -------------------------------------------------------------------------------- */

/* Allows these two system calls; `else_` is the action for all other ones. */
static int confine(long first, long second, unsigned else_)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, else_),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int may_write_alone(void)
{
	run_threads(1);
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	for (int i = 0; i < 1000; i++)
		behaviour_touch(i);
	MUST(write(1, "strict\n", 7) == 7);
	syscall(SYS_exit, 14);
	return 0;
}

static int is_killed_for_another_call(void)
{
	run_threads(1);
	MUST(!confine(SYS_write, SYS_exit_group, SECCOMP_RET_KILL_PROCESS));
	for (int i = 0; i < 1000; i++)
		behaviour_touch(i);
	MUST(write(1, "confined\n", 9) == 9);
	_exit(15);
}

static int is_told_of_another_call(void)
{
	signal(SIGSYS, jump);
	MUST(!confine(SYS_write, SYS_rt_sigprocmask, SECCOMP_RET_TRAP));
	if (sigsetjmp(back, 0) == 0)
		getppid();
	MUST(write(1, "trapped\n", 8) == 8);
	raise(SIGKILL);
	return 0;
}

static int changes_its_root(void)
{
	mkdir("root", 0755);
	if (chroot("root"))
		return printf("may not\n");
	MUST(!chdir("/"));
	return run_threads(3) + (open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? 10 : 0);
}

static int gives_its_rights_up(void)
{
	int fd;

	if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return printf("may not\n");
	run_threads(3);
	fd = open("of-another-user", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	printf("%d %d %s\n", getuid(), geteuid(), fd < 0 ? strerror(errno) : "made");
	return setuid(0) ? 16 : 98;
}

static int hides_its_memory(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	run_threads(3);
	printf("%d\n", prctl(PR_GET_DUMPABLE));
	raise(SIGQUIT);
	return 98;
}

/* --- Limits -------------------------------------------------------------------------------- */

static int may_write_no_file(void)
{
	limit(RLIMIT_FSIZE, 0);
	return 18 + run_threads(3);
}

static int is_told_that_a_file_is_too_large(void)
{
	int fd = open("large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	limit(RLIMIT_FSIZE, 1000);
	MUST(write(fd, "x", 1) == 1 && run_threads(3) == 3);
	MUST(lseek(fd, 5000, SEEK_SET) == 5000);
	return (int)write(fd, "x", 1);
}

static int may_open_no_file(void)
{
	limit(RLIMIT_NOFILE, 3);
	printf("%d\n", run_threads(3));
	tell(open("/dev/null", O_RDONLY | O_CLOEXEC));
	return 0;
}

static int may_have_no_process(void)
{
	limit(RLIMIT_NPROC, 0);
	if (setresuid(65534, 65534, 65534))
		return printf("may not\n");
	printf("%d threads\n", run_threads(3));
	return 0;
}

static int has_little_memory(void)
{
	limit(RLIMIT_AS, 512 << 20);
	printf("%d threads, %s\n", run_threads(8), malloc(600 << 20) ? "large" : strerror(errno));
	return 0;
}

static int locks_its_memory(void)
{
	mlockall(MCL_CURRENT | MCL_FUTURE);
	return run_threads(3);
}

/* --- Files --------------------------------------------------------------------------------- */

static int closes_all_files(void)
{
	int fd;

	MUST(!close_range(3, ~0U, 0));
	run_threads(3);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	printf("%d\n", fd);
	close_range(0, ~0U, 0);
	run_threads(3);
	return open("/dev/null", O_RDONLY | O_CLOEXEC) == 0 ? 19 : 98;
}

static int has_a_directory_that_is_gone(void)
{
	char path[4096];

	MUST(!mkdir("gone", 0700) && !chdir("gone") && !rmdir("../gone"));
	printf("%s\n", getcwd(path, sizeof(path)) ? path : strerror(errno));
	return run_threads(3);
}

static int sees_its_own_files_alone(void)
{
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char bytes[4096];
	DIR *directory;
	int entries = 0;

	MUST(inotify_add_watch(watch, ".", IN_CREATE | IN_DELETE | IN_MODIFY) >= 0);
	run_threads(3);
	printf("%zd\n", read(watch, bytes, sizeof(bytes)));
	directory = opendir("/proc/self/fd");
	while (directory && readdir(directory))
		entries++;
	printf("%d entries\n", entries);
	return 0;
}

static int makes_files_as_it_says(void)
{
	struct stat file;

	umask(0027);
	run_threads(2);
	MUST(!stat(".", &file));
	close(open("made", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	MUST(!stat("made", &file));
	printf("%o %ld\n", file.st_mode, (long)file.st_size);
	return 0;
}

static int has_no_room(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	run_threads(2);
	tell(write(fd, "x", 1));
	return 0;
}

static int reads_its_input(void)
{
	int sum = 0, byte;

	run_threads(2);
	while ((byte = getchar()) != EOF)
		sum = (sum * 31 + byte) % 65521;
	printf("%d\n", sum);
	return 0;
}

static int waits_for_events(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], all = epoll_create1(EPOLL_CLOEXEC);

	MUST(!pipe(ends) && !epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event));
	printf("%d ", epoll_wait(all, &event, 1, 5));
	MUST(write(ends[1], "x", 1) == 1);
	printf("%d\n", epoll_wait(all, &event, 1, -1));
	return 0;
}

static int loads_a_library(void)
{
	void *handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	double (*root)(double) = NULL;

	MUST(handle);
	*(void **)&root = dlsym(handle, "cbrt");
	printf("%.3f\n", root ? root(27) : 0);
	return dlclose(handle);
}

static int has_no_code_to_write(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int both = 0;

	while (maps && fgets(line, sizeof(line), maps))
		both += strstr(line, " rwx") != NULL;
	return both;
}

static int names_itself(void)
{
	char name[64] = "";

	prctl(PR_SET_NAME, "other name");
	run_threads(2);
	prctl(PR_GET_NAME, name);
	printf("%s\n", name);
	return 0;
}

static const struct behaviour cases[] = {
	CASE(jumps_out_of_handlers),
	CASE(survives_an_overflow),
	CASE(has_timers),
	CASE(is_interrupted),
	CASE(restarts_calls),
	CASE(queues_signals),
	CASE(reads_signals),
	CASE(writes_to_nobody),
	CASE(changes_stacks),
	CASE(may_write_alone),
	CASE(is_killed_for_another_call),
	CASE(is_told_of_another_call),
	CASE(changes_its_root),
	CASE(gives_its_rights_up),
	CASE(hides_its_memory),
	CASE(may_write_no_file),
	CASE(is_told_that_a_file_is_too_large),
	CASE(may_open_no_file),
	CASE(may_have_no_process),
	CASE(has_little_memory),
	CASE(locks_its_memory),
	CASE(closes_all_files),
	CASE(has_a_directory_that_is_gone),
	CASE(sees_its_own_files_alone),
	CASE(makes_files_as_it_says),
	CASE(has_no_room),
	CASE(reads_its_input),
	CASE(waits_for_events),
	CASE(loads_a_library),
	CASE(has_no_code_to_write),
	CASE(names_itself),
	{NULL, NULL},
};

int main(int words, char **word)
{
	return behaviour_main(cases, words, word);
}
