# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a program with its calls of sched_yield, on two cores: t2
# computes for 50 ms, calls sched_yield every 10 us until t3 has computed for 100 ms, and computes
# for 20 ms more; then it wakes t1, which created both.
function put(cpu, tid, what) { printf "t%d %d/%d [%03d] %.9f: %s\n", tid, 1, tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
BEGIN {
	now = 100;
	for (t = 2; t <= 3; t++) put(0, 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(0, 1, "S", 2);
	go(1, 0, "R", 3);
	for (i = 0; i <= 5000; i++) {
		now = 100.05 + i * .00001; put(0, 2, "syscalls:sys_enter_sched_yield: ");
		now += .000001; put(0, 2, "syscalls:sys_exit_sched_yield: 0x0");
	}
	go(1, 3, "X", 0);
	now = 100.12;
	put(0, 2, "sched:sched_waking: comm=t1 pid=1 prio=120 target_cpu=000");
	go(0, 2, "X", 1);
	go(0, 1, "X", 0);
}
