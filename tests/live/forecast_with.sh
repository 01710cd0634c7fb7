#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two programs on the same core: a forecast from a recording of each alone, and a run of both
# together. The measured times are printed; only the order of their ends is checked.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$PSCAL" record -q -o probe.data true 2>refusal || {
	cat refusal
	exit 77
}
head -c 10000000 /dev/urandom >noise
head -c 2000000 noise >part
"$PSCAL" record -q -o short.data -- taskset -c 0 gzip -c noise >/dev/null || fail 'recording the short program'
"$PSCAL" record -q -o long.data -- taskset -c 0 xz -1 -T1 -c part >/dev/null || fail 'recording the long program'
"$PSCAL" forecast -q -n 1,2 --format json short.data --with long.data >both.json 2>said ||
	fail "$(cat said)"

# On one core both wait for the CPU, and take turns; on two cores neither waits.
jq -e '[.together[] | select(.cores == 1)] | length == 2 and
	(map(.factor > 1.1 and .factor < 2.3 and .taken_s > 0) | all) and
	.[0].together_s < .[1].together_s and
	.[1].together_s <= 1.05 * .[1].in_turn_s' both.json >/dev/null ||
	fail "on one core: $(cat both.json)"
jq -e '[.together[] | select(.cores == 2)] | length == 2 and
	(map(.factor > .95 and .factor < 1.05) | all)' both.json >/dev/null ||
	fail "on two cores: $(cat both.json)"

# timed NAME COMMAND...: writes its wall time and its CPU time, both in seconds, to NAME.
timed()
{
	name=$1
	shift
	bash -c 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null' bash "$@" 2>"$name"
}
timed short taskset -c 0 gzip -c noise &
short=$!
timed long taskset -c 0 xz -1 -T1 -c part &
wait $! || fail 'the long program, together'
wait $short || fail 'the short program, together'
for i in 0 1; do
	name=$([ $i -eq 0 ] && echo short || echo long)
	jq -r "[.together[] | select(.cores == 1)][$i] | \"\(.together_s) \(.cpu_s)\"" both.json |
		cat - "$name" | xargs | awk -v name="$name" '{
			printf "%s: forecast %.3f s, %.2f times its CPU time; measured %.3f s, %.2f times\n",
				name, $1, $1 / $2, $3, $3 / ($4 + $5) }'
done
awk 'FNR == 1 { wall[++files] = $1 } END { exit !(wall[1] < wall[2]) }' short long ||
	fail "the short program ended last: $(cat short long)"
