# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program with its calls of the C library, on one core:
# threads (2, or threads=N) compute five times for 5 ms and then for 15 ms under a shared mutex, in
# turns; the thread that ends last wakes t1, and t1 sleeps for 40 ms.
function put(tid, what) { printf "t%d %d/%d [000] %.9f: %s\n", tid, 1, tid, now, what }
function go(from, state, to) { put(from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
function call(tid, name) { put(tid, "pscal:" name ": (7f0012345678) object=0x7ffc1000") }
BEGIN {
	if (!threads) threads = 2;
	last = threads + 1;
	now = 100;
	for (t = 2; t <= last; t++) put(1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(1, "S", 2);
	for (i = 0; i < 5 * threads; i++) {
		t = 2 + i % threads;
		now += .005; call(t, "mutex_lock");
		now += .015; call(t, "mutex_unlock");
		if (t == last && i > 4 * threads) {
			put(t, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
			go(t, "X", 1);
		} else {
			go(t, i < 4 * threads ? "R" : "X", t < last ? t + 1 : 2);
		}
	}
	put(1, "syscalls:sys_enter_nanosleep: rqtp: 0x7ffc2000, rmtp: 0x00000000");
	go(1, "S", 0);
	now += .04;
	put(0, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
	go(0, "R", 1);
	put(1, "syscalls:sys_exit_nanosleep: 0x0");
	go(1, "X", 0);
}
