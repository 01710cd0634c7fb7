# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, 300 pairs of threads of which one wakes the other. Their
# names, and those of the functions that they call, are HTML, and so long that a page with all of
# them has 5 MB.

function event(comm, tid, what) {
	time += 1e-5
	printf "%16s %d/%d [000] %.6f: %s\n", comm, tid, tid, 1 + time, what
}

function leave(comm, tid, next_comm, next_tid, state) {
	event(comm, tid, "sched:sched_switch: prev_comm=" comm " prev_pid=" tid " prev_prio=120 prev_state=" state \
		" ==> next_comm=" next_comm " next_pid=" next_tid " next_prio=120")
}

function wake(comm, tid, woken, woken_tid) {
	event(comm, tid, "sched:sched_waking: comm=" woken " pid=" woken_tid " prio=120 target_cpu=000")
}

BEGIN {
	for (long = "<"; length(long) < 2500; long = long long)
		;
	for (turn = 0; turn < 3; turn++)
		for (i = 0; i < 300; i++) {
			one = "<b>" i "&\"</b>"
			other = "<i>" i "'</i>"
			wake("swapper", 0, one, 1000 + 2 * i)
			leave("swapper", 0, one, 1000 + 2 * i, "R")
			event(one, 1000 + 2 * i, "pscal:enter: block=" long i " args=1")
			event(one, 1000 + 2 * i, "pscal:leave: block=" long i " args=1")
			wake(one, 1000 + 2 * i, other, 1001 + 2 * i)
			leave(one, 1000 + 2 * i, other, 1001 + 2 * i, "S")
			leave(other, 1001 + 2 * i, "swapper", 0, "S")
		}
}
