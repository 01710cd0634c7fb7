#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pscal run records, prints profile and forecast, keeps the recording, and exits with the status of
# the command.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# shellcheck disable=SC2016 # the $ are for sh
expect 7 "$PSCAL" run -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 7' >out 2>said
grep -q ' in pscal.data$' said || fail "said: $(cat said)"

# The labels of the first output in README.md, in its order.
labels()
{
	sed -n 's/^ *//; s/  */ /g; s/^\(Run-queue wait:\|Limit\|next:\|cores wall\) .*/\1/p' "$1"
}
awk '/^    \$ /{ blocks++ } blocks == 1' "${0%/*}/../../README.md" >readme
labels readme >wanted
[ "$(wc -l <wanted)" = 4 ] || fail "README.md shows: $(cat wanted)"
labels out | cmp -s - wanted || fail "printed: $(cat out)"
"$PSCAL" profile -q >/dev/null || fail 'the recording is not kept'

# As one JSON object, beside the output of the command.
expect 0 "$PSCAL" run --json -- echo printed >out 2>said
grep -qx printed said || fail "said: $(cat said)"
jq -e '.profile.comm == "echo" and (.forecast.forecast | length > 0)' out >/dev/null ||
	fail "JSON: $(cat out)"

# The states of a command begin with its exec, with every collector.
for collector in bpf perf task; do
	expect 0 "$PSCAL" record -q --collector $collector -- echo printed >out
	"$PSCAL" timeline --format csv pscal.data | sed -n 2p >first
	grep -q '^0,.*,echo,running,' first || fail "$collector: the first state is $(cat first)"
done

sleep 60 &
target=$!
trap 'kill $target' EXIT
expect 0 "$PSCAL" run -q -p $target --duration 200ms -o other.data >out 2>said
[ -s other.data ] || fail 'the recording of a process is not kept'
[ -s out ] || fail 'nothing is printed for a process'

rm -f pscal.data
expect 1 "$PSCAL" run -- ./there-is-no-such-program >out 2>said
[ ! -s out ] || fail "printed: $(cat out)"
grep -q '^pscal run: .*there-is-no-such-program' said || fail "said: $(cat said)"
expect 2 "$PSCAL" run 2>said
expect 2 "$PSCAL" run -p $target -- true 2>said
expect 2 "$PSCAL" run -o - -- true 2>said
