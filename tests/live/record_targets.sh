#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Single threads, threads of a name and the whole machine are recorded as asked for, and a tree up
# to the end of the last of it.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

trap 'kill $target 2>/dev/null' EXIT

begun()
{
	grep -q begun drops
}

# A thread every 5 ms for a second.
start_rain()
{
	rm -f drops
	"$WORKLOADS/thread_rain" 5000 1000 1 >drops &
	target=$!
	wait_for 5 begun
}

# The tids that a recording shows.
shown()
{
	"$PSCAL" timeline -q --format csv | awk -F , 'NR > 1 { print $4 }' | sort -u
}

# Those that were certainly born after its start, when their creator was watched: on a busy machine
# a newborn thread may have to wait for its first CPU.
there()
{
	start_ns=$(fact pscal.data start_ns | head -n 1)
	awk -v start="$start_ns" 'NF == 3 && $2 > start + 2e8 { print $1 }' drops
}

# A thread with what it creates; its end is the end of the recording.
start_rain
expect 0 "$PSCAL" record -q -t "$target"
wait "$target" || fail "the program failed"
[ "$(fact pscal.data tid | head -n 1)" = "$target" ] || fail "tid '$(fact pscal.data tid)'"
{
	there
	echo "$target"
} | sort -u >wanted
shown >got
[ -z "$(comm -23 wanted got)" ] || fail "-t: missing: $(comm -23 wanted got)"

# ... and without.
start_rain
expect 0 "$PSCAL" record -q -t "$target" --no-children
wait "$target" || fail "the program failed"
[ "$(shown)" = "$target" ] || fail "-t --no-children: shown: $(shown)"

# All threads of a name, and of nobody else.
start_rain
expect 0 "$PSCAL" record -q --comm thread_rain --duration 0.3
wait "$target"
"$PSCAL" timeline -q --format csv | awk -F , 'NR > 1 && $6 != "thread_rain"' >strange
[ ! -s strange ] || fail "--comm: $(head -n 1 strange)"
[ "$(shown | wc -l)" -gt 10 ] || fail "--comm: shown: $(shown)"

# Everything but the recorder.
start_rain
"$PSCAL" record -q -a --duration 0.3 &
recorder=$!
wait "$recorder" || fail "-a failed"
wait "$target"
"$PSCAL" timeline -q --format csv >intervals
awk -F , -v pid="$target" '$5 == pid { print $4 }' intervals | sort -u >rain
[ "$(wc -l <rain)" -gt 10 ] || fail "-a: only $(wc -l <rain) threads of the program"
awk -F , -v pid="$target" 'NR > 1 && $5 != pid' intervals | grep -q . || fail "-a: nobody else"
! grep -q ",$recorder,pscal," intervals || fail "-a: the recorder is shown"

# A child that is created later and outlives its parent.
sh -c 'sleep 0.3; sleep 0.6 & echo $! >child' &
target=$!
expect 0 "$PSCAL" record -q -p "$target"
has_ended "$(cat child)" || fail "the recording ended before the last child"
shown | grep -qx "$(cat child)" || fail "the last child is not shown"

# What does not exist.
expect 1 "$PSCAL" record -t 4194303 2>said
grep -q 'there is no thread 4194303' said || fail "said: $(cat said)"
