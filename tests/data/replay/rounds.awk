# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, 50 rounds of four threads on two cores: t1 computes for 8 ms on
# one core, t2, t3 and t4 compute for 2 ms each on the other one, and t1 wakes them for the next round.
function put(cpu, tid, what) { printf "t%d %d/%d [%03d] %.9f: %s\n", tid, 1, tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
BEGIN {
	now = 100;
	for (t = 2; t <= 4; t++) put(0, 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	for (i = 0; i < 50; i++) {
		state = i < 49 ? "S" : "X";
		now = 100 + i * .008; go(1, 0, "R", 2);
		now += .002; go(1, 2, state, 3);
		now += .002; go(1, 3, state, 4);
		now += .002; go(1, 4, state, 0);
		now += .001999;
		for (t = 2; t <= 4 && i < 49; t++) put(0, 1, "sched:sched_waking: comm=t" t " pid=" t " prio=120 target_cpu=001");
	}
	now = 100.4; go(0, 1, "X", 0);
}
