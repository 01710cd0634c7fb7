#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --follow shows the input from a pipe each second, until it ends or the user ends it.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# A recorder that runs for some seconds: profiles that grow, the last of which is the whole one.
: >lines.json
# shellcheck disable=SC2016 # for the inner shell
"$PSCAL" record -q -o - -- sh -c 'until [ "$(wc -l <lines.json)" -ge 3 ]; do
	seq 20000 | sort -n >/dev/null
	sleep 0.5
done' |
	tee recorded | "$PSCAL" profile --follow --format json >lines.json || fail 'pscal profile --follow failed'
[ "$(wc -l <lines.json)" -ge 3 ] || fail "too few profiles: $(cut -c -80 lines.json)"
jq -s -e '[.[].wall_s] | . == sort and first < last / 1.2 and first > 0' lines.json >/dev/null ||
	fail "the profiles do not grow: $(jq .wall_s lines.json)"
"$PSCAL" profile --format json recorded | jq -c . >whole.json
tail -n 1 lines.json | jq -c . | cmp - whole.json || fail 'the last profile is not the whole one'

# A pipe that stays open without data.
for t in 1 2 3; do
	for s in 0 1 2 3 4 5 6 7 8 9; do
		echo "loop 70/70 [000] $t.$s: sched:sched_switch: prev_comm=loop prev_pid=70" \
			"prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120"
		echo "swapper 0/0 [000] $t.${s}5: sched:sched_switch: prev_comm=swapper/0 prev_pid=0" \
			"prev_prio=120 prev_state=R ==> next_comm=loop next_pid=70 next_prio=120"
	done
done >text
mkfifo pipe
"$PSCAL" profile --follow -q pipe >said 2>&1 &
profile=$!
exec 3>pipe
cat text >&3
wait_for 60 grep -q '^CPUs used' said
expect 0 kill -INT $profile
wait $profile || fail "after Ctrl-C: $(cat said)"
[ "$(grep -c '^CPUs used' said)" -eq 2 ] || fail "not one profile and the last one: $(cat said)"
"$PSCAL" profile -q text >whole
tail -n "$(wc -l <whole)" said | cmp - whole || fail 'the last profile is not the whole one'
exec 3>&-

# A writer without pauses: the second Ctrl-C ends pscal.
perl -e '$| = 1; open TEXT, "text"; @text = <TEXT>;
	print(@text), select(undef, undef, undef, 0.1) while 1' >pipe &
writer=$!
rm said
"$PSCAL" profile --follow -q pipe >said 2>&1 &
profile=$!
wait_for 60 grep -q '^CPUs used' said
kill -INT $profile
sleep 1.5
kill -0 $profile || fail 'one Ctrl-C ended it while there was input'
kill -INT $profile
wait $profile || fail "after the second Ctrl-C: $(cat said)"
wait $writer # its pipe has no reader any more

# The reader of the output may end first.
rm -f status
until [ -e status ]; do
	cat text || break
	sleep 0.3
done 2>/dev/null | {
	"$PSCAL" profile --follow --format json 2>said
	echo $? >status
} | head -n 1 >line
[ "$(cat status)" -eq 1 ] || fail "status $(cat status): $(cat said)"
grep -q 'standard output: cannot write: Broken pipe' said || fail "said: $(cat said)"
