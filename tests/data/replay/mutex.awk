# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, three threads on three cores, with their futex calls that wait
# or wake: each computes 30 times for 1 ms and then for 2 ms under a mutex, for which another thread
# always waits. `op` is that of a wait, 128 (FUTEX_WAIT) or 137 (FUTEX_WAIT_BITSET), and `value` is
# the value of the futex.
function put(cpu, tid, what) { printf "t%d %d/%d [%03d] %.9f: %s\n", tid, 1, tid, cpu, now, what }
function go(cpu, from, state, to) { put(cpu, from, "sched:sched_switch: prev_comm=" (from ? "t" from : "swapper") " prev_pid=" from " prev_prio=120 prev_state=" state " ==> next_comm=" (to ? "t" to : "swapper") " next_pid=" to " next_prio=120") }
function wake(cpu, tid, other) { put(cpu, tid, "sched:sched_waking: comm=t" other " pid=" other " prio=120 target_cpu=" sprintf("%03d", other > 1 ? other - 2 : 0)) }
function futex(tid, op, value) { put(tid - 2, tid, sprintf("syscalls:sys_enter_futex: uaddr: 0x00001000, op: 0x%08x, val: 0x%08x, utime: 0x00000000, uaddr2: 0x00000000, val3: 0xffffffff", op, value)) }
function returns(tid) { put(tid - 2, tid, "syscalls:sys_exit_futex: 0x0") }
BEGIN {
	if (!op) op = 128;
	if (!value) value = 2;
	now = 100;
	for (t = 2; t <= 4; t++) put(0, 1, "sched:sched_process_fork: comm=t1 pid=1 child_comm=t" t " child_pid=" t);
	go(0, 1, "S", 2); go(1, 0, "R", 3); go(2, 0, "R", 4);
	# t2 has the mutex from 1 ms on, and t3 and t4 wait for it: each turn is 2 ms, during which
	# the thread that has unlocked the mutex computes for 1 ms and then waits.
	for (t = 3; t <= 4; t++) { now = 100.001 + t * .000001; futex(t, op, value); go(t - 2, t, "S", 0) }
	for (i = 0; i < 90; i++) {
		t = 2 + i % 3; next_one = 2 + (i + 1) % 3; waiter = 2 + (i + 2) % 3;
		if (i) { # the previous owner has computed, and waits
			now = 100.001 + i * .002 + .001;
			if (i < 88) { futex(waiter, op, value); go(waiter - 2, waiter, "S", 0) }
		}
		now = 100.001 + (i + 1) * .002;
		if (i < 89) {
			futex(t, 129, 1); wake(t - 2, t, next_one); returns(t);
			now += .000001; go(next_one - 2, 0, "R", next_one); returns(next_one);
		}
		if (i == 87 || i == 88) { now = 100.001 + (i + 1) * .002 + .0005; go(t - 2, t, "X", 0) }
	}
	wake(t - 2, t, 1); go(t - 2, t, "X", 1); go(t - 2, 1, "X", 0);
}
