# SPDX-License-Identifier: GPL-3.0-or-later
# Several recordings of one program: work takes .5 times as long again with each further busy core.
# On 8 cores each of eight threads has 100 ms of work, and takes 450 ms for it.

$ for cores in 1 2 4 8; do awk -v cores=$cores -v slope=.5 -f "$DATA/replay/workers.awk" </dev/null >$cores.txt; done; pscal forecast -n 1,2,4,8 1.txt 2.txt
t1 gains up to 8 cores and no further: 0.450 s, 1.8x faster than on one.
Limit 0.450 s: work is slower while more cores are busy, as they share memory,
caches or clock. Without that: 0.100 s.
CPUs used: 2 of 2, 1.20 s CPU time.
Run-queue wait: 3.42 s in all; p50 44.6 ms, p99 44.6 ms, longest 45.0 ms.
! Work takes 1.50 (1.14 - 1.98) times as long with 2 busy cores as with one.
! 2 recordings cannot tell slow memory from a slow minute: repeat them in turn.
CPU time differs by about 7 % between runs (2 recordings).

cores  wall time    90 % interval  speedup  efficiency  measured  runs  error
    1    0.800 s  0.537 - 1.193 s     1.0x       100 %    800 ms     1  0.0 %
    2    0.600 s  0.449 - 0.801 s     1.3x        67 %    600 ms     1  0.0 %
    4    0.500 s  0.346 - 0.723 s     1.6x        40 %         -     -      -
    8    0.450 s  0.283 - 0.716 s     1.8x        22 %         -     -      -

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

next: pscal forecast --why 1.txt 2.txt

# Three numbers of cores show whether cores add up, or share a bandwidth.

$ pscal forecast -q -n 8 --format json 1.txt 2.txt 4.txt | jq -c '.runs, .slowdown, (.forecast[] | [.cores, .wall_s, .measured_s])'
{"recordings":3,"run_noise":0.05715476066494083,"slowdown_law":"contention","slowdown_slope":0.5,"slowdown_slope_error":0.06722332157257868}
"learned from recordings"
[1,0.8,0.8]
[2,0.6,0.6]
[4,0.5,0.5]
[8,0.45,null]
$ for cores in 1 2 4 8; do slope=$(awk -v b=$cores 'BEGIN { s = b * .5 > 1 ? b * .5 : 1; print(b > 1 ? (s - 1) / (b - 1) : 0) }'); awk -v cores=$cores -v slope=$slope -f "$DATA/replay/workers.awk" </dev/null >shared$cores.txt; done; pscal forecast -q -n 8 --format json shared1.txt shared2.txt shared4.txt | jq -c '.runs.slowdown_law, (.forecast[] | [.cores, .wall_s])'
"bandwidth"
[1,0.799999981]
[2,0.399999991]
[4,0.3999998]
[8,0.3999998]

# All with one number of cores: run-to-run variation, and the median run is replayed.

$ for noise in .9 1 1.2; do awk -v cores=2 -v noise=$noise -f "$DATA/replay/workers.awk" </dev/null >run$noise.txt; done; pscal forecast -n 2 run1.2.txt run.9.txt run1.txt
t1 takes 0.400 s on 2 cores, 2.0x faster than on one.
Limit 0.100 s: 8 threads with up to 0.100 s of work each; only more would help.
CPUs used: 2 of 2, 800 ms CPU time.
Run-queue wait: 2.28 s in all; p50 30.0 ms, p99 30.0 ms, longest 30.0 ms.
CPU time differs by about 11 % between runs (3 recordings).
! Memory is assumed to keep up with more cores: record on one core to see.

cores  wall time    90 % interval  speedup  efficiency  measured  runs   error
    2    0.400 s  0.302 - 0.530 s     2.0x       100 %    413 ms     3  -3.2 %

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

next: taskset -c 0 pscal record -o other.data -- COMMAND; pscal forecast other.data run1.2.txt run.9.txt run1.txt

# The order of the files does not matter.

$ for files in '1.txt 2.txt 4.txt' '4.txt 1.txt 2.txt' '2.txt 4.txt 1.txt'; do pscal forecast -q -n 8 --format json $files | jq -c '.runs, (.forecast[] | [.cores, .wall_s, .measured_s])' | cksum; done | uniq | wc -l
1

# If the runs differ in threads, that with most of them is replayed.

$ awk -v cores=2 -v threads=2 -f "$DATA/replay/workers.awk" </dev/null >serial.txt; pscal forecast run1.txt serial.txt | grep '^t1\|threads'
t1 gains up to 8 cores and no further: 0.100 s, 8.0x faster than on one, if
Limit 0.100 s: 8 threads with up to 0.100 s of work each; only more would help.
! These runs have 3 to 9 threads: see pscal stretch for what more threads cost.

