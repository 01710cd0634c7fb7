/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/permission.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int permission_tracefs(struct err *err, const char *place)
{
	if (errno == ENOENT && geteuid() != 0)
		return err_set(err,
			       "tracefs is not mounted: run as root, or "
			       "'sudo mount -t tracefs tracefs %s'",
			       place);
	if ((errno == EACCES || errno == EPERM) && geteuid() != 0)
		return err_set(err,
			       "%s may not be read: run as root, or 'sudo mount -o "
			       "remount,mode=0750,gid=%d %s'",
			       place, (int)getegid(), place);
	if (errno == EPERM)
		return err_set(err,
			       "%s may not be read although this is root: the kernel is locked "
			       "down, or this is a container without CAP_SYS_ADMIN; record "
			       "outside of it",
			       place);
	return err_set(err,
		       "tracefs cannot be mounted on %s: %m; the kernel needs "
		       "CONFIG_EVENT_TRACING, and a container CAP_SYS_ADMIN",
		       place);
}

/* -1 (everything) when the kernel has no such setting. */
static int paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file && fscanf(file, "%d", &level) != 1)
		level = -1;
	if (file)
		fclose(file);
	return level;
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
	if (level > -1 && geteuid() != 0)
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

/* Locked down for confidentiality, the kernel lets no program read its memory, not even of root. */
static int is_confidential(void)
{
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[64] = "";

	if (file && !fgets(line, sizeof(line), file))
		*line = '\0';
	if (file)
		fclose(file);
	return strstr(line, "[confidentiality]") != NULL;
}

int permission_bpf(struct err *err)
{
	if (is_confidential())
		return err_set(err, "the kernel is locked down for confidentiality "
				    "(/sys/kernel/security/lockdown), which forbids bpf programs");
	if (geteuid() != 0)
		return err_set(err, "bpf programs may not be loaded: CAP_BPF and CAP_PERFMON are "
				    "missing: run as root");
	return err_set(err, "bpf programs may not be loaded although this is root: CAP_BPF and "
			    "CAP_PERFMON (or CAP_SYS_ADMIN) are missing, as in a container without "
			    "--privileged, or a seccomp filter forbids bpf");
}
