/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_probe.h"

#include "base/alloc.h"
#include "base/monotonic.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Others who count have their turns of a few ms: so long we wait for ours. */
enum { TURN_NS = 50000000 };

const char *counter_access_name(enum counter_access access)
{
	static const char *const names[] = {
		[COUNTER_YES] = "yes",
		[COUNTER_USER] = "user",
		[COUNTER_DENIED] = "denied",
		[COUNTER_NO] = "no",
	};

	return names[access];
}

static int open_on_self(const struct perf_event_attr *event, int leader)
{
	struct perf_event_attr attr = *event;

	attr.size = sizeof(attr);
	attr.disabled = leader < 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Returns 0 or errno. */
static int try(const struct perf_event_attr *event)
{
	int fd = open_on_self(event, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/*
 * The kernel raises these in its own mode whatever the thread was doing: in user mode alone they
 * open, and stay 0 for ever.
 */
static bool is_of_kernel(const struct perf_event_attr *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		event->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static bool is_denial(int code)
{
	return code == EACCES || code == EPERM;
}

enum counter_access counter_probe(const struct perf_event_attr *event)
{
	struct perf_event_attr user = *event;
	int code = try(event);

	if (!code)
		return COUNTER_YES;
	if (!is_denial(code))
		return COUNTER_NO;
	user.exclude_kernel = user.exclude_hv = 1;
	code = try(&user); /* a right is asked for before the PMU is */
	if (code && !is_denial(code))
		return COUNTER_NO;
	return code || event->exclude_user || is_of_kernel(event) ? COUNTER_DENIED : COUNTER_USER;
}

bool counter_probe_hardware(void)
{
	const struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					       .config = PERF_COUNT_HW_CPU_CYCLES};

	return counter_probe(&cycles) != COUNTER_NO;
}

/* Has the group been on the hardware at all? Its times are those of its leader. */
static bool gets_a_turn(int leader)
{
	uint64_t until_ns = monotonic_ns() + TURN_NS;
	struct {
		uint64_t value, enabled_ns, running_ns;
	} got = {0};

	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	do {
		if (read(leader, &got, sizeof(got)) != sizeof(got))
			return false;
	} while (!got.running_ns && monotonic_ns() < until_ns);
	return got.running_ns;
}

enum counter_fit counter_probe_group(const struct perf_event_attr *attrs, size_t count)
{
	int *fds = xcalloc(count, sizeof(*fds));
	enum counter_fit fit = COUNTER_FITS;
	size_t opened = 0;

	while (opened < count) {
		fds[opened] = open_on_self(&attrs[opened], opened ? fds[0] : -1);
		if (fds[opened] < 0)
			break;
		opened++;
	}
	if (opened < count)
		fit = COUNTER_REFUSED;
	else if (!gets_a_turn(fds[0]))
		fit = COUNTER_STARVED;
	while (opened)
		close(fds[--opened]);
	free(fds);
	return fit;
}
