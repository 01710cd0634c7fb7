# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, four threads "memory" and four threads "compute" on `cores`
# cores, one or two, each with 100 ms of work, one after the other. Work of "memory" takes 1 + slope
# times as long while both cores are busy. All work of "memory" takes `noise` times as long, that of
# "compute" 1 / noise times. The last thread wakes main, which ends.
function name(tid) { return tid == 0 ? "swapper" : tid == 1 ? "main" : tid % 2 ? "compute" : "memory" }
function put(cpu, tid, what) { printf "%s 1/%d [%03d] %.9f: %s\n", name(tid), tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=" name(from) " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" name(to) " next_pid=" to " next_prio=120") }
BEGIN {
	if (cores != 1 && cores != 2) {
		print "two_kinds.awk: give -v cores=1 or -v cores=2" >"/dev/stderr"
		exit 2
	}
	now = 100; last = 9; step = .0005;
	if (!noise) noise = 1;
	for (t = 2; t <= last; t++) put(0, 1, "sched:sched_process_fork: comm=main pid=1 child_comm=" name(t) " child_pid=" t);
	for (c = 0; c < cores; c++) { runs[c] = ++taken + 1; go(c, c ? 0 : 1, "S", runs[c]) }
	for (t = 2; t <= last; t++) left[t] = .1 * (t % 2 ? 1 / noise : noise);
	for (ended = 0; ended < 8;) {
		now += step;
		both = cores == 2 && runs[0] && runs[1];
		for (c = 0; c < cores; c++) {
			t = runs[c];
			if (!t) continue;
			left[t] -= step / (both && t % 2 == 0 ? 1 + slope : 1);
			if (left[t] > 1e-9) continue;
			ended++;
			runs[c] = taken < 8 ? ++taken + 1 : 0;
			if (ended == 8) { put(c, t, "sched:sched_waking: comm=main pid=1 prio=120 target_cpu=000"); runs[c] = 1 }
			go(c, t, "X", runs[c]);
			at = c;
		}
	}
	go(at, 1, "X", 0);
}
