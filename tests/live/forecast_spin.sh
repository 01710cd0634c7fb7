#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# In a replay, spinning counts as work or as waiting, in the proportion that the threads have
# measured themselves.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record -q -F 1997 -o spin.data "$WORKLOADS/waiting_threads" 20 >truth.txt
spun=$(awk '$1 == "paused" || $1 == "plain" { spun += $2 } { all += $2 + $3 }
	END { print spun / all }' truth.txt)

for kind in work waiting; do
	expect 0 "$PSCAL" forecast -q --model replay -n 1 --spin $kind --format json -o $kind.json \
		spin.data
	jq -e --arg kind $kind --argjson spun "$spun" '.spin == $kind and
		(.spin_share - $spun | fabs) < 0.06' $kind.json >/dev/null ||
		fail "$kind: $spun is spun, found $(jq -c '[.spin, .spin_share]' $kind.json)"
done

# Waiting needs no core, and work does. Its share of the wall time depends on other programs: waits
# last longer while these use the machine.
jq -se --argjson spun "$spun" '(.[1].forecast[0].work_bound_s / .[0].forecast[0].work_bound_s
	- (1 - $spun) | fabs) < 0.06' work.json waiting.json >/dev/null ||
	fail "$spun is spun; CPU time $(jq -c '.forecast[0].work_bound_s' work.json waiting.json)"
jq -se '([.[0].checks[] | select(.check == "alone").passed] == [false]) or
	.[1].forecast[0].wall_s < .[0].forecast[0].wall_s' work.json waiting.json >/dev/null ||
	fail "one core: $(jq -c '.forecast[0].wall_s' work.json waiting.json)"

# The replay checks its assumption on spinning.
jq -se '[.[].checks[] | select(.check == "spinning").passed] == [false, true]' \
	work.json waiting.json >/dev/null || fail "conditions: $(jq -c .checks work.json)"
expect 0 "$PSCAL" forecast --model replay --spin waiting spin.data >spin.txt
grep -q 'Busy-waiting takes [1-9]' spin.txt || fail "no note: $(cat spin.txt)"

# Without samples spinning is unknown, and the forecast is the same.
expect 0 "$PSCAL" record -q -o none.data "$WORKLOADS/waiting_threads" 3 >/dev/null
for kind in work waiting; do
	expect 0 "$PSCAL" forecast -q --model replay --spin $kind --format csv none.data |
		cut -d, -f2 >$kind.csv
done
cmp work.csv waiting.csv || fail "without samples: $(diff work.csv waiting.csv)"
expect 0 "$PSCAL" forecast --model replay --spin waiting none.data >none.txt
grep -q 'waiting changes nothing: no samples' none.txt || fail "without samples: $(cat none.txt)"

# Four threads wait for a lock in loops of trylock and sched_yield, and it is held most of the time.
# Without calls a forecast does not know the lock, and warns; with calls, four cores gain almost
# nothing.
cat >tries.c <<'EOF'
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
	for (int i = 0; i < 60; i++) {
		while (pthread_mutex_trylock(&lock))
			sched_yield();
		for (volatile int j = 0; j < 6000000; j++)
			;
		pthread_mutex_unlock(&lock);
		for (volatile int j = 0; j < 600000; j++)
			;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
EOF
expect 0 cc -o tries tries.c -lpthread
expect 0 "$PSCAL" record -q -o tries.data taskset -c 0 ./tries
expect 0 "$PSCAL" record -q --sync=all -o calls.data taskset -c 0 ./tries
for file in tries calls; do
	expect 0 "$PSCAL" forecast -q --model replay -n 4 --format json -o $file.json $file.data
done
jq -e '.doubt | test("poll with sched_yield")' tries.json >/dev/null ||
	fail "no doubt: $(jq -c '[.doubt, .checks[]]' tries.json)"
jq -se '.[1].forecast[0].wall_s > 2 * .[0].forecast[0].wall_s and
	([.[1].checks[] | select(.check == "polls").passed] == [true])' tries.json calls.json \
	>/dev/null || fail "a lock: $(jq -c '[.forecast, .checks]' tries.json calls.json)"
