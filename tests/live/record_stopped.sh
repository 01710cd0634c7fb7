#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recorder is stopped for a second while threads switch as fast as they can: records for which the
# rings have no room are lost, and reported. The amount depends on the machine; all reports of it
# agree.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_collector perf

recorder=
target=
trap 'kill -CONT $recorder 2>/dev/null; kill $target $recorder 2>/dev/null' EXIT

# stopped COLLECTOR: records a target with a recorder that is stopped meanwhile.
stopped()
{
	rm -f pscal.data
	"$WORKLOADS/pipe_pingpong" 2000000000 >/dev/null 2>&1 &
	target=$!
	"$PSCAL" record --collector "$1" -p "$target" 2>said &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s STOP "$recorder"
	sleep 1
	kill -s CONT "$recorder"
	kill -s INT "$recorder"
	expect 0 wait "$recorder"
	recorder=
	kill "$target"
	target=
}

# honest COLLECTOR: the closing line, the quality of the data, and perf agree on pscal.data.
honest()
{
	"$PSCAL" profile -q --format json pscal.data >profile.json || fail "$1: not readable"
	lost=$(jq .quality.lost profile.json)
	said=$(sed -n 's/.* events, \([0-9 ]*\) lost, .*/\1/p' said | tr -d ' ')
	[ "$lost" = "$said" ] || fail "$1: lost $lost, but said: $(cat said)"
	jq -e '.quality | .events > 0 and .malformed == 0 and .truncated == false' \
		profile.json >/dev/null || fail "$1: $(jq -c .quality profile.json)"
	[ -n "$(fact pscal.data end_ns)" ] || fail "$1: the recording is not complete"
	# Each event that the kernel counted is in the file or was lost.
	counted=$(fact pscal.data count | sed -n 's/^sched:sched_switch //p')
	[ "$1" = bpf ] || [ -n "$counted" ] || fail "$1: no switches counted"
	[ "${counted:-0}" -le $(($(jq .quality.events profile.json) + lost)) ] ||
		fail "$1: $counted switches, but $(jq -c .quality profile.json)"
	need_perf
	perf_script --show-lost-events -i pscal.data -F event 2>/dev/null >script.txt ||
		fail "$1: perf cannot read it"
	[ "$lost" -eq 0 ] || grep -q LOST script.txt || fail "$1: perf sees nothing lost of $lost"
}

stopped perf
honest perf
need_collector bpf
stopped bpf
honest bpf

# counted_once COLLECTOR: another process on the same CPU wakes this one 200 000 times, and both get
# the CPU in turn: recorded and lost events together are three per wakeup, not more.
counted_once()
{
	mkfifo go
	exec 7<>go
	rm -f ready pscal.data
	taskset -c 0 "$WORKLOADS/pipe_pingpong" 200000 0 wait <go >ready &
	player=$!
	wait_for 60 test -s ready
	"$PSCAL" record --collector "$1" -p "$player" 2>said &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s STOP "$recorder"
	echo >&7
	expect 0 wait "$player"
	kill -s CONT "$recorder"
	expect 0 wait "$recorder"
	recorder=
	"$PSCAL" profile -q --format json pscal.data | jq -e '.quality |
		.lost > 0 and .events + .lost < 3.3 * 200000' >/dev/null ||
		fail "$1: of 600 000 events: $(cat said)"
}

counted_once bpf
