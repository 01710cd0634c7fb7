# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, two threads on one core that compute in turns for 2 ms, 50
# times each, under a mutex; meanwhile the other thread tries to lock it every 50 us, with
# pthread_mutex_trylock and sched_yield. With calls=1 it prints the calls of the C library, too.
function put(tid, what) { printf "t%d %d/%d [000] %.9f: %s\n", tid, 1, tid, now, what }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
function call(tid, name) { if (calls) put(tid, "pscal:" name ": (7f0012345678) object=0x7ffc1000") }
BEGIN {
	now = 100;
	for (t = 2; t <= 3; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(1, "S", 2);
	for (i = 0; i < 100; i++) {
		t = 2 + i % 2; other = 5 - t;
		call(t, "mutex_trylock");
		for (k = 0; k < 40 && i < 99; k++) {
			now += .00005; go(t, "R", other);
			now += .000001; call(other, "mutex_trylock");
			now += .000001; go(other, "R", t);
		}
		now += i < 99 ? .000001 : .002; call(t, "mutex_unlock");
		if (i < 99) go(t, i < 98 ? "R" : "X", other);
	}
	put(3, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
	go(3, "X", 1); go(1, "X", 0);
}
