#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment leaves a recording that pscal and perf read, with all that was written, and
# it says that it is not complete.
# Runs alone: the next recorder of anybody clears what it leaves.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

# A word of the header of pscal.data.
header()
{
	od -An -j "$1" -N 8 -t u8 pscal.data | tr -d ' '
}

# The size of the data moved on when a round had been written.
has_grown()
{
	[ -s pscal.data ] && [ "$(header 48)" -gt "$1" ]
}

# A command with many switches that ends when its recorder is gone.
# shellcheck disable=SC2016 # for the inner shell
busy='while kill -0 $PPID; do seq 300 | sort -n | tail -n 1; done'

events=0
for trial in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -f pscal.data
	"$PSCAL" record -q -- sh -c "$busy" >/dev/null 2>&1 &
	recorder=$!
	wait_for 60 test -s pscal.data
	[ "$trial" -le 10 ] || wait_for 60 has_grown 4096
	sleep "0.$(printf %03d "$(od -An -N 1 -t u1 /dev/urandom | tr -d ' ')")"
	kill -9 "$recorder"
	wait "$recorder" 2>/dev/null

	"$PSCAL" profile --format json pscal.data >said.json 2>said
	status=$?
	perf script -i pscal.data >trace.txt 2>errors ||
		fail "trial $trial: perf cannot read it: $(cat errors)"
	[ ! -s errors ] || fail "trial $trial: perf said: $(cat errors)"
	grep -v ' sched:sched_[a-z_]*: ' trace.txt >strange &&
		fail "trial $trial: no name of an event: $(head -n 1 strange)"
	events=$(wc -l <trace.txt)
	[ "$trial" -le 10 ] || [ "$events" -gt 0 ] || fail "trial $trial: no events"
	# In a recording killed before the command did anything there is nothing to show.
	if [ "$status" -ne 0 ]; then
		[ "$trial" -le 10 ] || fail "trial $trial: pscal cannot read it: $(cat said)"
		grep -q 'holds nothing of the target' said || fail "trial $trial: $(cat said)"
		continue
	fi
	jq -e '.quality.truncated' said.json >/dev/null ||
		fail "trial $trial: is not said to be truncated"
	end=$(($(header 40) + $(header 48)))
	[ "$end" -le "$(stat -c %s pscal.data)" ] || fail "trial $trial: data end beyond the file"
done
