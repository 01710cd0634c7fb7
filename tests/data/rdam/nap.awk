# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program in which thread 101 calls `nap` 50 times: it sleeps
# for 500 us until a timer wakes it, and in each second call for 200 us more until thread 100 does.
#
#	awk -f nap.awk

function line(cpu, comm, tid, us, event)
{
	printf "%s %d [%03d] 1000.%09d: %s\n", comm, tid, cpu, us * 1000, event
}

function sleep(us, cpu, comm, tid)
{
	line(1, "prog", 101, now, "sched:sched_switch: prev_comm=prog prev_pid=101 prev_prio=120 " \
		"prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120")
	now += us
	line(cpu, comm, tid, now, "sched:sched_waking: comm=prog pid=101 prio=120 target_cpu=001")
	line(1, "swapper/1", 0, now, "sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 " \
		"prev_state=R ==> next_comm=prog next_pid=101 next_prio=120")
}

BEGIN {
	now = 100
	line(0, "swapper/0", 0, now, "sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 " \
		"prev_state=R ==> next_comm=prog next_pid=100 next_prio=120")
	line(1, "swapper/1", 0, now, "sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 " \
		"prev_state=R ==> next_comm=prog next_pid=101 next_prio=120")
	for (round = 0; round < 50; round++) {
		now += 5
		line(1, "prog", 101, now, "pscal:enter: block=nap args=")
		now += 1
		sleep(500, 1, "swapper/1", 0)
		if (round % 2)
			sleep(200, 0, "prog", 100)
		now += 1
		line(1, "prog", 101, now, "pscal:leave: block=nap args=")
	}
}
