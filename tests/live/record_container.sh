#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A program in a PID namespace is recorded from outside, with the process ids that it has outside.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

unshare --pid --fork --propagation unchanged --mount-proc true || {
	echo "no PID namespace: unshare is refused"
	exit 77
}

# A command: three threads of one process, as the program reports, with their ids outside.
expect 0 "$PSCAL" record -q -- unshare --pid --fork --propagation unchanged --mount-proc "$WORKLOADS/phases" 20 >inside
[ "$(cut -d ' ' -f 1 inside | sort -n | head -n 1)" = 1 ] || fail "inside: $(cat inside)"
"$PSCAL" timeline -q --format csv >intervals
awk -F , '$6 == "phases" { print $4 }' intervals | sort -un >tids
[ "$(wc -l <tids)" -eq 3 ] || fail "threads: $(tr '\n' ' ' <tids)"
awk '$1 <= 3 { exit 1 }' tids || fail "ids of the container: $(tr '\n' ' ' <tids)"
pid=$(head -n 1 tids)
strange=$(awk -F , -v pid="$pid" '$6 == "phases" && $5 != pid' intervals | head -n 1)
[ -z "$strange" ] || fail "not of process $pid: $strange"

# A process, by its id outside.
begun()
{
	grep -q begun drops
}

unshare --pid --fork --kill-child --propagation unchanged --mount-proc "$WORKLOADS/thread_rain" 1000 1000 60 >drops &
container=$!
trap 'kill $container 2>/dev/null' EXIT
wait_for 60 begun
target=$(grep -l "^PPid:[[:space:]]*$container\$" /proc/[0-9]*/status 2>/dev/null | cut -d / -f 3)
[ -n "$target" ] || fail "the process in the container is not found"
begin_recording -p "$target"
lives_on "$target" 300
kill "$target"
# shellcheck disable=SC2154 # begin_recording sets it
expect 0 wait "$recorder"
wait "$container" || fail "the program failed"
start_ns=$(fact pscal.data start_ns | head -n 1)
wanted=$(awk -v start="$start_ns" 'NF == 4 && $3 > start' drops | wc -l)
"$PSCAL" timeline -q --format csv >intervals
got=$(awk -F , -v pid="$target" 'NR > 1 && $4 != pid { print $4 }' intervals | sort -u | wc -l)
strange=$(awk -F , -v pid="$target" 'NR > 1 && $5 != "" && $5 != pid' intervals | head -n 1)
[ -z "$strange" ] || fail "not of process $target: $strange"
# A thread that was exiting at the start may be shown beside them.
if [ "$wanted" -eq 0 ] || [ "$got" -lt "$wanted" ]; then
	fail "$got of $wanted threads are shown"
fi
