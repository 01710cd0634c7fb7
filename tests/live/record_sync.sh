#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both collectors record the calls in which threads wait for each other: those of the program, and
# no other ones on its objects; perf reads them; and no probe is left over.
# Runs alone: the next recorder of any user removes the files of a killed one.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

events=$(mount | awk '$5 == "tracefs" { print $3 "/uprobe_events"; exit }')

# no_probes: no recorder has left probes.
no_probes()
{
	[ -z "$(left_over)" ] || fail "probes are left over: $(cat "$events")"
}

# calls FILE EVENT [WORD]: the number of events of the program that perf script prints, with that
# word. The file may also have events of other programs.
calls()
{
	perf_script -i "$1" -F comm,tid,cpu,time,event,trace 2>/dev/null |
		grep "^ *sync_calls " | grep " $2: " | grep -c -w -- "${3-}"
}

# object NAME: its address in the program.
object()
{
	sed -n "s/^$1 //p" objects
}

# exactly FILE EVENT WANT [WORD]
exactly()
{
	got=$(calls "$1" "$2" "${4-}")
	[ "$got" -eq "$3" ] || fail "$1: $got of $2 ${4-}, not $3"
}

# kernel FILE: checks the system calls. Each one that begins ends, except at the death of a thread.
kernel()
{
	exactly "$1" syscalls:sys_enter_clock_nanosleep 30
	exactly "$1" syscalls:sys_exit_clock_nanosleep 30
	entered=$(calls "$1" syscalls:sys_enter_futex)
	left=$(calls "$1" syscalls:sys_exit_futex)
	if [ "$entered" -eq 0 ] || [ "$left" -gt "$entered" ]; then
		fail "$1: $entered futex calls, $left returns"
	fi
	calls "$1" syscalls:sys_enter_futex "uaddr: $(object mutex)" >count
	[ "$(cat count)" -gt 0 ] || fail "$1: no thread waits for the mutex"
}

# library FILE: checks the calls of the C library. Calls from outside the program are on other
# objects.
library()
{
	exactly "$1" pscal:mutex_lock 30 "object=$(object mutex)"
	exactly "$1" pscal:mutex_unlock 30 "object=$(object mutex)"
	exactly "$1" pscal:barrier_init 1 "object=$(object barrier) count=3"
	exactly "$1" pscal:barrier_wait 3 "object=$(object barrier)"
	exactly "$1" pscal:sem_init 1 "object=$(object semaphore) count=0"
	exactly "$1" pscal:sem_wait 3 "object=$(object semaphore)"
	exactly "$1" pscal:sem_post 3 "object=$(object semaphore)"
}

for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	expect 0 "$PSCAL" record -q --collector $collector --sync -o futex.data \
		"$WORKLOADS/sync_calls" 3 10 >objects
	kernel futex.data
	[ "$(calls futex.data 'pscal:[a-z_]*')" -eq 0 ] || fail "probes without --sync=all"
	expect 0 "$PSCAL" record -q --collector $collector --sync=all -o all.data \
		"$WORKLOADS/sync_calls" 3 10 >objects
	kernel all.data
	library all.data
	no_probes

	# The profile is that of the program without recorded calls: 30 ms in which a thread sleeps
	# with the mutex.
	for file in futex.data all.data; do
		expect 0 "$PSCAL" profile -q --format json -o profile.json $file
		jq -e '(.threads | length) == 4 and .wall_s > 0.03 and .unknown_s < 0.01' \
			profile.json >/dev/null || fail "$collector $file: $(cat profile.json)"
	done
	# The cost of calls is measured and reported if they are recorded.
	"$PSCAL" profile -q --format json futex.data |
		jq -e '.overhead | .call_cost_s == null and .calls == 0 and .system_calls > 30' \
			>/dev/null || fail "$collector: calls have a cost without --sync"
	"$PSCAL" profile -q --format json all.data |
		jq -e '.overhead | .call_cost_s > 1e-7 and .call_cost_s < 1e-4 and .calls >= 70 and
			.added_s >= .calls * .call_cost_s' >/dev/null ||
		fail "$collector: the cost of calls: $("$PSCAL" profile -q --format json all.data)"
	# In the form that readers of perf script expect.
	perf script -i all.data 2>/dev/null >all.txt
	grep -q 'pscal:mutex_lock: ([0-9a-f]*) object=0x' all.txt ||
		fail "not as perf script prints it: $(head all.txt)"
done

# Without the option: calls that wait or wake, with the collector that records them at no cost for
# other programs.
for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o usual.data "$WORKLOADS/sync_calls" 3 10 \
		>objects 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	if [ $collector = bpf ]; then
		kernel usual.data
		"$PSCAL" profile -q --format json usual.data |
			jq -e '.overhead | .system_calls > 30 and .calls == 0' >/dev/null ||
			fail "calls by default: $("$PSCAL" profile -q --format json usual.data)"
	else
		exactly usual.data syscalls:sys_enter_futex 0
	fi
