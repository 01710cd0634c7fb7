#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The target is killed: the recording is complete, up to the end of each of its threads.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_collector perf

trap 'kill $target $recorder 2>/dev/null' EXIT
target=
recorder=

# is_complete CASE: pscal.data has its end, and is complete.
is_complete()
{
	[ -n "$(fact pscal.data end_ns)" ] || fail "$1: no end"
	"$PSCAL" profile -q --format json pscal.data >profile.json || fail "$1: not readable"
	jq -e '.quality | .lost == 0 and .malformed == 0 and .truncated == false' \
		profile.json >/dev/null || fail "$1: $(jq -c .quality profile.json)"
}

has_child()
{
	child=$(sed -n "s/^\([0-9]*\) ([^)]*) . $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null)
	[ -n "$child" ]
}

# A command, which is killed while it switches; its child then has no partner and ends.
killed_command()
{
	rm -f pscal.data
	"$PSCAL" record -q --collector "$1" "$WORKLOADS/pipe_pingpong" 2000000000 20000 \
		>/dev/null 2>&1 &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 has_child "$recorder"
	target=$child
	wait_for 60 has_child "$target"
	kill -s KILL "$target"
	expect 137 wait "$recorder"
	is_complete "$1, a command"
	jq -e ".targets == [$target]" profile.json >/dev/null || fail "$1: $(jq .targets profile.json)"
}

# Sleeping threads of a running process: the recording has the end of each.
killed_process()
{
	rm -f pscal.data ready
	mkfifo ready
	"$WORKLOADS/sleeping_threads" 50 >ready &
	target=$!
	read -r _ <ready
	"$PSCAL" record -q --collector "$1" -p "$target" &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s KILL "$target"
	expect 0 wait "$recorder"
	is_complete "$1, a process"
	jq -e '.threads | length == 51' profile.json >/dev/null ||
		fail "$1: $(jq '.threads | length' profile.json) of 51 threads"
	need_perf
	ends=$(perf_script -i pscal.data -F event,trace 2>/dev/null |
		grep 'sched_process_exit: ' | grep -Ec 'comm=sleep(er|ing_thread) ')
	[ "$ends" -eq 51 ] || fail "$1: $ends of 51 threads end"
}

# A command whose first thread waits while others work: that wait has no end, and is no limit.
killed_work()
{
	rm -f pscal.data
	"$PSCAL" record -q --collector "$1" "$WORKLOADS/spinner" 2 100000 >/dev/null 2>&1 &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 has_child "$recorder"
	sleep .5
	kill -s "$2" "$child"
	wait "$recorder"
	"$PSCAL" forecast -q --format json pscal.data >forecast.json ||
		fail "$1, $2: no forecast"
	jq -e '.bottleneck.kind | IN("pauses", "unknown") | not' forecast.json >/dev/null ||
		fail "$1, $2: $(jq -c .bottleneck forecast.json)"
}

collectors=perf
"$PSCAL" record -q --collector bpf -o probe.data true 2>/dev/null && collectors='perf bpf'
for collector in $collectors; do
	killed_command "$collector"
	killed_process "$collector"
	killed_work "$collector" KILL
	killed_work "$collector" TERM
done
