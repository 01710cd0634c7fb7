# SPDX-License-Identifier: GPL-3.0-or-later
# Prints, in the form of perf script, a server (thread 100) with two threads and blocks of code:
#
#	awk -f server.awk | sort -s -k4,4
#
# Each thread, 101 on CPU 1 and 102 on CPU 2, runs the block `handle` 60 times (-v rounds=N), and in
# it
#
#	lookup(n)  10 us for each of n = 1 to 6, alone on its CPU
#	lock       1 us; in each third call of 102 a sleep of 200 us more, until 100 wakes it
#	update     20 us; in each tenth call of 101 cron takes its CPU for 500 us
#
# and 5 us outside of these blocks. -v scheduler=0 leaves out the events of the scheduler, -v
# blocks=0 those of the blocks.

function print_line(cpu, comm, tid, us, event)
{
	printf "%s %d [%03d] 1000.%09d: %s\n", comm, tid, cpu, us * 1000, event
}

function sched(cpu, comm, tid, us, event)
{
	if (scheduler != "0")
		print_line(cpu, comm, tid, us, "sched:" event)
}

function switch_to(cpu, us, comm, tid, state, next_comm, next_tid)
{
	sched(cpu, comm, tid, us, "sched_switch: prev_comm=" comm " prev_pid=" tid \
		" prev_prio=120 prev_state=" state " ==> next_comm=" next_comm " next_pid=" next_tid \
		" next_prio=120")
}

function block(what, name, arguments)
{
	if (blocks != "0")
		print_line(cpu, "server", tid, now, "pscal:" what ": block=" name " args=" arguments)
}

function run_for(name, arguments, us)
{
	block("enter", name, arguments)
	now += us
	block("leave", name, "")
}

function lock()
{
	block("enter", "lock", "")
	now += 1
	if (tid == 102 && round % 3 == 2) {
		switch_to(cpu, now, "server", tid, "S", "swapper/2", 0)
		now += 200
		sched(0, "server", 100, now, "sched_waking: comm=server pid=102 prio=120 target_cpu=002")
		switch_to(cpu, now, "swapper/2", 0, "R", "server", tid)
	}
	block("leave", "lock", "")
}

function update()
{
	block("enter", "update", "")
	now += 10
	if (tid == 101 && round % 10 == 9) {
		sched(cpu, "server", tid, now, "sched_waking: comm=cron pid=7 prio=120 target_cpu=001")
		switch_to(cpu, now, "server", tid, "R", "cron", 7)
		now += 500
		switch_to(cpu, now, "cron", 7, "S", "server", tid)
	}
	now += 10
	block("leave", "update", "")
}

function work()
{
	switch_to(cpu, now, "swapper/" cpu, 0, "R", "server", tid)
	for (round = 0; round < rounds; round++) {
		block("enter", "handle", "")
		now += 5
		run_for("lookup", round % 6 + 1, 10 * (round % 6 + 1))
		lock()
		update()
		block("leave", "handle", "")
	}
	switch_to(cpu, now, "server", tid, "X", "swapper/" cpu, 0)
}

BEGIN {
	rounds = rounds ? rounds : 60
	switch_to(0, 1, "swapper/0", 0, "R", "server", 100)
	for (cpu = 1; cpu <= 2; cpu++) {
		tid = 100 + cpu
		sched(0, "server", 100, 10 * cpu, "sched_process_fork: comm=server pid=100 " \
			"child_comm=server child_pid=" tid)
		sched(0, "server", 100, 10 * cpu, "sched_wakeup_new: comm=server pid=" tid \
			" prio=120 target_cpu=00" cpu)
		now = 10 * cpu + 1
		work()
	}
	switch_to(0, 9000, "server", 100, "X", "swapper/0", 0)
}
