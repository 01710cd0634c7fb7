# SPDX-License-Identifier: GPL-3.0-or-later
# Derives from the output of perf script when each thread was active, by the simplest rules. The
# tests of reading compare pscal with it, so it shares no code with pscal and prefers plain code to
# short code.
#
#	perf script --ns --show-task-events --show-switch-events --show-lost-events \
#		--show-mmap-events -F pid,tid,cpu,time,event,trace -i FILE >text
#	awk -v root=PID [-v unit=NS] [-v cut=1] [-v partial=1] [-v filtered=1] -f levels.awk text text |
#		sort -n | awk -f level_sums.awk
#
# The threads are those of process PID and its descendants. Times are cut to multiples of NS, as in
# text layouts with fewer digits. With `cut` the recording lacks everything before the first
# tracepoint. With `partial` some CPUs were not recorded: a thread may have run unseen before its
# first event, so it was not certainly blocked. With `filtered` some switches were not recorded,
# possibly also the last one of a thread. If records are lost, all records must be of one CPU. The
# text may lack CPUs.
#
# Prints, for each interval of a thread, its begin: "NS 1 0" if the thread is active, "NS 0 1" if
# its state is unknown, else "NS 0 0"; and its end, the same with -1. Also prints "switches N" and,
# for each thread,
#
#	running TID NS    its time on a CPU, by sched_switch; a run whose begin was not recorded begins
#	                  at its first sched_stat_runtime, if there is one
#	accounted TID NS  the same by sched_stat_runtime alone
#	lived TID NS NS NS
#	                  its active, inactive and unknown time
#
# pscal has the same conventions, so a comparison cannot show whether they are good:
# - A thread becomes active at sched_process_fork, or at PERF_RECORD_FORK if that is not recorded. It
#   ends at the switch in which it is Z or X, or at PERF_RECORD_EXIT if no later switch is its own.
#   With `filtered` it has also ended if it is preempted and gets a CPU once more, and its state since
#   its birth is unknown if no record shows how it got its first CPU. The time of a process begins
#   with the first birth in it, if its threads have no earlier events.
# - A woken thread was blocked before, even if its state was unknown.
# - A thread that raises an event has a CPU. If no record shows how it got the CPU: its state since
#   then is unknown if it was blocked, and active if it was woken.
# - A CPU runs one thread at a time: if the next thread is on the CPU and no record shows that the
#   thread before left it, the state of that one is unknown since it got the CPU; if it was exiting,
#   it has ended.
# - R, R+ and P are active states, all other letters are not. A wakeup of a thread on a CPU counts from
#   the moment when it leaves the CPU.
# - The recording ends at the last of these records, or of an exec of any process. perf disables its
#   events one after the other: births that only PERF_RECORD_FORK reports may follow the last recorded
#   switch, so that later states are unknown.
# - After a loss the state of each thread is unknown until a record shows it again. The loss begins at
#   the last record before.
# The comparison checks that pscal reads the fields, orders, decodes, discards and sums correctly.

function number(key,    at)
{
	at = index($0, " " key "=")
	return at ? substr($0, at + length(key) + 2) + 0 : -1
}

function time_ns(text,    part)
{
	split(text, part, /[.:]/)
	text = part[1] * 1000000000 + substr(part[2] "000000000", 1, 9)
	return text - text % unit
}

function step(ns, active, unknown)
{
	printf "%.0f %d %d\n", ns, active, unknown
}

# `what` is the state of the thread up to now: active, inactive, unknown or gone.
function until_now(tid, what)
{
	if (what == "gone")
		return
	step(since[tid], what == "active", what == "unknown")
	step(now, -(what == "active"), -(what == "unknown"))
	lived[tid, what] += now - since[tid]
	since[tid] = now
}

function becomes(tid, what)
{
	until_now(tid, state[tid])
	state[tid] = what
}

