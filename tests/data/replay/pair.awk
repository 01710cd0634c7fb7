# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, two threads that compute for 300 ms on two cores; t1 waits for
# the end of t2.
function put(time, comm, cpu, what) { printf "%s 1/%d [%03d] %.9f: sched:%s\n", comm, substr(comm, 2), cpu, 100 + time, what }
function go(time, from, state, to, cpu) {
	put(time, from, cpu, "sched_switch: prev_comm=" from " prev_pid=" substr(from, 2) " prev_prio=120 prev_state=" state " ==> next_comm=" to " next_pid=" substr(to, 2) " next_prio=120")
}
BEGIN {
	put(0, "t1", 0, "sched_process_fork: comm=t1 pid=1 child_comm=t2 child_pid=2")
	go(0, "s0", "R", "t2", 1)
	go(.29, "t1", "S", "s0", 0)
	put(.3, "t2", 1, "sched_waking: comm=t1 pid=1 prio=120 target_cpu=000")
	go(.3, "t2", "X", "s0", 1)
	go(.3, "s0", "R", "t1", 0)
	go(.305, "t1", "X", "s0", 0)
}
