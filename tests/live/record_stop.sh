#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording ends with signals, with the end of the processes, and with the end of the command.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$WORKLOADS/sleeping_threads" 3 >/dev/null &
target=$!
trap 'kill $target 2>/dev/null' EXIT

# A signal ends the recording of a process, not the process.
for signal in INT TERM HUP QUIT USR1 USR2 ALRM VTALRM PROF IO PWR XCPU RTMIN; do
	rm -f pscal.data
	env --default-signal "$PSCAL" record -q -p "$target" &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s "$signal" "$recorder"
	expect 0 wait "$recorder"
	[ -n "$(fact pscal.data end_ns)" ] || fail "SIG$signal: the recording is not complete"
	has_ended "$target" && fail "SIG$signal ended the target"
done

# Ignored signals, as with nohup and background jobs, stay ignored.
rm -f pscal.data
(trap '' QUIT USR1 HUP && exec "$PSCAL" record -q -p "$target") &
recorder=$!
wait_for 60 test -s pscal.data
for signal in QUIT USR1 HUP; do
	kill -s "$signal" "$recorder"
done
kill -s USR2 "$recorder"
expect 0 wait "$recorder"
[ -n "$(fact pscal.data end_ns)" ] || fail "ignored signals: the recording is not complete"

# The end of the process ends the recording, too.
rm -f pscal.data
"$PSCAL" record -q -p "$target" &
recorder=$!
wait_for 60 test -s pscal.data
kill "$target"
wait_for 60 has_ended "$recorder"
expect 0 wait "$recorder"
[ -n "$(fact pscal.data end_ns)" ] || fail "the recording is not complete"

# These signals are passed to the command; a terminal sends it SIGINT and SIGQUIT itself.
for signal in TERM HUP USR1 USR2 ALRM VTALRM PROF IO PWR RTMIN; do
	rm -f pscal.data trapped
	"$PSCAL" record -q -- sh -c "trap 'exit 7' $signal; : >trapped; sleep 30 & wait; kill \$!" &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 test -e trapped
	kill -s "$signal" "$recorder"
	expect 7 wait "$recorder"
	[ -n "$(fact pscal.data end_ns)" ] || fail "SIG$signal: the recording is not complete"
done
for signal in INT QUIT; do
	rm -f pscal.data
	env --default-signal "$PSCAL" record -q -- sleep 0.7 &
	recorder=$!
	wait_for 60 test -s pscal.data
	kill -s "$signal" "$recorder"
	expect 0 wait "$recorder"
	span=$(($(fact pscal.data end_ns) - $(fact pscal.data start_ns)))
	[ "$span" -ge 700000000 ] || fail "SIG$signal ended the recording after $span ns of 0.7 s"
done

# left SIGNAL STATUS: the recorder has ended with a complete recording, and the command has not.
left()
{
	expect "$2" wait "$recorder"
	grep -q "has not ended after SIG$1: it continues" said || fail "SIG$1: said: $(cat said)"
	[ -n "$(fact pscal.data end_ns)" ] || fail "SIG$1: the recording is not complete"
	command=$(sed -n 's/.*(process \([0-9]*\)) has not ended.*/\1/p' said)
	kill -0 "$command" || fail "SIG$1: the command has ended"
	: >go
	wait_for 60 has_ended "$command"
}

# A command that ignores two signals is left running.
cat >stays.sh <<'END'
trap 'echo asked >>asked' TERM INT
: >trapped
until test -e go; do sleep 0.1; done
END
for signal in TERM INT; do
	rm -f pscal.data go trapped asked
	env --default-signal "$PSCAL" record -- sh stays.sh 2>said &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 test -e trapped
	kill -s "$signal" "$recorder"
	if [ "$signal" = TERM ]; then
		wait_for 60 test -e asked
	else
		sleep 0.5 # until the recorder has handled it, which it does not report
	fi
	has_ended "$recorder" && fail "SIG$signal: once is enough"
	kill -s "$signal" "$recorder"
	left "$signal" "$(if [ "$signal" = TERM ]; then echo 143; else echo 130; fi)"
done

# A command of another user gets one signal.
if [ "$(id -u)" -eq 0 ]; then
	rm -f pscal.data go trapped asked
	mkdir -m 777 theirs
	(cd theirs && exec env --default-signal "$PSCAL" record -o ../pscal.data -- \
		setpriv --reuid=65534 --regid=65534 --clear-groups sh ../stays.sh 2>../said) &
	recorder=$!
	wait_for 60 test -s pscal.data
	wait_for 60 test -e theirs/trapped
	kill -TERM "$recorder"
	wait "$recorder"
	[ $? -eq 143 ] || fail "another user's: $(cat said)"
	: >theirs/go
	grep -q 'has not ended after SIGTERM' said || fail "another user's: said: $(cat said)"
	[ -n "$(fact pscal.data end_ns)" ] || fail "another user's: the recording is not complete"
fi

# The recorder's own limit of CPU time ends the recording, not the command.
rm -f pscal.data
"$PSCAL" record -q -- sh -c 'until test -e go; do sleep 0.05; done; exit 7' &
recorder=$!
wait_for 60 test -s pscal.data
kill -s XCPU "$recorder"
recording_ends()
{
	[ -n "$(fact pscal.data end_ns)" ]
}
wait_for 60 recording_ends
: >go
expect 7 wait "$recorder"

# With probes, no probe or file is left.
if [ "$(uname -m)" = x86_64 ]; then
	for signal in QUIT USR1 ALRM; do
		rm -f pscal.data go trapped
		env --default-signal "$PSCAL" record -q --probe 'libc.so.6:nanosleep' \
			--uprobe libc:nanosleep -- \
			sh -c 'trap "exit 7" USR1 ALRM; : >trapped
				until test -e go; do sleep 0.05; done; exit 7' &
		recorder=$!
		wait_for 60 test -s pscal.data
		wait_for 60 test -e trapped
		kill -s "$signal" "$recorder"
		: >go
		expect 7 wait "$recorder"
		[ -z "$(directory_of "$recorder")" ] || fail "SIG$signal: its directory is left behind"
		[ ! -e /sys/kernel/tracing/uprobe_events ] ||
			! grep "_$recorder\b" /sys/kernel/tracing/uprobe_events ||
			fail "SIG$signal: probes are left behind"
	done
fi
