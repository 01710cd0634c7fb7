# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, `threads` threads (8) on `cores` cores, each of which computes
# for 100 ms in turns of 10 ms. Work takes 1 + slope (cores - 1) times as long, and `noise` times
# that. The last thread wakes t1, which ends.
function put(cpu, tid, what) { printf "t%d 1/%d [%03d] %.9f: %s\n", tid, tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=t" from " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=t" to " next_pid=" to " next_prio=120") }
BEGIN {
	if (cores < 1) {
		print "workers.awk: give -v cores=" >"/dev/stderr"
		exit 2
	}
	if (!threads) threads = 8;
	now = 100; turns = 10; last = 1 + threads; each = threads / cores;
	if (!noise) noise = 1;
	for (t = 2; t <= last; t++) put(0, 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	for (c = 0; c < cores; c++) go(c, c ? 0 : 1, "S", 2 + c);
	for (i = 1; i <= turns * each; i++) {
		now += .01 * (1 + slope * (cores - 1)) * noise;
		for (c = 0; c < cores; c++) {
			from = 2 + c + cores * ((i - 1) % each);
			to = i < turns * each ? 2 + c + cores * (i % each) : 0;
			ends = i > turns * each - each;
			if (c == cores - 1 && !to) { put(c, from, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000"); to = 1 }
			go(c, from, ends ? "X" : "R", to);
		}
	}
	go(cores - 1, 1, "X", 0);
}
