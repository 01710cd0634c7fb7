#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What ends a recording: signals, the end of the processes, the end of the command.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$WORKLOADS/sleeping_threads" 3 >/dev/null &
target=$!
trap 'kill $target 2>/dev/null' EXIT

# A signal ends the recording of a process, not the process.
for signal in INT TERM HUP; do
	rm -f pscal.data
	"$PSCAL" record -q -p "$target" &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s "$signal" "$recorder"
	expect 0 wait "$recorder"
	[ -n "$(fact pscal.data end_ns)" ] || fail "SIG$signal: the recording is not complete"
	has_ended "$target" && fail "SIG$signal ended the target"
done

# So does the end of the process.
rm -f pscal.data
"$PSCAL" record -q -p "$target" &
recorder=$!
wait_for 60 test -s pscal.data
kill "$target"
wait_for 60 has_ended "$recorder"
expect 0 wait "$recorder"
[ -n "$(fact pscal.data end_ns)" ] || fail "the recording is not complete"

# SIGTERM and SIGHUP reach the command; SIGINT is what a terminal sends it itself.
for signal in TERM HUP; do
	rm -f pscal.data trapped
	"$PSCAL" record -q -- sh -c "trap 'exit 7' $signal; : >trapped; sleep 30 & wait; kill \$!" &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 test -e trapped
	kill -s "$signal" "$recorder"
	expect 7 wait "$recorder"
	[ -n "$(fact pscal.data end_ns)" ] || fail "SIG$signal: the recording is not complete"
done
rm -f pscal.data
"$PSCAL" record -q -- sleep 0.7 &
recorder=$!
wait_for 60 test -s pscal.data
kill -s INT "$recorder"
expect 0 wait "$recorder"
span=$(($(fact pscal.data end_ns) - $(fact pscal.data start_ns)))
[ "$span" -ge 700000000 ] || fail "SIGINT ended the recording after $span ns of 0.7 s"
