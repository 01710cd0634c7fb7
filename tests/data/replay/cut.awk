# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program on one core: t1, t2 and t3 compute for 100 ms each,
# in turns of 10 ms, and wait; 400 ms later a shell wakes all of them, and they end; with own=1, t3
# ends 50 ms after the other threads.
function put(comm, tid, what) { printf "%s %d/%d [000] %.9f: %s\n", comm, comm == "sh" ? 99 : 1, tid, now, what }
function go(from, state, to) { put(name(from), from, "sched:sched_switch: prev_comm=" name(from) " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" name(to) " next_pid=" to " next_prio=120") }
function name(tid) { return tid == 99 ? "sh" : tid ? "t" tid : "swapper" }
BEGIN {
	now = 100;
	for (t = 2; t <= 3; t++) put("t1", 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	for (i = 0; i < 29; i++) { now += .01; go(1 + i % 3, i < 27 ? "R" : "S", 1 + (i + 1) % 3) }
	now += .01; go(3, "S", 0);
	now += .4; go(0, "R", 99);
	for (t = 1; t <= 3; t++) put("sh", 99, "sched:sched_waking: comm=t" t " pid=" t " prio=120 target_cpu=000");
	go(99, "S", 1);
	for (t = 1; t <= 3; t++) { now += t == 3 && own ? .05 : .00001; go(t, "X", t < 3 ? t + 1 : 0) }
}
