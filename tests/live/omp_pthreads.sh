#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads of the program with parallel regions of their own: each is a root, which ends with its
# thread, with gcc's library and with LLVM's.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

cat >threads.c <<'END'
#include <pthread.h>
#include <stddef.h>

static int sum;

static void *run(void *data)
{
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp task
			__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
		}
	}
	return data;
}

int main(void)
{
	pthread_t threads[5];

	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	run(NULL);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END

for compiler in gcc clang; do
	$compiler -g -O1 -fopenmp -pthread -o threads threads.c 2>refusal || {
		echo "$compiler has no OpenMP: $(cat refusal)"
		exit 77
	}
	expect 0 "$PSCAL" record -q --tasks=omp -o threads.data ./threads
	expect 0 "$PSCAL" dag --max-nodes 0 --format json threads.data >dag.json
	jq -e '[.tasks, .levels, .never_begun, .never_run, .never_ended, .never_synced, .orphans,
		.contradictions] == [6 + 6 * 3 * 2 * 2, 3, 0, 0, 0, 0, 0, 0]' dag.json >/dev/null ||
		fail "$compiler: $(jq -c 'del(.nodes, .edges)' dag.json)"
	[ "$(jq '[.nodes[] | select(.level == 0) | .tree_path] | unique | length' dag.json)" -eq 6 ] ||
		fail "$compiler: not six roots: $(jq -c '[.nodes[] | select(.level == 0)]' dag.json)"
done
