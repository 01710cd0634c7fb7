# SPDX-License-Identifier: GPL-3.0-or-later
# What a recording says, by the plainest rules there are, from what perf script prints of it: when
# which thread was active. It is what the tests of reading hold pscal against, so it shares no code
# with it and does everything the long way.
#
#	perf script --ns --show-task-events --show-switch-events --show-lost-events \
#		--show-mmap-events -F pid,tid,cpu,time,event,trace -i FILE >text
#	awk -v root=PID [-v unit=NS] [-v cut=1] [-v partial=1] [-v filtered=1] -f levels.awk text text |
#		sort -n | awk -f level_sums.awk
#
# The threads are those of process PID and what it begets. Times are cut to multiples of NS, as a
# text layout with fewer digits has them. With `cut` the recording has forgotten what was before the
# first tracepoint. With `partial` not all CPUs were recorded: a thread may have run unseen before it
# is first met, so that it is not known to have been blocked. With `filtered` some switches were not
# recorded, the last one of a thread maybe among them. Where records are lost, all must be of one CPU.
# A text may come without CPUs.
#
# Prints, for each interval of a thread, "NS 1 0" where it begins if the thread is active, "NS 0 1"
# if that is not known, else "NS 0 0", and where it ends the same with -1; also "switches N" and, for
# each thread,
#
#	running TID NS    how long it was on a CPU, by sched_switch; a run that was not seen to begin
#	                  begins where the first account of it says, if there is one
#	accounted TID NS  the same by sched_stat_runtime alone
#	lived TID NS NS NS
#	                  how long it was active, how long inactive, and how long that is not known
#
# These are conventions that pscal has too, so that no comparison can show whether they are good:
#  - A thread begins to be active at sched_process_fork, or at PERF_RECORD_FORK where that is not
#    recorded, and ends at the switch in which it is Z or X, or at PERF_RECORD_EXIT if no switch after
#    that is of it, or with `filtered`: then it has ended also if it is preempted and gets a CPU once
#    more. The time of a process begins with the first birth in it, if nothing is known of its threads
#    before that.
#  - Who is woken was blocked before, even if nothing was known of him.
#  - Who raises an event has a CPU. If he was not seen to get it: if he was blocked, what he did since
#    is not known; if he was woken, he was active.
#  - A CPU runs one thread at a time: of one that is not seen to leave before another is there,
#    nothing is known since it got the CPU. If it had said that it would end, it has.
#  - R, R+ and P are active, all other letters are not. A wake of one that has a CPU counts from when
#    he leaves it.
#  - The recording goes on up to the last of these records, or of an exec of any process. perf ends its
#    events one after the other: births that PERF_RECORD_FORK alone tells may come when no switch is
#    recorded any more, so that states are not known there.
#  - After a loss nothing is known of any thread until a record shows it again. The loss begins at
#    the last record before.
# That pscal reads the fields right, orders, decodes, drops and adds up is what is compared.

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

# What the thread has been doing up to now is `what`: active, inactive, unknown or gone.
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

# It has left its CPU unseen.
function slips(tid)
{
	state[tid] = "unknown"
	becomes(tid, ending[tid] ? "gone" : "unknown")
	on_cpu[tid] = claim[tid] = woken[tid] = early[tid] = 0
}

# This CPU, if it is known which, has this thread now, of the target or not.
function takes(tid,    other)
{
	if (cpu == "")
		return
	other = at[cpu]
	at[cpu] = tid
	if (other != tid && on_cpu[other] && where[other] == cpu)
		slips(other)
}

# It turns out to be on a CPU that it was not seen to get: so it was active, from some time on. If a
# wake came while it was still on its way off a CPU, from then on.
function is_on(tid)
{
	takes(tid)
	if (on_cpu[tid] && where[tid] == cpu)
		return
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
		state[tid] = "unknown" # it has left one in between
	becomes(tid, "active")
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

# It exits, and so has a CPU; no record tells when it left that.
function exits(tid)
{
	is_on(tid)
	switches++
	running[tid] += ran_ns(tid)
	on_cpu[tid] = claim[tid] = woken[tid] = early[tid] = 0
	becomes(tid, "gone")
	exited[tid] = 1
}

# Who is woken was blocked before, even if that is the first we see of him.
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

# Records were lost since the last one that there is: whoever was there may be anything.
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

# The first birth is where the time begins, if nothing is known from before.
function born(tid)
{
	if (!any_seen)
		for (other in member)
			since[other] = now
	if (!seen[tid]) {
		state[tid] = "inactive" # there was nobody
		lived[tid, "inactive"] -= now - since[tid]
		becomes(tid, "active")
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

# The first time through: who belongs to the process, and which event tells of births.
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

# An exec is on record beyond the last switch of all: who is active stays so.
$3 == "PERF_RECORD_COMM" && $4 == "exec:" && begun && time_ns($2) > now { now = time_ns($2) }

$3 !~ /^sched:sched_(switch|waking|wakeup|wakeup_new|process_fork|process_exit|stat_runtime):$/ &&
	$3 !~ (births ? "^PERF_RECORD_SWITCH" : "^PERF_RECORD_(SWITCH|FORK)") { next }

!(now = time_ns($2)) && $3 ~ /^PERF/ { next } # what perf made up when it began

$3 ~ /SWITCH/ && who[2] < 0 { next } # who has died is nobody any more

# It may have been anything before.
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

# The kernel's own records of switches; the one out of a CPU comes after sched_switch.
$3 ~ /SWITCH/ && $4 == "IN" && who[2] in member && !on_cpu[who[2]] && !exited[who[2]] { comes(who[2]) }
$3 ~ /SWITCH/ && $4 == "OUT" && on_cpu[who[2]] { leaves(who[2], $5 == "preempt" ? "R" : "S") }

# Who raises an event is on a CPU, and so is who begets a thread.
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