# Refused.

$ pscal forecast --against 2.txt 1.txt 4.txt
pscal forecast: --against: takes one recording, and '4.txt' is a second one
? 2
$ pscal forecast --rate 2x 1.txt 4.txt
pscal forecast: --rate: takes one recording, and '4.txt' is a second one
? 2
$ pscal forecast 1.txt none.txt
pscal forecast: none.txt: cannot open: No such file or directory; there is '1.txt', '2.txt' or '4.txt'
? 1
$ pscal forecast 1.txt 2.txt 1.txt
pscal forecast: 1.txt is given twice; give recordings of different runs
? 1
$ pscal forecast 1.txt - <2.txt
pscal forecast: standard input is read once, and one of several recordings twice; give files
? 1
$ cp "$DATA/examples/profile.csv" .; pscal forecast 1.txt profile.csv
pscal forecast: profile.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ pscal forecast "$DATA/examples/pscal.data" "$DATA/examples/counters.data" 2>&1 | sed 's|[^ ]*/examples/||g'
pscal forecast: pscal.data is a recording of pigz, and counters.data of faulting_thread; give recordings of one program, or choose threads with --comm

# Two kinds of threads, one of which takes .5 times as long again with each further busy core. On
# eight cores "memory" does 100 / 4.5 ms of its work until "compute" ends, and the rest in 2.5 times
# its time: 0.294 s.

$ for noise in 1.01 0.99; do for cores in 1 2; do awk -v cores=$cores -v slope=.5 -v noise=$noise -f "$DATA/replay/two_kinds.awk" </dev/null >kinds$cores.$noise.txt; done; done; pscal forecast -n 1,2,8 kinds*.txt
main takes 0.293 s on 8 cores, 2.7x faster than on one.
Limit 0.293 s: work is slower while more cores are busy, as they share memory,
caches or clock. Without that: 0.102 s.
CPUs used: 2 of 2, 1.00 s CPU time.
Run-queue wait: 1.50 s in all; p50 250 ms, p99 398 ms, longest 398 ms.
! Work of memory takes 1.50 (1.35 - 1.67) times as long with 2 busy cores as
  with one.
Work of compute takes no longer while more cores are busy.
CPU time differs by about 5 % between runs (4 recordings).

cores  wall time    90 % interval  speedup  efficiency  measured  runs   error
    1    0.802 s  0.694 - 0.927 s     1.0x       100 %    802 ms     2   0.0 %
    2    0.500 s  0.439 - 0.569 s     1.6x        80 %    501 ms     2  -0.2 %
    8    0.293 s  0.236 - 0.363 s     2.7x        34 %         -     -       -

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

next: pscal forecast --why kinds1.0.99.txt kinds1.1.01.txt kinds2.0.99.txt kinds2.1.01.txt
$ pscal forecast -q -n 8 --format json kinds*.txt | jq -c '.slowdown_groups[]'
{"group":"memory","cpu_share":0.594,"slowdown_law":"contention","slowdown_slope":0.5012540817260742,"slowdown_slope_error":0.07600102645335964}
{"group":"compute","cpu_share":0.406,"slowdown_law":"none","slowdown_slope":0,"slowdown_slope_error":0.05049028509835844}
$ pscal forecast -q -n 8 --format json 1.txt 2.txt 4.txt | jq -c '.slowdown_groups'
null

# Recordings with other arguments, or of another path, may be of another program. Words before the
# program, such as taskset, do not matter.

$ pscal forecast -q "$DATA/examples/tasks1.data.gz" "$DATA/examples/tasks2.data.gz" | grep -A2 commands
! The recordings count as runs of one program, but their commands differ:
  '/opt/pscal-example/tasks_fib 1 9 500000' and '/opt/pscal-example/tasks_fib 2
  9 600000'. To compare them: pscal report.
$ zcat "$DATA/examples/tasks2.data.gz" | LC_ALL=C sed -e 's/@\x00\x00\x002\x00/@\x00\x00\x001\x00/' -e 's/600000\x00/500000\x00/' >same.data; pscal forecast -q "$DATA/examples/tasks1.data.gz" same.data | grep -c commands
0
? 1
$ zcat "$DATA/examples/tasks2.data.gz" | LC_ALL=C sed -e 's/@\x00\x00\x002\x00/@\x00\x00\x001\x00/' >last.data; pscal forecast -q "$DATA/examples/tasks1.data.gz" last.data | grep -A1 commands
! The recordings count as runs of one program, but their commands differ: '...
  500000' and '... 600000'. To compare them: pscal report.
