/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/permission.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/proc_stat.h"
#include "collect/kernel/tracefs.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Levels of kernel.perf_event_paranoid at which ordinary users may no longer ... */
enum {
	PARANOID_TRACEPOINTS = 0, /* use tracepoints */
	PARANOID_KERNEL = 2,	  /* count what the kernel does for them */
	PARANOID_ALL = 3,	  /* use anything, on the kernels that know this level (Debian) */
};

/* Returns the level; -1 (everything is allowed): the kernel has no such setting. */
static int paranoid(void)
{
	int level;

	return proc_scan("/proc/sys/kernel/perf_event_paranoid", "%d", &level) ? level : -1;
}

int permission_perf_event(struct err *err, const char *event)
{
	int code = errno;
	int level = paranoid();

	errno = code;
	if (code == ENOSYS)
		return err_set(err, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	if (code == EMFILE)
		return err_set(err, "too many open files for one event per CPU: raise the hard "
				    "limit with 'ulimit -Hn' or in limits.conf");
	if (code == ENOMEM)
		return err_set(err, "no memory for the ring buffers: run as root, or raise "
				    "kernel.perf_event_mlock_kb with sysctl");
	if (code != EACCES && code != EPERM)
		return err_set(err, "%s: the kernel refuses the event: %m", event);
	if (level >= PARANOID_TRACEPOINTS && geteuid() != 0)
		return err_set(err,
			       "%s: kernel.perf_event_paranoid is %d and CAP_PERFMON is missing: "
			       "run as root, or 'sudo sysctl kernel.perf_event_paranoid=-1'",
			       event, level);
	return err_set(err,
		       "%s: the kernel refuses the event: CAP_PERFMON (or CAP_SYS_ADMIN) is "
		       "missing, as in a container without --privileged, or a seccomp filter "
		       "forbids perf_event_open",
		       event);
}

/* Returns whether the kernel is locked down: then no program reads its memory, not even root's. */
static int is_confidential(void)
{
	int code = errno;
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[64] = "";

	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	if (file)
		fclose(file);
	errno = code;
	return strstr(line, "[confidentiality]") != NULL;
}

int permission_bpf(struct err *err, const char *reason)
{
	if (is_confidential())
		return err_set(err, "the kernel is locked down for confidentiality "
				    "(/sys/kernel/security/lockdown), which forbids bpf programs: "
				    "take --collector auto");
	if (reason)
		return err_set(err, "this kernel does not take the bpf programs: %s", reason);
	if (errno != EACCES && errno != EPERM)
		return err_set(err, "this kernel does not take the bpf programs: %m");
	if (geteuid() != 0)
		return err_set(err, "bpf programs may not be loaded: CAP_BPF and CAP_PERFMON are "
				    "missing: run as root");
	return err_set(err, "bpf programs may not be loaded although this is root: CAP_BPF and "
			    "CAP_PERFMON (or CAP_SYS_ADMIN) are missing, as in a container without "
			    "--privileged, or a seccomp filter forbids bpf");
}

/* --- A user's own processes ------------------------------------------------------------------ */

int permission_try_event(const struct perf_event_attr *wanted, pid_t tid, int cpu)
{
	struct perf_event_attr attr = *wanted;
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Returns whether the least event is allowed: one that counts nothing, on this process. */
static bool may_watch_itself(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return permission_try_event(&attr, 0, -1) == 0;
}

/* Returns whether a filter checks system calls, as in a container. */
static bool is_filtered(void)
{
	int mode;

	return proc_scan("/proc/self/status", "Seccomp: %d", &mode) &&
	       mode == 2; /* SECCOMP_MODE_FILTER */
}

/* Explains EACCES or EPERM that is not due to the limit of memory. */
static int explain_refusal(struct err *err, const char *event, const struct perf_event_attr *attr,
			   pid_t tid)
{
	int level = paranoid();

	if (may_watch_itself() && !attr->exclude_kernel && level >= PARANOID_KERNEL)
		return err_set(err,
			       "%s: at kernel.perf_event_paranoid %d users may not observe the "
			       "kernel's work for them: run as root, or 'sudo sysctl "
			       "kernel.perf_event_paranoid=%d'",
			       event, level, PARANOID_KERNEL - 1);
	if (may_watch_itself())
		return err_set(err,
			       "thread %d may not be watched: it belongs to another user, or to a "
			       "program that is protected because it is setuid or cannot be read: "
			       "run as root",
			       (int)tid);
	if (level >= PARANOID_ALL && geteuid() != 0)
		return err_set(err,
			       "kernel.perf_event_paranoid is %d, so that users may not even watch "
			       "their own processes: run as root, or 'sudo sysctl "
			       "kernel.perf_event_paranoid=%d'",
			       level, PARANOID_ALL - 1);
	if (is_filtered())
		return err_set(err,
			       "a seccomp filter, as that of a container, forbids perf_event_open: "
			       "start the container with --cap-add PERFMON or --security-opt "
			       "seccomp=unconfined, or record outside of it");
	return err_set(err,
		       "%s: the kernel refuses the event: a security module forbids "
		       "perf_event_open, ask the administrator of this machine",
		       event);
}

int permission_task_event(struct err *err, const char *event, const struct perf_event_attr *attr,
			  pid_t tid)
{
	if (errno == EACCES || errno == EPERM)
		return explain_refusal(err, event, attr, tid);
	if (errno == ENOSYS || errno == EMFILE || errno == ENOMEM)
		return permission_perf_event(err, event);
	return err_set(err, "%s: the kernel refuses the event on thread %d: %m", event, (int)tid);
}

/* --- Missing rights -------------------------------------------------------------------------- */

/* Returns whether the user lacks the right to tracepoints on a CPU. */
static bool lacks_tracepoints(const char *tracefs)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	struct err ignored;
	uint64_t id;
	int code;

	if (!tracefs || tracefs_event_id(&id, tracefs, "sched:sched_switch", &ignored))
		return true;
	attr.config = id;
	code = permission_try_event(&attr, -1, sched_getcpu());
	return code == EACCES || code == EPERM;
}

/* Returns the path of this program, for setcap(8). */
static void own_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length < 0)
		length = 0;
	path[length] = '\0';
}

