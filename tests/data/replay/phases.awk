# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program on one core: t2 and t3 compute for 200 ms each, in
# turns of 10 ms; t3, which ends last, wakes t1 if wakes=1, and t1 computes for 100 ms. All times
# are multiplied by scale. lost=1: the kernel lost some records.
function put(tid, what) { printf "t%d %d/%d [000] %.9f: %s\n", tid, 1, tid, now, what }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=t" from " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=t" to " next_pid=" to " next_prio=120") }
BEGIN {
	now = 100;
	for (t = 2; t <= 3; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(1, "S", 2);
	for (i = 0; i < 39; i++) { now += .01 * scale; go(2 + i % 2, "R", 3 - i % 2) }
	now += .01 * scale;
	if (wakes) put(3, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
	go(3, "X", 1);
	now += .1 * scale;
	if (lost) put(1, "PERF_RECORD_LOST lost 3")
	go(1, "X", 0);
}
