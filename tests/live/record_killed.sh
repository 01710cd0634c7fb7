#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment leaves a recording that pscal and perf read, with all records written until
# then, and it is reported as incomplete.
# Runs alone: the next recorder of any user removes the files of a killed one.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

# A word of the header of pscal.data.
header()
{
	od -An -j "$1" -N 8 -t u8 pscal.data | tr -d ' '
}

# The size of the data grows after each round of writing.
has_grown()
{
	[ -s pscal.data ] && [ "$(header 48)" -gt "$1" ]
}

# A command with many switches that ends after its recorder.
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
	# A recording that was killed before the command had run has nothing to show.
	if [ "$status" -ne 0 ]; then
		[ "$trial" -le 10 ] || fail "trial $trial: pscal cannot read it: $(cat said)"
		grep -q 'holds nothing of the target' said || fail "trial $trial: $(cat said)"
		continue
	fi
	jq -e '.quality.truncated' said.json >/dev/null ||
		fail "trial $trial: is not reported as truncated"
	end=$(($(header 40) + $(header 48)))
	[ "$end" -le "$(stat -c %s pscal.data)" ] || fail "trial $trial: data end beyond the file"
done
