#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Probes in the kernel record the enters and leaves of functions: exactly as often as the program
# reports, started and attached, with both collectors; perf reads them; and no probe is left over.
# Runs alone: it counts the probes of the whole machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

program=$WORKLOADS/known_calls
"$PSCAL" record -q --uprobe "$program:call_nap" -o probe.data "$program" 1 1 >output 2>refusal || {
	cat refusal
	exit 77
}

# script FILE: prints the events of the program by perf script.
script()
{
	perf_script -i "$1" -F comm,tid,cpu,time,event,trace 2>/dev/null | grep '^ *known_calls '
}

# exactly FILE FUNCTION CALLS: so many enters of the function, and so many leaves.
exactly()
{
	script "$1" >script.txt
	for side in enter leave; do
		got=$(grep -c " pscal_$side:$2: " script.txt)
		[ "$got" -eq "$3" ] || fail "$1: $got of pscal_$side:$2, not $3"
	done
}

# all_of FILE THREADS TURNS: the events of all functions, with their values.
all_of()
{
	exactly "$1" call_outer $(($2 * $3))
	exactly "$1" call_inner $((2 * $2 * $3))
	exactly "$1" call_fall $((6 * $2))
	last=$(($3 - 1))
	for line in "pscal_enter:call_outer: ([0-9a-f]*) arg1=$last " \
		"pscal_leave:call_outer: ([0-9a-f]* <- [0-9a-f]*) ret=$((20 * last + 3))\$" \
		"pscal_enter:call_inner: ([0-9a-f]*) arg1=$last arg2=1\$" \
		"pscal_enter:call_inner: ([0-9a-f]*) arg1=$last arg2=2\$" \
		"pscal_leave:call_inner: ([0-9a-f]* <- [0-9a-f]*) ret=$((10 * last + 2))\$"; do
		got=$(grep -c " $line" script.txt)
		[ "$got" -eq "$2" ] || fail "$1: '$line' $got times, not $2"
	done
	# Each thread leaves the function that it entered last.
	awk '{
		at = match($0, /pscal_(enter|leave):[a-z_]*/)
		if (!at)
			next
		side = substr($0, at, 11)
		name = substr($0, at + 12, RLENGTH - 12)
		if (side == "pscal_enter")
			stack[$2, ++depth[$2]] = name
		else if (stack[$2, depth[$2]--] != name)
			wrong++
	}
	END { for (tid in depth) wrong += depth[tid] != 0
		exit wrong > 0 }' script.txt || fail "$1: enters and leaves do not nest"
}

# naps PID: the process is in its first nap, which SIGUSR1 ends.
naps()
{
	grep -q '^SigCgt:.*2..$' "/proc/$1/status" && grep -q '^State:.*S' "/proc/$1/status"
}

# attached PID ARGUMENT...: records the napping process, wakes it, and waits for its end.
attached()
{
	pid=$1
	shift
	wait_for 60 naps "$pid"
	begin_recording -p "$pid" "$@"
	kill -USR1 "$pid"
	wait "$pid"
	# shellcheck disable=SC2154 # begin_recording sets it
	expect 0 wait "$recorder"
}

for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	expect 0 "$PSCAL" record --collector $collector --uprobe "$program:call_*,args=2" \
		-o started.data "$program" 4 500 >output 2>said
	[ "$(cat output)" = 9986000 ] || fail "the program behaves differently: $(cat output)"
	all_of started.data 4 500
	exactly started.data call_nap 2
	grep -q 'probes: 6 026 enters and 6 026 leaves of 4 functions, 0 not recorded' said ||
		fail "not said: $(cat said)"
	grep -q ' us a call$' said || fail "the cost is not reported: $(cat said)"
	[ -z "$(left_over)" ] || fail "probes are left over"

	"$program" 3 300 1000000 >output &
	attached $! --collector $collector --uprobe known_calls:call_*,args=2 \
		-o attached.data
	all_of attached.data 3 300
	# The first nap had begun before the recording.
	exactly attached.data call_nap 1
done

# The cost was measured: about that of a trap.
cost=$(fact started.data uprobe_cost_ns)
if [ "$cost" -lt 300 ] || [ "$cost" -gt 100000 ]; then
	fail "$cost ns a call"
fi

# As a stream, with call chains, beside other probes, and for a static program by its path.
"$PSCAL" record -q --uprobe "$program:call_outer" -o - "$program" 2 50 2>/dev/null >stream.data
exactly stream.data call_outer 100
expect 0 "$PSCAL" record -q --sync=all --call-graph fp --uprobe "$program:call_outer" \
	--uprobe "$program:call_inner" -o chains.data "$program" 2 50 >output
exactly chains.data call_inner 200
perf script -i chains.data 2>/dev/null | grep -A 4 'pscal_enter:call_inner' |
	grep -q ' call_inner+' || fail "no call chains: $(perf script -i chains.data | tail)"
if cc -static -O2 -o static "${0%/*}/../workloads/known_calls.c" -lpthread 2>refusal; then
	expect 0 "$PSCAL" record -q --uprobe ./static:call_outer -o static.data ./static 2 50 >output
	[ "$(perf_script -i static.data -F event 2>/dev/null | grep -c 'pscal_leave:call_outer')" -eq 100 ] ||
		fail "a static program"
else
	echo "no static program can be linked here: $(cat refusal)"
fi

