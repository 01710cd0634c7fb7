#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# -z: the file is smaller, and file and text have the same profile.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# shellcheck disable=SC2016 # for the inner shell
busy='for i in $(seq 100); do seq 300 | sort -n | tail -n 1; done'

expect 0 "$PSCAL" record -q -o plain.data -- sh -c "$busy" >/dev/null
expect 0 "$PSCAL" record -z -q -- sh -c "$busy" >/dev/null
plain=$(stat -c %s plain.data)
packed=$(stat -c %s pscal.data)
[ $((3 * packed)) -lt "$plain" ] || fail "$packed bytes with -z, $plain without"

expect 0 "$PSCAL" profile --format csv pscal.data >file.csv
expect 0 "$PSCAL" profile --format json pscal.data >said.json
jq -e '.quality | .truncated or .malformed > 0 | not' said.json >/dev/null ||
	fail "quality $(jq -c .quality said.json)"
need_perf
perf script --ns -i pscal.data >trace.txt 2>errors || fail "perf: $(cat errors)"
[ ! -s errors ] || fail "perf said: $(cat errors)"
"$PSCAL" profile --pid "$(fact pscal.data root)" --format csv <trace.txt >text.csv ||
	fail 'its text cannot be read'
forget_exec pscal.data
expect 0 "$PSCAL" profile --format csv pscal.data >file.csv
cmp file.csv text.csv || fail "$(diff file.csv text.csv)"

# A recording that perf has compressed has as many events as perf prints.
perf record -z -q -o perf.data -a -e sched:sched_switch -e sched:sched_waking \
	-e sched:sched_process_fork -- sh -c "$busy" >/dev/null 2>&1 || {
	echo 'this perf does not compress'
	exit 77
}
expect 0 "$PSCAL" profile --format json perf.data >said.json
printed=$(perf script -i perf.data 2>/dev/null | grep -c ' sched:sched_')
[ "$(jq .quality.events said.json)" -eq "$printed" ] ||
	fail "of perf: $(jq .quality.events said.json) events, perf prints $printed"
jq -e '.quality | .truncated or .malformed > 0 | not' said.json >/dev/null ||
	fail "of perf: quality $(jq -c .quality said.json)"
