#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Attaching to a program that creates a thread every 200 us misses no thread, ten times.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

trap 'kill $target 2>/dev/null' EXIT
begun()
{
	grep -q begun drops
}

for run in 1 2 3 4 5 6 7 8 9 10; do
	rm -f drops
	"$WORKLOADS/thread_rain" 200 1000 60 >drops &
	target=$!
	wait_for 60 begun
	begin_recording -p "$target" 2>said
	lives_on "$target" 500
	kill "$target"
	# shellcheck disable=SC2154 # begin_recording sets it
	wait "$recorder" || fail "run $run: $(cat said)"
	wait "$target" || fail "run $run: the program failed"
	"$PSCAL" timeline -q --format csv >intervals || fail "run $run: cannot be read"

	start_ns=$(fact pscal.data start_ns)
	awk 'NF == 4 { print $1 }' drops | sort -u >created
	awk -v start="$start_ns" 'NF == 4 && $3 > start { print $1 }' drops | sort -u >there
	awk -F , -v main="$target" 'NR > 1 && $4 != main { print $4 }' intervals | sort -u >shown
	[ -s there ] || fail "run $run: no thread after the start"
	missing=$(comm -23 there shown | wc -l)
	strange=$(comm -13 created shown | wc -l)
	[ "$missing" -eq 0 ] || fail "run $run: $missing of $(wc -l <there) threads are missing"
	[ "$strange" -eq 0 ] || fail "run $run: $strange threads are not of the program"
	strange=$(awk -F , -v pid="$target" 'NR > 1 && $5 != "" && $5 != pid' intervals | head -n 1)
	[ -z "$strange" ] || fail "run $run: not of its process: $strange"
	echo "run $run: $(wc -l <there) threads after the start, all shown"
done