/* Returns the settings that have to be changed for a user without rights. */
static char *settings(const char *tracefs)
{
	bool paranoia = paranoid() >= PARANOID_TRACEPOINTS;
	char *mount = tracefs ? xstrdup("")
			      : xasprintf("'sudo mount -o remount,mode=0750,gid=%d "
					  "/sys/kernel/tracing'",
					  (int)getegid());
	char *both =
		xasprintf("%s%s%s", paranoia ? "'sudo sysctl kernel.perf_event_paranoid=-1'" : "",
			  paranoia && *mount ? " and " : "", mount);

	free(mount);
	return both;
}

char *permission_remedy(const char *tracefs)
{
	char path[4096];
	char *changes, *remedy;

	if (!lacks_tracepoints(tracefs))
		return NULL;
	changes = settings(tracefs);
	own_path(path, sizeof(path));
	remedy = xasprintf("Record %s, or say once 'sudo setcap "
			   "cap_perfmon,cap_bpf,cap_dac_read_search+ep %s'%s%s.",
			   geteuid() == 0 ? "outside of this container, or in a --privileged one"
					  : "as root",
			   path, *changes ? ", or " : "", changes);
	free(changes);
	return remedy;
}

char *permission_reduced_view(const char *tracefs)
{
	static const char lack[] =
		"Wakeups were not recorded: how long threads wait for a CPU after one is unknown.";
	char *remedy = permission_remedy(tracefs);
	char *view = xasprintf("%s %s", lack, remedy ? remedy : "Another collector records them.");

	free(remedy);
	return view;
}

/* --- Present rights --------------------------------------------------------------------------- */

/* The capabilities, see capabilities(7), that one of the system calls of a recorder needs. */
static const struct {
	const char *name;
	unsigned bit;
} capabilities[] = {
	{"perfmon", 38}, {"bpf", 39}, {"dac_read_search", 2}, {"sys_ptrace", 19}, {"sys_admin", 21},
};

char *permission_describe(void)
{
	unsigned long long effective = 0;
	char *text = NULL, *whole;

	proc_scan("/proc/self/status", "CapEff: %llx", &effective);
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (effective >> capabilities[i].bit & 1)
			xappend(&text, ", ", "%s", capabilities[i].name);
	whole = xasprintf("%s, kernel.perf_event_paranoid %d, capabilities: %s%s%s",
			  geteuid() == 0 ? "root" : "an ordinary user", paranoid(),
			  text ? text : "none of use", is_filtered() ? "; a seccomp filter" : "",
			  is_confidential() ? "; locked down for confidentiality" : "");
	free(text);
	return whole;
}