# A program whose file was replaced while it runs.
cp "$program" replaced
./replaced 2 50 1000000 >output &
pid=$!
wait_for 60 naps $pid
cp /bin/true other && mv other replaced
attached $pid --uprobe ./replaced:call_outer -o replaced.data
[ "$(perf_script -i replaced.data -F event 2>/dev/null | grep -c 'pscal_leave:call_outer')" -eq 100 ] ||
	fail "replaced: $(perf script -i replaced.data | grep -c pscal_)"

# Another program at this path in the root directory of the target.
if mkdir -p root && [ -x static ] && cp static root/known && [ "$(id -u)" -eq 0 ]; then
	chroot root /known 2 50 1000000 >output &
	attached $! --uprobe /known:call_outer -o root.data
	[ "$(perf_script -i root.data -F event 2>/dev/null | grep -c 'pscal_leave:call_outer')" -eq 100 ] ||
		fail "in a root of its own"
fi

# Other processes that run the same file: their threads are not recorded; hits of those with higher
# ids are counted and left out.
hits=4
[ $((2 * $(cut -d ' ' -f 5 /proc/loadavg))) -lt "$(cat /proc/sys/kernel/pid_max)" ] || hits=6
"$program" 1 1 1000000 >before &
before=$!
"$program" 1 1 1000000 >output &
pid=$!
wait_for 60 naps $before
wait_for 60 naps $pid
begin_recording --uprobe "$program:call_nap" -p $pid -o others.data 2>said
"$program" 1 1 50 >younger
kill -USR1 $before
wait $before
kill -USR1 $pid
wait $pid
expect 0 wait "$recorder"
grep -q "probes: 1 enters and 1 leaves of" said || fail "of others: $(cat said)"
grep -q "^! $hits more hits came from other processes that run the same code" said ||
	fail "hits of other processes are not counted: $(cat said)"
[ "$("$PSCAL" timeline --blocks --format csv others.data | grep -c ',call_nap$')" -eq 1 ] ||
	fail "hits of other processes are not left out: $("$PSCAL" timeline --blocks others.data)"

# A message warns of many hits; a killed recorder leaves its probes to the next one, which removes
# them.
"$PSCAL" record --uprobe "$program:call_inner" -o many.data "$program" 2 20000 >output 2>said
# ... if there were many hits; on a loaded machine there may be few.
sed 's/\([0-9]\) \([0-9]\)/\1\2/g' said | awk '
	/ s wall, / { wall_s = $3 }
	/ enters and / { hits = $2 + $5 }
	/ were hit .* times a second/ { warned = 1 }
	END { exit !(wall_s > 0 && hits == 160000 && warned == (hits > 10000 * wall_s)) }' ||
	fail "no warning, or a warning without a reason: $(cat said)"
"$PSCAL" record -q --uprobe "$program:call_inner" -o killed.data "$program" 1 1 5000 >output &
pid=$!
wait_for 60 has_probes "$pid"
kill -KILL $pid
wait $pid 2>/dev/null
[ -n "$(left_over)" ] || fail "nothing was left over"
expect 0 "$PSCAL" record -q --uprobe "$program:call_inner" -o next.data "$program" 1 1 >output
[ -z "$(left_over)" ] || fail "the left-over probes are still there"

# Exceptions cannot leave a function with a uprobe: such functions are probed only on request.
cat >throws.cc <<'END'
#include <cstdio>
extern "C" __attribute__((noinline)) int throws(int n) { if (n % 2) throw n; return n; }
extern "C" __attribute__((noinline)) int passes(int n) { return throws(n) + 1; }
extern "C" __attribute__((noinline)) int catches(int n) { try { return passes(n); } catch (int) { return 7; } }
int main() { int sum = 0; for (int i = 0; i < 10; i++) sum += catches(i); return !std::printf("%d\n", sum); }
END
if g++ -O1 -o throws throws.cc 2>refusal && g++ -O1 -s -rdynamic -static-libstdc++ \
	-static-libgcc -o throws_alone throws.cc; then
	for each in ./throws:passes './throws:p*' libstdc++:_Znwm ./throws_alone:passes; do
		expect 1 "$PSCAL" record --uprobe "$each" -o no.data ./throws >output 2>said
		grep -q 'exceptions,\{0,1\}' said || fail "$each: $(cat said)"
		[ ! -s output ] || fail "$each: it has run"
	done
	expect 0 "$PSCAL" record -q --uprobe ./throws:catches --uprobe libc:puts,exceptions \
		-o throws.data ./throws >output
	[ "$(cat output)" = 60 ] || fail "a function that catches all: $(cat output)"
	[ "$(perf_script -i throws.data -F event 2>/dev/null | grep -c 'pscal_leave:catches')" -eq 10 ] ||
		fail "a function that catches all is not recorded"
else
	echo "no C++ can be built here: $(cat refusal)"
fi

# Names that event names cannot contain are restored.
cat >odd.c <<'END'
#include <stdio.h>
void odd(int i) __asm__("odd.name");
__attribute__((noinline)) void odd(int i)
{
	printf("%d\n", i);
}
int main(void)
{
	odd(1);
	return 0;
}
END
if cc -O1 -o odd odd.c 2>refusal; then
	expect 0 "$PSCAL" record -q --uprobe ./odd:odd.name -o odd.data ./odd >output
	[ "$(fact odd.data block)" = 'odd_name odd.name' ] || fail "a name is lost"
	perf script -i odd.data 2>/dev/null | grep -q 'pscal_enter:odd_name:' || fail "not printed"
	"$PSCAL" timeline --blocks odd.data | grep -q ' odd\.name$' || fail "a name is not read"
fi
