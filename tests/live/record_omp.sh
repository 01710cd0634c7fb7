#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks of OpenMP programs in a recording, with gcc's library and with LLVM's: each is there with
# its place in the source, as perf script prints them; and the command behaves as without a
# recorder.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

# 2 fib(13) - 2 tasks, the root, and two of the region.
tasks=$((2 * 233 - 2))

# count STEP [TEXT]: the number of these steps in the recording, on lines with the text.
count()
{
	perf_script -i pscal.data -F event,trace 2>/dev/null |
		grep 'pscal:task:' | grep "step=$1 " | grep -c -- "${2-}"
}

# exactly COUNT STEP [TEXT]
exactly()
{
	wanted=$1
	shift
	got=$(count "$@")
	[ "$got" -eq "$wanted" ] || fail "$program: $got instead of $wanted of $*"
}

for program in omp_fib omp_fib_clang; do
	[ -x "$WORKLOADS/$program" ] || {
		echo 'libomp-dev is not installed, which clang needs for OpenMP'
		exit 77
	}
	"$WORKLOADS/$program" 12 >plain || fail "status $?: $program"
	expect 0 "$PSCAL" record --tasks=omp "$WORKLOADS/$program" 12 >watched 2>said
	cmp plain watched || fail "$program prints something else while it is recorded"
	grep -q '^tasks: .* 0 lost' said || fail "$program: $(cat said)"
	exactly $((tasks + 3)) begin
	exactly $((tasks + 3)) end
	exactly $((tasks + 2)) spawn
	exactly 2 begin 'omp_fib.c:29 '
	exactly "$tasks" begin 'omp_fib.c:1[68] '
	exactly "$tasks" spawned 'omp_fib.c:1[68] '
	exactly $((tasks / 2)) synced 'omp_fib.c:20 '
	exactly 1 synced 'site=main .*omp_fib.c:29 '
done

# A command without tasks runs as usual, and a message reports it.
expect 3 "$PSCAL" record --tasks=omp sh -c 'echo done; exit 3' >watched 2>said
[ "$(cat watched)" = 'done' ] || fail "sh prints '$(cat watched)'"
grep -q 'nothing was recorded: the command uses no OpenMP' said || fail "sh: $(cat said)"

# A statically linked program has no loader; the message is that of --probe.
cc -static -fopenmp "${0%/*}/../workloads/omp_fib.c" -o static 2>/dev/null || {
	echo 'this machine cannot link a static program'
	exit 77
}
expect 1 "$PSCAL" record --tasks=omp ./static 12 2>said
grep -q 'linked statically' said || fail "a static program: $(cat said)"
expect 0 "$PSCAL" record --tasks=omp sh -c './static 12' >watched 2>said
cmp plain watched || fail 'a static program prints something else'
grep -q 'or starts a program that is linked statically' said || fail "a static program of a shell: $(cat said)"