done
expect 0 "$PSCAL" record -q --sync=none -o none.data "$WORKLOADS/sync_calls" 3 10 >objects
exactly none.data syscalls:sys_enter_futex 0

# Each sched_yield, with each way to record it.
cat >yields.c <<'EOF'
#include <sched.h>
int main(void)
{
	for (int i = 0; i < 1000; i++)
		sched_yield();
}
EOF
expect 0 cc -o yields yields.c
for option in futex all; do
	expect 0 "$PSCAL" record -q --sync=$option -o yields.data ./yields
	yields=$(perf_script -i yields.data -F event 2>/dev/null | grep -c sys_enter_sched_yield)
	[ "$yields" -eq 1000 ] || fail "--sync=$option: $yields calls of sched_yield, not 1000"
done

# A process with a C library that cannot be probed is named, and no other process.
"$PSCAL" record --sync=all -o own.data "$WORKLOADS/sync_calls" 3 10 2>said >objects
grep -q 'not by visible calls' said && fail "calls that were seen: $(cat said)"
"$PSCAL" record --sync=all -o naps.data "$WORKLOADS/naps" 3 5 2>said >naps
grep -q 'not by visible calls' said && fail "threads that only sleep: $(cat said)"
if cc -static -s -o sync_static "${0%/*}/../workloads/sync_calls.c" -lpthread 2>refusal; then
	"$PSCAL" record --sync=all -o static.data sh -c './sync_static 3 10; true' 2>said >objects
	grep -q 'Threads of 1 process wait for each other, but not by visible calls' said ||
		fail "a static program: $(cat said)"
	"$PSCAL" record --sync -o static.data ./sync_static 3 10 2>said >objects
	grep -q 'not by visible calls' said && fail "without --sync=all: $(cat said)"
else
	echo "no static program can be linked here: $(cat refusal)"
fi

# A running process: its libraries are found by its mappings.
has_threads()
{
	[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 3 ]
}

"$WORKLOADS/sync_calls" 2 100000 >objects &
pid=$!
wait_for 60 has_threads
begin_recording --sync=all -p $pid -o attached.data
lives_on "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)" 100
# shellcheck disable=SC2154 # begin_recording sets it
kill -INT "$recorder"
expect 0 wait "$recorder"
kill $pid
wait $pid
[ "$(calls attached.data pscal:mutex_lock "object=$(object mutex)")" -gt 10 ] ||
	fail "attached: no mutex_lock"
no_probes

# A function that the kernel cannot probe is named, and the rest of its file is recorded.
cat >locked.c <<'EOF'
#include <unistd.h>
int pthread_mutex_lock(int *mutex);
int pthread_mutex_unlock(int *mutex);
__asm__(".text\n"
	".globl pthread_mutex_lock\n.type pthread_mutex_lock, @function\n"
	"pthread_mutex_lock: lock incl (%rdi)\nret\n"
	".size pthread_mutex_lock, .-pthread_mutex_lock\n"
	".globl pthread_mutex_unlock\n.type pthread_mutex_unlock, @function\n"
	"pthread_mutex_unlock: decl (%rdi)\nret\n"
	".size pthread_mutex_unlock, .-pthread_mutex_unlock\n");
int main(void)
{
	int mutex = 0;

	for (int i = 0; i < 60000; i++) {
		usleep(1000);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}
EOF
if [ "$(uname -m)" = x86_64 ]; then
	expect 0 cc -fno-builtin -o locked locked.c
	./locked &
	pid=$!
	"$PSCAL" record --sync=all -p $pid --duration 0.5 -o locked.data 2>said
	kill $pid
	wait $pid
	tr '\n' ' ' <said | grep -q 'misses calls of mutex_lock in [^ ]*/locked: ' ||
		fail "a function that cannot be probed: $(cat said)"
	perf_script -i locked.data -F event 2>/dev/null | grep -q mutex_unlock ||
		fail "nothing of the file is recorded"
fi

# Call chains of the callers.
expect 0 "$PSCAL" record -q --sync --call-graph fp -o chains.data "$WORKLOADS/sync_calls" 2 5 \
	>objects
perf script -i chains.data 2>/dev/null |
	awk '/sys_enter_clock_nanosleep:/ { in_it = 1; next } NF < 2 { in_it = 0 }
		in_it && /nanosleep/ { found++; in_it = 0 } END { exit found < 10 }' ||
	fail "no call chains: $(perf script -i chains.data | tail)"

# If thread numbers differ from those that the kernel prints, calls would get wrong threads.
if unshare --pid --fork --propagation unchanged --mount-proc true 2>refusal; then
	expect 1 unshare --pid --fork --propagation unchanged --mount-proc "$PSCAL" record -q --sync -o no.data true 2>said
	grep -q 'record outside of it' said || fail "in a container: $(cat said)"
fi

# Recording fails with an unknown word, and without rights.
expect 2 "$PSCAL" record -q --sync=most -o no.data true 2>refusal
grep -q -- '--sync: most: take futex' refusal || fail "refusal: $(cat refusal)"
