#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibrations at three times widen the intervals of recordings of this machine, and of no other
# machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# shellcheck disable=SC2016 # the program is another shell's
"$PSCAL" record -q -o own.data -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>refusal || {
	cat refusal
	exit 77
}
export XDG_CACHE_HOME="$PWD/cache"
kept=cache/pscal/calibration.json

# forecast FILE: prints the origin of the interval, the variation of speed, and the upper end on 64
# cores.
forecast()
{
	"$PSCAL" forecast -q -n 64 --format json "$1" >forecast.json 2>said || fail "$(cat said)"
	jq -c '[.interval_from, .speed_noise, .forecast[0].hi_s / .forecast[0].wall_s]' forecast.json
}

[ "$(forecast own.data | jq -c '.[:2]')" = '["constant",null]' ] || fail "never calibrated: $(forecast own.data)"
before=$(forecast own.data | jq '.[2]')
"$PSCAL" forecast --calibrate --format json >calibration.json 2>said || fail "$(cat said)"
jq -e '.calibrations == 1 and .speed_noise == null' calibration.json >/dev/null ||
	fail "one calibration: $(cat calibration.json)"
[ "$(forecast own.data | jq -c '.[:2]')" = '["constant",null]' ] || fail "one calibration: $(forecast own.data)"

# Three calibrations, one of them faster and one slower: the standard deviation is ln 1.2 = .1823.
jq '.speeds[0] as $now | .speeds = [(1, 1.2, 1 / 1.2) as $faster | $now |
	.compute *= $faster | .memory *= $faster | .time_s += 1000 * $faster]' "$kept" >three.json ||
	fail 'cannot edit the calibration'
cat three.json >"$kept"
forecast own.data >told
jq -e --argjson before "$before" '.[0] == "calibrations" and (.[1] - .1823 | fabs) < .001 and
	.[2] > $before * 1.5' told >/dev/null || fail "three calibrations: $(cat told), before $before"
"$PSCAL" forecast -n 64 -v own.data >told 2>said || fail "$(cat said)"
tr '\n' ' ' <told | grep -q "speed, 18 % between 3  *calibrations" || fail "not told: $(cat told)"

# The next calibration is added.
"$PSCAL" forecast --calibrate --format json >calibration.json 2>said || fail "$(cat said)"
jq -e '.calibrations == 4' calibration.json >/dev/null || fail "the fourth: $(cat calibration.json)"

# A recording of another CPU.
other=${0%/*}/../data/examples/pscal.data
[ "$(forecast "$other" | jq -c '.[:2]')" = '["constant",null]' ] || fail "another machine: $(forecast "$other")"
