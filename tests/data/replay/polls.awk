# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program on one core: t2 and t3 compute for 200 ms each, in
# turns of 10 ms, and t1 polls every 10 ms whether they are done, which takes 20 us. A timer wakes
# it, on another CPU. wakes=1: t3, which ends last, also wakes t1, 5 ms before the next poll.
# stay=1: t2 and t3 do not end, but wait for more work.
function say(head, what) { printf "%s %.9f: %s\n", head, now, what }
function put(tid, what) { say(sprintf("t%d 1/%d [000]", tid, tid), what) }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=t" from " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=t" to " next_pid=" to " next_prio=120") }
BEGIN {
	woken = "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000"
	now = 100;
	for (t = 2; t <= 3; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(1, "S", 2);
	for (i = 0; i < 40; i++) {
		t = 2 + i % 2;
		now += wakes && i == 39 ? .005 : .01;
		if (wakes && i == 39) put(t, woken); else say("swapper 0/0 [001]", woken);
		go(t, i < 38 ? "R" : stay ? "S" : "X", 1);
		now += .00002;
		go(1, i == 39 ? "X" : "S", i == 39 ? 0 : 3 - i % 2);
	}
}
