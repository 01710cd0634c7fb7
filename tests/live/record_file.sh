#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The file of a recording: its owner, the fate of an older one, its facts on the recording, and the
# closing line.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record true 2>said
[ "$(wc -l <said)" -eq 2 ] || fail "not two lines: $(cat said)"
grep -Eq '^pscal record: [0-9]\.[0-9]{3} s wall, 1 thread, [0-9]+ events, 0 lost, [0-9.]+ [kM]B in pscal\.data$' said ||
	fail "said: $(cat said)"
[ "$(stat -c %a pscal.data)" = 600 ] || fail "mode $(stat -c %a pscal.data)"

cp pscal.data first
expect 0 "$PSCAL" record -q sh -c true 2>said
[ ! -s said ] || fail "not quiet: $(cat said)"
cmp pscal.data.old first || fail "pscal.data.old is not the recording before"

# An empty recording replaces no file.
cp pscal.data second
expect 1 "$PSCAL" record --comm none-of-them --duration 0.1 2>said
grep -q "no thread of this name ran.*'ps -eLo comm' lists" said || fail "said: $(cat said)"
sleep 60 & # it exists, but does not run during the recording
sleeper=$!
expect 1 "$PSCAL" record --comm sleeep --duration 0.1 2>said
kill $sleeper
grep -q "did you mean .*'sleep'" said || fail "said: $(cat said)"
expect 1 "$PSCAL" record no-such-program 2>said
cmp pscal.data second || fail "a recording of nothing replaced pscal.data"
cmp pscal.data.old first || fail "a recording of nothing replaced pscal.data.old"

# The text of a recording has the same target.
perf script -i pscal.data 2>/dev/null | "$PSCAL" profile --json >text.json || fail "no text"
"$PSCAL" profile --json >file.json || fail "no file"
for json in text file; do
	jq -c '[.threads[].tid] | sort' $json.json >$json.tids
done
cmp text.tids file.tids || fail "threads of the text: $(cat text.tids), of the file: $(cat file.tids)"

before_ns=$(date +%s%N)
expect 0 "$PSCAL" record -q -o other.data taskset -c 0 sleep 0.2
all_ns=$(($(date +%s%N) - before_ns))
[ "$(fact other.data mode)" = command ] || fail "mode '$(fact other.data mode)'"
[ "$(fact other.data root | wc -w)" -eq 1 ] || fail "root '$(fact other.data root)'"
span=$(($(fact other.data end_ns) - $(fact other.data start_ns)))
[ "$span" -ge 200000000 ] || fail "recorded $span ns of 0.2 s"
[ "$span" -lt $all_ns ] || fail "recorded $span ns of $all_ns"

# The birth of the command is in the recording, but only of it and its children.
for collector in bpf perf; do
	expect 0 "$PSCAL" record --collector $collector -o tree.data \
		"$WORKLOADS/thread_generations" 3 5 2>said
	grep -q ' 19 threads, ' said || fail "$collector: 19 threads, but said: $(cat said)"
done
forks=$(fact tree.data count | sed -n 's/sched:sched_process_fork //p')
[ "$forks" -ge 19 ] || fail "$forks forks"

expect 0 "$PSCAL" record -q -o /dev/null true
[ -c /dev/null ] || fail "/dev/null was replaced"
mkdir directory
expect 1 "$PSCAL" record -q -o directory true
