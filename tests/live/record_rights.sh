#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of a server that starts as root and becomes another user, which may not enter the folder
# of the recording: each call is there, also those of later threads, processes and programs.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf
[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}
[ "$(id -u)" -eq 0 ] || {
	echo 'this test needs root, to become another user'
	exit 77
}

# Twenty windows of the memory of the first thread.
calls=20000
program=$WORKLOADS/drops_rights
library=${PSCAL%/*}/libpscal-probe.so
chmod 700 .

# counted FILE COUNT: the recording has COUNT enters and leaves of work(), and no loss.
counted()
{
	perf_script -i "$1" -F event,trace 2>/dev/null | awk '
		$1 ~ /^pscal:[a-z]*:$/ && $2 ~ /^block=/ { n[$1 " " $2]++ }
		END { for (line in n) print " " n[line], line }' | sed 's/: block=/ /' >counts
	for event in enter leave; do
		grep -q "^ *$2 pscal:$event work\$" counts ||
			fail "$1: not $2 of $event: $(cat counts) $(cat said)"
	done
	[ "$(fact "$1" blocks_lost)" = 0 ] || fail "$1: $(fact "$1" blocks_lost) lost"
}

expect 5 "$PSCAL" record --probe work -o dropped.data "$program" $calls 2>said
counted dropped.data $((4 * calls))
for block in first second later; do
	grep -q " 1 pscal:enter $block\$" counts || fail "no block $block: $(cat counts)"
done
grep -q 'functions: .* of 3 threads' said || fail "not three threads: $(cat said)"

# A program that starts later is recorded only if it may read the library itself.
if setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$library" -a -r "$program"; then
	expect 5 "$PSCAL" record --probe work -o exec.data "$program" $calls exec 2>said
	counted exec.data $((5 * calls))
fi

# No other user can list the directory, or add a file to it.
"$PSCAL" record -q --probe work,every=1000 -o /tmp/rights-$$.data "$program" 2000000000 >/dev/null 2>&1 &
pid=$!
wait_for 60 blocks_began $pid
directory=$(directory_of $pid)
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
[ "$(stat -c %a "${directory%/*}")" = 711 ] || fail "/run/pscal is $(stat -c %A "${directory%/*}")"
[ "$(stat -c %a "$directory")" = 711 ] || fail "its directory is $(stat -c %A "$directory")"
[ "$(stat -c %a "$directory/plan")" = 644 ] || fail "the plan is $(stat -c %A "$directory/plan")"
for place in "${directory%/*}" "$directory"; do
	$as_nobody ls "$place" >/dev/null 2>&1 && fail "any user can list $place"
	$as_nobody touch "$place/file" 2>/dev/null && fail "any user can write into $place"
done
$as_nobody cat "$directory/owner" >/dev/null 2>&1 && fail 'any user can lock its file'
kill -TERM $pid
wait $pid
[ ! -e "$directory" ] || fail "$directory is left over"
rm -f /tmp/rights-$$.data
exit 0
