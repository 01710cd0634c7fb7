# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program on one core: t2 and t3 compute four pieces of 40 ms
# each, in turns of 10 ms, and after each piece wake t1, which computes for 20 us. t1 waits for at
# most 50 ms, which pass once before two pieces. The timer wakes it on another CPU.
function say(head, what) { printf "%s %.9f: %s\n", head, now, what }
function put(tid, what) { say(sprintf("t%d 1/%d [000]", tid, tid), what) }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=t" from " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=t" to " next_pid=" to " next_prio=120") }
BEGIN {
	woken = "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000"
	now = 100;
	for (t = 2; t <= 3; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(1, "S", 2);
	for (i = 0; i < 32; i++) {
		t = 2 + i % 2; slice = i % 8; last = i == 31;
		now += .01;
		if (slice != 4 && slice < 6) { go(t, "R", 5 - t); continue }
		if (slice == 4) say("swapper 0/0 [001]", woken); else put(t, woken);
		go(t, i < 30 ? "R" : "X", 1);
		now += .00002;
		go(1, last ? "X" : "S", last ? 0 : 5 - t);
	}
}
