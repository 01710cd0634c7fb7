# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, two threads on two cores that use a mutex 20 times each: t2 locks it for 10 ms, in
# which t3 begins to wait, after 3 us of CPU time; t2 wakes t3 2 us after its unlock.
function put(cpu, tid, what) { printf "t%d %d/%d [%03d] %.9f: %s\n", tid, 1, tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
function call(cpu, tid, name) { put(cpu, tid, "pscal:" name ": (7f0012345678) object=0x7ffc1000") }
BEGIN {
	now = 100;
	for (t = 2; t <= 3; t++) put(0, 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(0, 1, "S", 2); go(1, 0, "R", 3);
	for (i = 0; i < 20; i++) {
		now += .001; call(0, 2, "mutex_lock");
		now += .004; call(1, 3, "mutex_lock");
		now += .000003; go(1, 3, "S", 0);
		now += .006; call(0, 2, "mutex_unlock");
		now += .000002; put(0, 2, "sched:sched_waking: comm=t3 pid=3 prio=120 target_cpu=001");
		go(1, 0, "R", 3);
		now += .001; call(1, 3, "mutex_unlock");
	}
	now += .001; go(1, 3, "X", 0);
	now += .001; put(0, 2, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
	go(0, 2, "X", 1);
	now += .001; go(0, 1, "X", 0);
}
