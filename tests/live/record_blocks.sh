#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The begins and ends of functions, recorded from inside of a command: each call once, of all
# threads and processes, as perf script prints them; and the command behaves as without a recorder.
# Runs alone: a recorder that is killed would leave the files that this test looks for.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf
[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}

blocks=$WORKLOADS/blocks
threads=3 calls=400 generations=4
counted= # the recording that the file "counts" is of
outer=$((calls * threads * (generations + 1) + calls * generations))

# events FILE: prints "COUNT pscal:EVENT BLOCK" for each kind of event.
events()
{
	perf_script -i "$1" -F event,trace 2>/dev/null |
		sed -n 's/^ *\(pscal:[a-z]*\): *block=\([^ ]*\).*/\1 \2/p' |
		awk '{ n[$0]++ } END { for (line in n) print " " n[line], line }'
}

# exactly FILE EVENT BLOCK COUNT
exactly()
{
	[ "$counted" = "$1" ] || events "$1" >counts
	counted=$1
	grep -q "^ *$4 pscal:$2 $3\$" counts || fail "$1: not $4 of $2 $3: $(cat counts)"
}

# said WORDS: the messages of the recorder contain them.
said()
{
	grep -q -- "$1" said || fail "no message contains '$1': $(cat said)"
}

# No recorder has left its directory. Other recorders may have directories meanwhile.
clean()
{
	for directory in $(directories); do
		owner=$(sed -n 's/^pid //p' "$directory/owner" 2>/dev/null)
		# Another recorder may end just now: it removes its directory, and then exits.
		[ -d "/proc/${owner:-self}" ] || [ ! -e "$directory" ] || fail "$directory is left over"
	done
}

# Threads, forks and execs, by functions of the program and by blocks that it marks.
expect 7 "$PSCAL" record --probe outer --probe 'inn?r' -o all.data \
	"$blocks" $threads $calls $generations 2>said >printed
[ "$(cat printed)" = "done" ] || fail "the program has printed: $(cat printed)"
for event in enter leave; do
	exactly all.data $event outer $outer
	exactly all.data $event inner $((2 * outer))
	exactly all.data $event marked $outer
done
[ "$(wc -l <counts)" -eq 6 ] || fail "events of other programs: $(cat counts)"
said 'functions: .* 0 lost'
said ' ns a call'
[ "$(fact all.data blocks_every)" = 1 ] || fail "blocks_every $(fact all.data blocks_every)"
[ "$(fact all.data blocks_lost)" = 0 ] || fail "blocks_lost $(fact all.data blocks_lost)"
[ "$(fact all.data blocks_drift_ns)" -lt 100000 ] ||
	fail "blocks_drift_ns $(fact all.data blocks_drift_ns)"
clean

# The cost is counted: of outer, twice inner, and the marks.
"$PSCAL" profile --format json all.data 2>/dev/null >profile.json
[ "$(jq '.overhead | .blocks, .uprobes, .block_cost_s * .blocks <= .added_s' profile.json | tr '\n' ' ')" = \
	"$((4 * outer)) 0 true " ] || fail "costs: $(jq .overhead profile.json)"

# In each thread they nest: inner within outer within marked, and times do not decrease.
perf_script -i all.data -F tid,time,event,trace --ns 2>/dev/null |
	sed -n 's/^ *\([0-9]*\) *\([0-9.]*\): *pscal:\([a-z]*\): *block=\([a-z]*\).*/\1 \2 \3 \4/p' |
	awk '
	$2 < time[$1] { print "back in time: " $0; exit 1 }
	{ time[$1] = $2 }
	$3 == "enter" { stack[$1] = stack[$1] " " $4; next }
	{
		if (!sub(" " $4 "$", "", stack[$1])) {
			print "left without an enter: " $0 " in" stack[$1]
			exit 1
		}
	}
	END { for (tid in stack) if (stack[tid] != "") { print "never left:" stack[tid]; exit 1 } }
	' >order || fail "$(cat order)"

# Arguments and return values: outer(i) is 5 i, inner(i, 2) is 2 i.
expect 7 "$PSCAL" record -q --probe outer --probe inner,args=2,stacks=0 \
	-o values.data "$blocks" 1 3 0
