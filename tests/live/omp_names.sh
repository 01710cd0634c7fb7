#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks of a C++ program have readable names: without the decorations of compilers, and in text
# without the suffix that gcc appends to the body of a construct.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

cat >tree.cc <<'END'
namespace algo {
template <typename T> struct Tree {
	__attribute__((noinline)) T sum(int depth)
	{
		T a = 0, b = 0;
		if (!depth)
			return 1;
#pragma omp task shared(a)
		a = sum(depth - 1);
#pragma omp task shared(b)
		b = sum(depth - 1);
#pragma omp taskwait
		return a + b;
	}
};
}
int main()
{
	algo::Tree<long> tree;
	long all = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	all = tree.sum(4);
	return all != 16;
}
END

for compiler in g++ clang++; do
	$compiler -g -O1 -fopenmp -o tree tree.cc 2>refusal || {
		echo "$compiler has no OpenMP: $(cat refusal)"
		exit 77
	}
	expect 0 "$PSCAL" record -q --tasks=omp -o 1.data ./tree
	expect 0 "$PSCAL" record -q --tasks=omp -o 2.data ./tree
	expect 0 "$PSCAL" stretch -v --by task --min-score 0 1.data 2.data >stretch.txt
	expect 0 "$PSCAL" stretch --by task --format json 1.data 2.data >stretch.json
	expect 0 "$PSCAL" dag --dot --max-nodes 0 1.data >dag.txt
	expect 0 "$PSCAL" dag --max-nodes 0 --format json 1.data >dag.json
	expect 0 "$PSCAL" export -q --force --sqlite 1.db 1.data >said
	cat stretch.txt stretch.json dag.txt dag.json >all
	sqlite3 1.db 'SELECT function FROM interval UNION SELECT function FROM task' >>all
	! grep -q _ZN all || fail "$compiler: $(grep _ZN all)"
	case $compiler in
	g++)
		shown='algo::Tree<long>::sum(int) (task 0)'
		raw='algo::Tree<long>::sum(int) [clone ._omp_fn.0]'
		;;
	*) raw='algo::Tree<long>::sum(int)' shown=$raw ;;
	esac
	grep -qF "$shown " stretch.txt || fail "$compiler: stretch: $(cat stretch.txt)"
	grep -qF "label=\"$shown tree.cc:" dag.txt || fail "$compiler: dag: $(cat dag.txt)"
	jq -e --arg raw "$raw" '[.rows[].function] | index($raw)' stretch.json >/dev/null ||
		fail "$compiler: $(jq -c '[.rows[].function]' stretch.json)"
	jq -e --arg raw "$raw" '[.nodes[].function] | index($raw)' dag.json >/dev/null ||
		fail "$compiler: $(jq -c '[.nodes[].function] | unique' dag.json)"
	[ "$(sqlite3 1.db 'SELECT DISTINCT function FROM interval' | grep -cxF "$raw")" -eq 1 ] ||
		fail "$compiler: export: $(sqlite3 1.db 'SELECT DISTINCT function FROM interval')"
done
