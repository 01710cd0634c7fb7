#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording with no option tells the functions that threads began with, also of those that end
# at once and of those that were there before; and locks are called as the variables that they are.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_collector bpf

# names FILE COLUMN: the names of threads in a profile, each once.
names()
{
	"$PSCAL" profile -q --json "$1" | jq -r '[.threads[].name] | unique | join(", ")'
}

expect 0 "$PSCAL" record -q -o plain.data "$WORKLOADS/two_locks" 3 10
got=$(names plain.data)
[ "$got" = 'two_locks, two_locks work' ] || fail "threads are called $got"

expect 0 "$PSCAL" record -q -o short.data "$WORKLOADS/thread_generations" 2 3
got=$(names short.data)
[ "$got" = 'thread_generati, thread_generati nothing' ] || fail "threads are called $got"

# The other collectors look now and then.
for collector in perf task; do
	expect 0 "$PSCAL" record -q --collector $collector -o other.data "$WORKLOADS/two_locks" 3 200
	got=$(names other.data)
	[ "$got" = 'two_locks, two_locks work' ] || fail "$collector: threads are called $got"
done

"$WORKLOADS/two_locks" 3 400 &
sleep 0.2
expect 0 "$PSCAL" record -q -p $! --duration 0.3 -o attached.data
got=$(names attached.data)
[ "$got" = 'two_locks, two_locks work' ] || fail "threads are called $got"

expect 0 "$PSCAL" record -q --sync=all -o all.data "$WORKLOADS/two_locks" 3 60
"$PSCAL" forecast -q --cores 2 -k 2 --model replay --why --json all.data >why.json
jq -e '[.why.sites[].name] | index("wide")' why.json >found ||
	fail "no lock is called 'wide': $(jq -c '[.why.sites[].name]' why.json)"