perf_script -i values.data -F event,trace 2>/dev/null | sed -n 's/^ *pscal://p' | tr -s ' ' >values
for line in 'enter: block=inner args=2 3' 'leave: block=inner args=6' 'leave: block=outer args=10'; do
	grep -q "^$line *\$" values || fail "no '$line' in $(cat values)"
done

# Functions of a library, and the call chain of the first one.
expect 7 "$PSCAL" record -q --probe libc:pthread_create -o library.data "$blocks" $threads 1 0
exactly library.data enter pthread_create $threads
perf script -i library.data 2>/dev/null | grep -A 3 'pscal:enter: block=pthread_create' |
	grep -q 'run_threads\|main' || fail "no caller: $(perf script -i library.data | tail)"

# One call in three, at random.
expect 7 "$PSCAL" record --probe outer,every=3 -o some.data "$blocks" 1 30000 0 2>said
events some.data | awk '$2 == "pscal:enter" && $3 == "outer" { got = $1 }
	END { exit got < 9300 || got > 10700 }' || fail "one in three: $(events some.data)"
[ "$(fact some.data blocks_every)" = 3 ] || fail "blocks_every $(fact some.data blocks_every)"

# A program that a signal ends has written all earlier events; one that outlives the recording goes
# on.
expect 143 "$PSCAL" record -q --probe marks -o killed.data \
	sh -c "'$blocks' 1 1000 0; kill \$\$; sleep 10"
exactly killed.data enter marked 1000
expect 7 "$PSCAL" record -q --probe outer --duration 0.05 -o part.data "$blocks" 2 300000 0
clean

# Programs that cannot load the library: reported, and not changed.
expect 7 "$PSCAL" record --probe marks -o nothing.data env -i "$blocks" 1 10 0 2>said
said 'nothing was recorded: .* clears its environment'
if cc -O2 -static -o blocks_static "${0%/*}/../workloads/blocks.c" -lpthread 2>refusal; then
	expect 1 "$PSCAL" record --probe outer -o no.data ./blocks_static 1 10 0 2>said
	said 'is linked statically'
fi
cp "$blocks" stripped && strip stripped
expect 1 "$PSCAL" record --probe outer -o no.data ./stripped 1 10 0 2>said
said 'it is stripped'
expect 1 "$PSCAL" record --probe outre -o no.data "$blocks" 1 10 0 2>said
said "is called 'outre'; did you mean 'outer'?"
printf '#!%s\n' "$blocks" >script && chmod +x script
expect 1 "$PSCAL" record --probe nobody -o no.data ./script 2>said
said "functions of $blocks"
[ ! -e no.data ] || fail "a recording of nothing"
clean

# Processes that run without the library are named, and run as without a recorder: static programs
# here, and a program that a recorded process has become.
if [ -e blocks_static ]; then
	expect 3 "$PSCAL" record --probe libc:exit -o some.data sh -c \
		'./blocks_static 1 10 0; ./blocks_static 1 10 0; true; exit 3' 2>said
	said 'blocks_static (process [0-9]*), blocks_static (process [0-9]*) loaded no probe library, and so were'
	expect 7 "$PSCAL" record --probe libc:malloc -o some.data sh -c 'exec ./blocks_static 1 10 0' 2>said
	said 'blocks_static (process [0-9]*) loaded no probe library, and so was not recorded'
	expect 0 "$PSCAL" record --probe libc:malloc -o some.data sh -c 'ls >/dev/null; true' 2>said
	! grep 'loaded no probe library' said || fail 'all of them loaded it'
	clean
fi

# A killed recorder does not stop its command, which still runs then.
BLOCKS_GATE=$PWD/killed "$PSCAL" record -q --probe outer -o dead.data "$blocks" 1 500000 1 >printed 2>&1 &
pid=$!
wait_for 60 blocks_began $pid
kill -KILL $pid
wait $pid 2>/dev/null
: >killed
wait_for 60 grep -q 'done' printed
# ... and leaves its directory to the next recorder, which removes it.
expect 7 "$PSCAL" record -q --probe outer -o dead.data "$blocks" 1 10 0
clean
