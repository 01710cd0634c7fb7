#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Without options, a recording has the start functions of threads, also of threads that end at once
# and of those that ran before; and locks have the names of their variables.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_collector bpf

# names FILE COLUMN: the names of threads in a profile, each once.
names()
{
	"$PSCAL" profile -q --json "$1" | jq -r '[.threads[].name] | unique | join(", ")'
}

expect 0 "$PSCAL" record -q -o plain.data "$WORKLOADS/two_locks" 3 10
got=$(names plain.data)
[ "$got" = 'two_locks, two_locks work' ] || fail "threads are called $got"

expect 0 "$PSCAL" record -q -o short.data "$WORKLOADS/thread_generations" 2 3
got=$(names short.data)
[ "$got" = 'thread_generati, thread_generati nothing' ] || fail "threads are called $got"

# The other collectors read the names at intervals.
for collector in perf task; do
	expect 0 "$PSCAL" record -q --collector $collector -o other.data "$WORKLOADS/two_locks" 3 200
	got=$(names other.data)
	[ "$got" = 'two_locks, two_locks work' ] || fail "$collector: threads are called $got"
done

"$WORKLOADS/two_locks" 3 400 &
sleep 0.2
expect 0 "$PSCAL" record -q -p $! --duration 0.3 -o attached.data
got=$(names attached.data)
[ "$got" = 'two_locks, two_locks work' ] || fail "threads are called $got"

# The place of a wait for a lock, too, without further options.
cat >table.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long work;
__attribute__((noinline)) static void update_table(void)
{
	pthread_mutex_lock(&table_lock);
	for (int i = 0; i < 200000; i++)
		work += i;
	pthread_mutex_unlock(&table_lock);
}
static void *worker(void *argument)
{
	for (int i = 0; i < 200; i++)
		update_table();
	return argument;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
EOF
if cc -O1 -fno-omit-frame-pointer -o table table.c -lpthread 2>refusal; then
	expect 0 "$PSCAL" record -q -o table.data ./table
	"$PSCAL" forecast -q --why --json -o why.json table.data
	jq -e '[.why.sites[].name] | index("table_lock in update_table < worker")' why.json >found ||
		fail "the lock has another name: $(jq -c '[.why.sites[].name]' why.json)"
fi

expect 0 "$PSCAL" record -q --sync=all -o all.data "$WORKLOADS/two_locks" 3 60
"$PSCAL" forecast -q --cores 2 -k 2 --model replay --why --json all.data >why.json
jq -e '[.why.sites[].name] | index("wide")' why.json >found ||
	fail "no lock is called 'wide': $(jq -c '[.why.sites[].name]' why.json)"

# A lock on the heap of a program without frame pointers is named by the function that waits for it.
# named FILE NAME: a site of forecast --why has this name.
named()
{
	"$PSCAL" forecast -q --cores 2 -k 2 --model replay --why --json "$1" >why.json
	jq -e --arg name "$2" '[.why.sites[].name] | index($name)' why.json >found ||
		fail "$1: no site is called '$2': $(jq -c '[.why.sites[].name]' why.json)"
}

if [ "$(uname -m)" = x86_64 ]; then
	expect 0 "$PSCAL" record -q -o heap.data "$WORKLOADS/heap_locks" 4 300 1
	named heap.data 'lock on the heap in update_table'
	expect 0 "$PSCAL" record -q -o several.data "$WORKLOADS/heap_locks" 4 300 2
	named several.data 'lock on the heap in update_table (2 of 2)'
	expect 0 "$PSCAL" record -q --sync=all --off-cpu -o all.data "$WORKLOADS/heap_locks" 4 100 1
	named all.data 'lock on the heap in update_table'
fi
