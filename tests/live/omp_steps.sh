#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the steps that libpscal-omp.so reports of OpenMP programs, with gcc's library and LLVM's,
# to a replacement of the probe library: the number of tasks is the known one, each step is allowed
# in its place, and the programs behave as without it.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"

steps=${0%/*}/omp_steps.awk
omp=$1/libpscal-omp.so
log=$1/tools/step_log
loops=0

# told COMMAND...: writes the steps to the file `steps`.
told()
{
	rm -f steps
	STEP_LOG=steps LD_PRELOAD=$omp:$log "$@"
}

# exactly TASKS COMMAND...: it has this number of tasks, and its output is unchanged.
exactly()
{
	tasks=$1
	shift
	"$@" >plain || fail "status $?: $*"
	told "$@" >watched || fail "status $? while its tasks are recorded: $*"
	cmp plain watched || fail "prints something else while its tasks are recorded: $*"
	awk -v LOOPS=$loops -f "$steps" steps >found || fail "$*: $(tail found)"
	read -r count rest <found
	[ "$count" -eq "$tasks" ] || fail "$count tasks ($rest) instead of $tasks: $*"
}

# Each program has a root; each parallel region a task for each of 2 threads, or of 1.
cases()
{
	kind=$1
	exactly 8 "$WORKLOADS/omp_constructs$kind" regions
	exactly 7 "$WORKLOADS/omp_constructs$kind" nested
	exactly 5 "$WORKLOADS/omp_constructs$kind" sections
	exactly 11 "$WORKLOADS/omp_constructs$kind" loops
	exactly 5 "$WORKLOADS/omp_constructs$kind" barriers
	exactly 8 "$WORKLOADS/omp_constructs$kind" reductions
	exactly 7 "$WORKLOADS/omp_constructs$kind" in_place
	exactly 4 "$WORKLOADS/omp_constructs$kind" alone
	exactly 11 "$WORKLOADS/omp_constructs$kind" untied
	exactly 6 "$WORKLOADS/omp_constructs$kind" dependences
	exactly 8 "$WORKLOADS/omp_constructs$kind" taskgroups
	loops=1
	exactly 13 "$WORKLOADS/omp_constructs$kind" taskloops
	loops=0
	exactly 5 "$WORKLOADS/omp_constructs$kind" events
	exactly 11 "$WORKLOADS/omp_constructs$kind" aligned
	exactly 11 "$WORKLOADS/omp_constructs$kind" large
	exactly 11 "$WORKLOADS/omp_constructs$kind" sized
	exactly 1003 "$WORKLOADS/omp_constructs$kind" many
	# 2 fib(17) - 2 and 2056 tasks
	exactly 3195 "$WORKLOADS/omp_fib$kind" 16
	exactly 3196 "$WORKLOADS/omp_fib$kind" 16 3
	exactly 2059 "$WORKLOADS/omp_nqueens$kind" 8
}

cases ''

# A module that an interpreter loads, with a library that no other module sees.
command -v cc >/dev/null || {
	echo 'there is no compiler for a module that is loaded later'
	exit 77
}
cc -shared -fPIC -fopenmp -Dmain=run "${0%/*}/../workloads/omp_fib.c" -o module.so ||
	fail 'cc cannot make a module'
cat >loader.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
	int (*run)(int, char **) = module ? (int (*)(int, char **))dlsym(module, "run") : 0;
	return run ? run(argc, argv) : 1;
}
END
cc loader.c -o loader -ldl || fail 'cc cannot make the program that loads the module'
exactly 3195 ./loader 16

[ -x "$WORKLOADS/omp_fib_clang" ] || {
	echo 'libomp-dev is not installed, which clang needs for OpenMP'
	exit 77
}
cases _clang

# A program that gcc has compiled, with LLVM's library in place of gcc's: a function with two names
# reports its call once.
library=$(ldd "$WORKLOADS/omp_fib_clang" | sed -n 's/.*libomp[^ ]* => \([^ ]*\).*/\1/p')
[ -n "$library" ] || fail 'which library has clang linked?'
log=$log:$library
exactly 3195 "$WORKLOADS/omp_fib" 16

log=$1/tools/step_log

# A program without OpenMP reports no tasks.
told true || fail "status $? of true"
[ ! -e steps ] || fail "true has tasks: $(cat steps)"
