#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of a server that begins as root and becomes somebody else, who may not go where the
# recording is: each call is there, those of threads and processes and programs that came later too.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf
[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are changed on x86-64 alone'
	exit 77
}
[ "$(id -u)" -eq 0 ] || {
	echo 'only root can become somebody else'
	exit 77
}

# Some windows of the memory of a thread.
calls=60000
program=$WORKLOADS/drops_rights
library=${PSCAL%/*}/libpscal-probe.so
chmod 700 .

# counted FILE COUNT: so often work() has been entered and left, and nothing is lost.
counted()
{
	perf script -i "$1" -F event,trace 2>/dev/null |
		sed -n 's/^ *\(pscal:[a-z]*\): *block=\([^ ]*\).*/\1 \2/p' | sort | uniq -c >counts
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

# What is executed then can only be watched where it may read the library itself.
if setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$library" -a -r "$program"; then
	expect 5 "$PSCAL" record --probe work -o exec.data "$program" $calls exec 2>said
	counted exec.data $((5 * calls))
fi

# Nobody else can see what is in there, or bring something in without knowing its name.
"$PSCAL" record -q --probe work,every=1000 -o /tmp/rights-$$.data "$program" 2000000000 >/dev/null 2>&1 &
pid=$!
wait_for 60 blocks_began $pid
directory=$(directory_of $pid)
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
[ "$(stat -c %a "${directory%/*}")" = 711 ] || fail "/run/pscal is $(stat -c %A "${directory%/*}")"
[ "$(stat -c %a "$directory")" = 711 ] || fail "its directory is $(stat -c %A "$directory")"
[ "$(stat -c %a "$directory/plan")" = 644 ] || fail "the plan is $(stat -c %A "$directory/plan")"
for place in "${directory%/*}" "$directory"; do
	$as_nobody ls "$place" >/dev/null 2>&1 && fail "everybody sees what is in $place"
	$as_nobody touch "$place/file" 2>/dev/null && fail "everybody can write into $place"
done
$as_nobody cat "$directory/owner" >/dev/null 2>&1 && fail 'everybody can lock its file'
kill -TERM $pid
wait $pid
[ ! -e "$directory" ] || fail "$directory is left over"
rm -f /tmp/rights-$$.data
exit 0