# The thread has left its CPU without a record.
function slips(tid)
{
	state[tid] = "unknown"
	becomes(tid, ending[tid] ? "gone" : "unknown")
	on_cpu[tid] = claim[tid] = woken[tid] = early[tid] = 0
}

# The thread, of the target or not, is now on this CPU, if the CPU is known.
function takes(tid,    other)
{
	if (cpu == "")
		return
	other = at[cpu]
	at[cpu] = tid
	if (other != tid && on_cpu[other] && where[other] == cpu)
		slips(other)
}

# The thread is on a CPU without a record of how it got there: so it has been active since an
# unknown moment. If a wakeup came while it was leaving a CPU, it has been active since then.
function is_on(tid)
{
	takes(tid)
	if (on_cpu[tid] && where[tid] == cpu)
		return
	if (newborn[tid])
		state[tid] = "unknown"
	if (state[tid] == "inactive")
		state[tid] = early[tid] ? "active" : "unknown"
	comes(tid)
	unseen[tid] = 1
}

function comes(tid)
{
	if (state[tid] == "inactive" && early[tid])
		state[tid] = "active"
	if (on_cpu[tid])
		state[tid] = "unknown" # it left one in between
	becomes(tid, "active")
	newborn[tid] = 0
	on_cpu[tid] = 1
	unseen[tid] = 0
	where[tid] = cpu
	since_on[tid] = now
	woken[tid] = early[tid] = 0
	seen[tid] = 1
}

function ran_ns(tid)
{
	return now - (unseen[tid] && claim[tid] ? claim[tid] : since_on[tid])
}

function leaves(tid, letter)
{
	switches++
	early[tid] = woken[tid]
	is_on(tid)
	running[tid] += ran_ns(tid)
	on_cpu[tid] = claim[tid] = 0
	becomes(tid, letter ~ /^[RP]/ ? "active" : letter ~ /^[XZ]/ ? "gone" : "inactive")
	woken[tid] = 0
}

# The thread exits, and so has a CPU; no record has the time at which it left that.
function exits(tid)
{
	is_on(tid)
	switches++
	running[tid] += ran_ns(tid)
	on_cpu[tid] = claim[tid] = woken[tid] = early[tid] = 0
	becomes(tid, "gone")
	exited[tid] = 1
}

# A woken thread was blocked before, even if this is its first record.
function wakes(tid)
{
	if (!seen[tid] && !partial)
		state[tid] = "inactive"
	seen[tid] = 1
	woken[tid] = on_cpu[tid]
	if (state[tid] == "active")
		return
	early[tid] = 0
	becomes(tid, "active")
}

# Records were lost since the last one: the state of each thread may have changed.
function lost(    tid)
{
	now = last
	for (tid in seen) {
		if (on_cpu[tid])
			running[tid] += ran_ns(tid)
		on_cpu[tid] = claim[tid] = woken[tid] = early[tid] = 0
		if (state[tid] != "gone")
			becomes(tid, "unknown")
	}
}

# The time begins with the first birth, if there is no earlier event.
function born(tid)
{
	if (!any_seen)
		for (other in member)
			since[other] = now
	if (!seen[tid]) {
		state[tid] = "inactive" # it did not exist
		lived[tid, "inactive"] -= now - since[tid]
		becomes(tid, "active")
		newborn[tid] = filtered
	}
	seen[tid] = 1
	exited[tid] = 0
}

BEGIN {
	unit = unit ? unit : 1
	member[root] = 1
}

{
	split($1, who, "/")
	cpu = ""
	if ($2 ~ /^\[[0-9]+\]$/) {
		cpu = $2
		sub(/ *\[[0-9]+\] */, " ")
	}
}

