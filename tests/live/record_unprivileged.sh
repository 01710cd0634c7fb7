#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An unprivileged user records programs of the same user, without wakeups, and gets a message about
# that.
# Runs alone: it changes a setting of the kernel.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo "this test needs root, and setpriv, to become an unprivileged user"
	exit 77
fi

# The level that most distributions set.
level=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$level" -eq 2 ] || echo 2 >/proc/sys/kernel/perf_event_paranoid
trap 'echo "$level" >/proc/sys/kernel/perf_event_paranoid; kill ${target-} 2>/dev/null' EXIT

cp "$PSCAL" "$WORKLOADS/thread_generations" "$WORKLOADS/phases" "$WORKLOADS/sleeping_threads" .
chmod 755 . pscal thread_generations phases sleeping_threads
mkdir -m 777 out
nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
nobody ./pscal record --help >/dev/null || {
	echo "another user cannot run programs here"
	exit 77
}

# All threads, however short they live, and one sentence about the missing wakeups.
expect 0 nobody ./pscal record -o out/many.data -- ./thread_generations 10 20 2>said
grep -q ' 211 threads, ' said || fail "1 + 10 * (1 + 20) threads, but said: $(cat said)"
grep -q ' 0 lost, ' said || fail "said: $(cat said)"
grep -q 'Wakeups were not recorded.*root.*setcap' said || fail "no message about wakeups: $(cat said)"
[ "$(fact out/many.data collector)" = task ] || fail "collector '$(fact out/many.data collector)'"

# The running time is the accounted and the stolen time.
before=$(stolen)
expect 0 nobody ./pscal record -q -o out/phases.data -- ./phases >cpu_times
late=$(stolen_since "$before")
"$PSCAL" profile --force --format json out/phases.data |
	jq -r '.threads[] | [.tid, .running_s] | join(" ")' | sort >recorded
sort cpu_times | join - recorded >both
[ "$(wc -l <both)" -eq 3 ] || fail "3 threads, but: $(cat cpu_times recorded)"
awk -v s="$late" '$3 > 1.05 * $2 + 0.02 + s || $3 < 0.95 * $2 - 0.02 { print "tid", $1, "cpu", $2, \
	"running", $3; bad = 1 } END { exit bad }' both || fail "running time is off"

# A running program of the same user.
mkfifo ready
chmod 666 ready
setpriv --reuid=65534 --regid=65534 --clear-groups ./sleeping_threads 50 >ready &
target=$!
read -r _ <ready
expect 0 nobody ./pscal record -o out/attach.data -p "$target" --duration 100ms 2>said
grep -q ' 51 threads, ' said || fail "said: $(cat said)"
kill "$target"

# A program of another user is refused.
"$WORKLOADS/sleeping_threads" 1 >ready &
target=$!
read -r _ <ready
expect 1 nobody ./pscal record -o out/theirs.data -p "$target" --duration 100ms 2>said
grep -q 'belongs to another user.*root' said || fail "said: $(cat said)"
[ ! -e out/theirs.data ] || fail "a recording was left behind"
