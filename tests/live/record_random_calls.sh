#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that random programs enter and leave, in 64 threads that fork, exec, get signals, end in
# the middle of calls and leave them by longjmp: no event is lost or invented, and those of each
# thread are in order. With one call in M, about 1 / M of them is recorded. EVENTS (400 000) for
# each way of recording.
# Runs alone: its 64 threads take all CPUs.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

tools=$1/tools
events=${EVENTS:-400000}
case $(uname -m) in
x86_64) ;;
*)
	echo 'functions are recorded on x86-64 only'
	exit 77
	;;
esac

# same_as_told PROBE WORKLOAD KIND SEED [OPTION...]
same_as_told()
{
	probe=$1
	program=$2
	kind=$3
	seed=$4
	shift 4
	expect 0 "$PSCAL" record -q --probe "$probe" "$@" -o calls.data \
		"$WORKLOADS/$program" "$kind" "$events" 64 "$seed" >told
	[ "$(wc -l <told)" -eq 400 ] || fail "$kind: $(wc -l <told) threads, not 400"
	"$tools/check_calls" calls.data <told >checked ||
		fail "$program $kind $seed --probe $probe $*: $(tail -n 20 checked)"
	echo "$program $kind $seed --probe $probe $*: $(tail -n 1 checked)"
	rm -f calls.data calls.data.old
}

same_as_told 'call_*' random_calls functions 1
same_as_told 'call_*,args=3,stacks=100' random_calls functions 2
same_as_told marks random_calls marks 3
same_as_told marks random_calls_instrumented functions 4

# counted EVERY: the number of enters of each function.
counted()
{
	expect 0 "$PSCAL" record -q --probe "call_*,every=$1" -o calls.data \
		"$WORKLOADS/random_calls" functions "$events" 64 6 >told
	perf_script -i calls.data -F event,trace 2>/dev/null | awk '
		$1 == "pscal:enter:" { count[substr($2, length("block=") + 1)]++ }
		END { for (name in count) print count[name], name }'
}

# The same calls, one in M at random: within 6 standard deviations, sqrt(N (M - 1)) / M, of N / M.
if perf --version >/dev/null 2>&1; then
	counted 1 >all
	[ "$(wc -l <all)" -eq 8 ] || fail "all functions: $(cat all)"
	for every in 2 7 100; do
		counted $every | awk -v every=$every '
			FNR == NR { all[$2] = $1; next }
			{ got[$2] = $1 }
			END {
				for (name in all)
					if ((got[name] * every - all[name]) ^ 2 > 36 * all[name] * (every - 1))
						print name ": " got[name] " of " all[name]
			}' all - >wrong
		[ ! -s wrong ] || fail "every=$every: $(cat wrong)"
	done
fi

# The checker detects faults: a lost event, a wrong order, a thread without events, and one that the
# program did not report.
expect 0 "$PSCAL" record -q --probe 'call_*' -o calls.data \
	"$WORKLOADS/random_calls" functions 20000 64 5 >told
awk 'NR == 3 { $3++ } NR == 5 { $4 = "0123456789abcdef" } NR == 7 { $2 = 1 } { print }' told >wrong
expect 1 "$tools/check_calls" calls.data <wrong >checked
grep -q ' 4 threads wrong' checked || fail "the faults are not detected: $(cat checked)"