# The first pass finds the threads of the process, and the event that reports births.
NR == FNR {
	if (who[1] == root && who[2] > 0)
		member[who[2]] = 1
	if ($3 ~ /process_fork/)
		births = 1
	if ($3 ~ /process_fork/ && who[2] in member)
		member[number("child_pid")] = 1
	if ($3 ~ /^PERF_RECORD_FORK/ && split($3, part, /[(:)]/) && part[6] in member)
		member[part[3]] = 1
	if ($3 ~ /sched_switch/)
		switch_of[number("prev_pid")] = switch_of[number("next_pid")] = FNR
	next
}

$3 ~ /stat_runtime:$/ && (tid = number("pid")) in member {
	accounted[tid] += number("runtime")
	if (!claim[tid])
		claim[tid] = time_ns($2) - number("runtime")
}

$3 == "PERF_RECORD_LOST" && begun { lost() }

$3 !~ /^PERF_RECORD_LOST/ && time_ns($2) { last = time_ns($2) }

$3 ~ /^PERF_RECORD_EXIT/ && begun && split($3, part, /[(:)]/) && part[3] in member &&
	(filtered || switch_of[part[3]] < FNR) {
	now = time_ns($2)
	exits(part[3])
}

# An exec is recorded after the last switch of all threads: their states stay.
$3 == "PERF_RECORD_COMM" && $4 == "exec:" && begun && time_ns($2) > now { now = time_ns($2) }

$3 !~ /^sched:sched_(switch|waking|wakeup|wakeup_new|process_fork|process_exit|stat_runtime):$/ &&
	$3 !~ (births ? "^PERF_RECORD_SWITCH" : "^PERF_RECORD_(SWITCH|FORK)") { next }

!(now = time_ns($2)) && $3 ~ /^PERF/ { next } # synthesized by perf at its start

$3 ~ /SWITCH/ && who[2] < 0 { next } # a dead thread has no number

# The state before the first tracepoint is unknown.
cut && $3 !~ /^sched/ { next }

cut {
	cut = 0
	for (tid in member)
		seen[tid] = 1
}

!begun {
	begun = 1
	for (tid in member) {
		since[tid] = now
		state[tid] = "unknown"
	}
}

$3 ~ /FORK/ && split($3, part, /[(:)]/) && part[3] in member { born(part[3]) }

$3 ~ /fork/ && (tid = number("child_pid")) in member { born(tid) }

# The switch records of the kernel itself; the one out of a CPU comes after sched_switch.
$3 ~ /SWITCH/ && $4 == "IN" && who[2] in member && !on_cpu[who[2]] && !exited[who[2]] { comes(who[2]) }
$3 ~ /SWITCH/ && $4 == "OUT" && on_cpu[who[2]] { leaves(who[2], $5 == "preempt" ? "R" : "S") }

# A thread that raises an event, or creates a thread, is on a CPU.
$3 ~ (births ? "^sched" : "^(sched|PERF_RECORD_FORK)") && $3 !~ /switch|stat_runtime/ && who[2] in member &&
	!exited[who[2]] {
	is_on(who[2])
}

$3 ~ /process_exit/ && who[2] in member { ending[who[2]] = 1 }

$3 ~ /wak/ && (tid = number("pid")) in member { wakes(tid) }

$3 ~ /switch/ {
	match($0, / prev_state=[^ ]*/)
	letter = substr($0, RSTART + 12)
	takes(tid = number("prev_pid"))
	if (tid in member && !exited[tid])
		leaves(tid, letter)
	takes(tid = number("next_pid"))
	if (tid in member && !exited[tid])
		comes(tid)
}

{ for (tid in seen) any_seen = 1 }

END {
	for (tid in member) {
		until_now(tid, state[tid])
		if (on_cpu[tid])
			running[tid] += ran_ns(tid)
		printf "running %d %.0f\n", tid, running[tid]
		printf "accounted %d %.0f\n", tid, accounted[tid]
		printf "lived %d %.0f %.0f %.0f\n", tid, lived[tid, "active"], lived[tid, "inactive"],
			lived[tid, "unknown"]
	}
	print "switches", switches + 0
}
