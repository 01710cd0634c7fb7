# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, three threads on one core that pass a token to each other 120
# times, each to the two other threads in turns. A thread wakes the next one 1 ms after it got the
# token, computes for 1 ms more, and waits. Two threads are active half of the time.
function put(tid, what) { printf "t%d %d/%d [000] %.9f: %s\n", tid, 1, tid, now, what }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=t" from " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=t" to " next_pid=" to " next_prio=120") }
function wake(by, of) { put(by, "sched:sched_waking: comm=t" of " pid=" of " prio=120 target_cpu=000") }
BEGIN {
	split("2 1 3 2 3 1", next_of, " ")
	now = 100
	for (t = 2; t <= 3; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t)
	go(1, "R", 2); now += 1e-5; go(2, "S", 3); now += 1e-5; go(3, "S", 1)
	holder = 1
	for (i = 0; i < 120; i++) {
		now += .001; wake(holder, next_of[i % 6 + 1])
		now += .001; go(holder, "S", next_of[i % 6 + 1])
		holder = next_of[i % 6 + 1]
	}
	wake(1, 2); wake(1, 3)
	now += .001; go(1, "X", 2); now += 1e-5; go(2, "X", 3); now += 1e-5; go(3, "X", 0)
}
