#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Single threads, threads of a name and the whole machine are recorded as selected, and a process
# tree up to the end of its last process.
# Runs alone: it records the whole machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

trap 'kill $target 2>/dev/null' EXIT

begun()
{
	grep -q begun drops
}

# A thread every 5 ms, until stop_rain.
start_rain()
{
	rm -f drops
	"$WORKLOADS/thread_rain" 5000 1000 60 >drops &
	target=$!
	wait_for 60 begun
}

# stop_rain: stops after some more threads.
stop_rain()
{
	lives_on "$target" 40
	kill "$target"
	wait "$target" || fail "the program failed"
}

# stop_recording: stops after some more threads.
stop_recording()
{
	lives_on "$target" 40
	# shellcheck disable=SC2154 # begin_recording sets it
	kill -INT "$recorder"
	expect 0 wait "$recorder"
}

# The tids in a recording.
shown()
{
	"$PSCAL" timeline -q --format csv | awk -F , 'NR > 1 { print $4 }' | sort -u
}

# The threads that were born after its start, while their creator was recorded.
there()
{
	start_ns=$(fact pscal.data start_ns | head -n 1)
	awk -v start="$start_ns" 'NF == 4 && $4 > start { print $1 }' drops
}

# A thread with its children; its end is the end of the recording.
start_rain
begin_recording -t "$target"
stop_rain
expect 0 wait "$recorder"
[ "$(fact pscal.data tid | head -n 1)" = "$target" ] || fail "tid '$(fact pscal.data tid)'"
{
	there
	echo "$target"
} | sort -u >wanted
shown >got
[ -z "$(comm -23 wanted got)" ] || fail "-t: missing: $(comm -23 wanted got)"

# ... and without.
start_rain
begin_recording -t "$target" --no-children
stop_rain
expect 0 wait "$recorder"
[ "$(shown)" = "$target" ] || fail "-t --no-children: shown: $(shown)"

# All threads of a name, and no other ones.
start_rain
begin_recording --comm thread_rain
stop_recording
stop_rain
"$PSCAL" timeline -q --format csv | awk -F , 'NR > 1 && $6 != "thread_rain"' >strange
[ ! -s strange ] || fail "--comm: $(head -n 1 strange)"
[ "$(shown | wc -l)" -gt 10 ] || fail "--comm: shown: $(shown)"

# All threads but those of the recorder.
start_rain
begin_recording -a
stop_recording
stop_rain
"$PSCAL" timeline -q --format csv >intervals
awk -F , -v pid="$target" '$5 == pid { print $4 }' intervals | sort -u >rain
[ "$(wc -l <rain)" -gt 10 ] || fail "-a: only $(wc -l <rain) threads of the program"
awk -F , -v pid="$target" 'NR > 1 && $5 != pid' intervals | grep -q . || fail "-a: no other program"
! grep -q ",$recorder,pscal," intervals || fail "-a: the recorder is shown"

# A child that is created later and outlives its parent.
sh -c 'until [ -e go ]; do sleep 0.05; done; sleep 0.6 & echo $! >child' &
target=$!
begin_recording -p "$target"
: >go
expect 0 wait "$recorder"
has_ended "$(cat child)" || fail "the recording ended before the last child"
shown | grep -qx "$(cat child)" || fail "the last child is not shown"

# Targets that do not exist.
expect 1 "$PSCAL" record -t 4194303 2>said
grep -q 'there is no thread 4194303' said || fail "said: $(cat said)"
