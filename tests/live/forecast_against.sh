#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The parts of the error of a forecast, compared with a recording on two cores, add up to it on any
# machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$PSCAL" record -q -o probe.data true 2>refusal || {
	cat refusal
	exit 77
}
head -c 4000000 /dev/urandom >noise
"$PSCAL" record -q -o one.data -- taskset -c 0 pigz -p 2 -c noise >/dev/null || fail 'one core'
"$PSCAL" record -q -o two.data -- taskset -c 0,1 pigz -p 2 -c noise >/dev/null || fail 'two cores'
"$PSCAL" forecast -q --format json --against two.data one.data >parts.json 2>said || fail "$(cat said)"
jq -e '.against[0] | .cores == 2 and .forecast_s > 0 and .measured_cpu_s > 0 and
	(.error - .work - .others - .idle - .structure | fabs) < 1e-9' parts.json >/dev/null ||
	fail "the parts are not the error: $(cat parts.json)"
jq -e '[.parts[] | select(.part == "thread")] | length > 0' parts.json >/dev/null ||
	fail "no work by thread: $(cat parts.json)"
