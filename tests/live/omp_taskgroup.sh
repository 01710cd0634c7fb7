#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# OpenMP programs wait in a taskwait for children, and in a taskgroup, at a barrier and at the end
# of a region for all descendants, with gcc's library and with LLVM's.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

cat >waits.c <<'END'
#include <unistd.h>

static int began, waited, ended;

static void await(int *number, int least)
{
	while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < least)
		usleep(1000);
}

static void add(int *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELEASE);
}

/*
 * A child that spawns another one, which others run and which goes on behind what its parent's
 * taskwait waits for, until `waited` is as much.
 */
static void spawn_two(int least)
{
	int before = __atomic_load_n(&began, __ATOMIC_ACQUIRE);

#pragma omp task
	{
#pragma omp task
		{
			add(&began);
			await(&waited, least);
			usleep(5000);
			add(&ended);
		}
	}
	await(&began, before + 1);
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskgroup
		{
			spawn_two(1);
#pragma omp taskwait
			usleep(5000);
			add(&waited);
		}
		spawn_two(2);
#pragma omp taskwait
		add(&waited);
		await(&ended, 2); /* no task has waited for its child */
		usleep(5000);
		spawn_two(3);
#pragma omp taskwait
		add(&waited);
	}
	return 0;
}
END

for compiler in gcc clang; do
	$compiler -g -O1 -fopenmp -o waits waits.c 2>refusal || {
		echo "$compiler has no OpenMP: $(cat refusal)"
		exit 77
	}
	expect 0 "$PSCAL" record -q --tasks=omp -o waits.data ./waits
	expect 0 "$PSCAL" export -q --force --sqlite waits.db waits.data >said
	# The three grandchildren, in ns since the begin of the first of their parents: begin and
	# waited-for time of the parent, their own end, and the time at which a task had waited for
	# them.
	sqlite3 -separator ' ' waits.db "
		SELECT p.start - o.start, p.synced - o.start, c.start + c.time - o.start, c.synced - o.start
		FROM task AS c JOIN task AS p ON p.id = c.parent, (SELECT min(start) AS start FROM task) AS o
		WHERE c.level = 3 ORDER BY p.start" >found
	[ "$(wc -l <found)" -eq 3 ] || fail "$compiler: not three grandchildren: $(cat found)"
	# The group waits for the first one, before the next parent begins; the end of the region
	# waits for the two other ones, after the begin of the last one. No taskwait waits for any
	# of them.
	awk '
	{ begin[NR] = $1; waited[NR] = $2; end[NR] = $3; synced[NR] = $4 }
	$4 < $3 { wrong = "waited for before it ends" }
	$3 < $2 { wrong = "ended before its parent was waited for" }
	{ print }
	END {
		if (synced[1] <= waited[1] || synced[1] > begin[2])
			wrong = "not at the end of the group"
		if (synced[2] < waited[3] || synced[2] < end[3])
			wrong = "before the end of the region"
		if (synced[3] != synced[2])
			wrong = "not at the same place as the other one"
		print wrong
		exit wrong != ""
	}' found >judged || fail "$compiler: $(cat judged)"
	expect 0 "$PSCAL" dag --max-nodes 0 --format json waits.data >dag.json
	jq -e '[.never_run, .never_ended, .never_synced, .orphans, .contradictions] == [0, 0, 0, 0, 0]' \
		dag.json >/dev/null || fail "$compiler: $(jq -c 'del(.nodes, .edges)' dag.json)"
done
