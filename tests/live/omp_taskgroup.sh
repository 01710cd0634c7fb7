#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What OpenMP programs wait for: a taskwait for children, and a taskgroup, a barrier and the end of a
# region for all that is below, in gcc's library and in LLVM's.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

cat >waits.c <<'END'
#include <unistd.h>

/* A child that spawns another one, which goes on behind it. */
static void spawn_two(void)
{
#pragma omp task
	{
#pragma omp task
		usleep(30000);
	}
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskgroup
		{
			spawn_two();
#pragma omp taskwait
			usleep(5000);
		}
		usleep(5000);
		spawn_two();
#pragma omp taskwait
		usleep(60000); /* the one below has ended by then, and nobody has waited for it */
		spawn_two();
#pragma omp taskwait
	}
	return 0;
}
END

for compiler in gcc clang; do
	$compiler -g -O1 -fopenmp -o waits waits.c 2>refusal || {
		echo "$compiler has no OpenMP: $(cat refusal)"
		exit 77
	}
	expect 0 "$PSCAL" record -q --omp -o waits.data ./waits
	expect 0 "$PSCAL" export -q --force --sqlite waits.db waits.data >said
	# Of the three below, when their parents were waited for, when they ended, and when they were
	# waited for, in ms since the first of the parents began.
	sqlite3 -separator ' ' waits.db "
		SELECT (p.synced - o.start) / 1000000, (c.start + c.time - o.start) / 1000000,
			(c.synced - o.start) / 1000000
		FROM task AS c JOIN task AS p ON p.id = c.parent, (SELECT min(start) AS start FROM task) AS o
		WHERE c.level = 3 ORDER BY p.start" >found
	[ "$(wc -l <found)" -eq 3 ] || fail "$compiler: not three tasks below others: $(cat found)"
	# Of the first the group has waited for it, before 5 ms have passed behind it, of the others the
	# end of the region.
	awk '
	$3 < $2 { wrong = "waited for before it ends" }
	NR == 1 && ($3 < $1 + 10 || $3 > $2 + 15) { wrong = "not at the end of the group" }
	NR == 1 { group = $3 }
	NR == 2 { at = $3 }
	NR > 1 && $3 < group + 60 { wrong = "before the end of the region" }
	NR == 3 && $3 != at { wrong = "not where the other one is" }
	{ print }
	END { print wrong; exit wrong != "" }' found >judged || fail "$compiler: $(cat judged)"
	expect 0 "$PSCAL" dag --max-nodes 0 --format json waits.data >dag.json
	jq -e '[.never_run, .never_ended, .never_synced, .orphans, .contradictions] == [0, 0, 0, 0, 0]' \
		dag.json >/dev/null || fail "$compiler: $(jq -c 'del(.nodes, .edges)' dag.json)"
done
