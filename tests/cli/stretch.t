# SPDX-License-Identifier: GPL-3.0-or-later
# Work that takes longer in parallel. The recordings are of a program with known values
# (tests/workloads/stretched.c, tests/data/SOURCES.md): only work_longer takes longer with two
# threads, by 25 %. Of 2 x (100 + 100 + 125 + 133) units serial work is 700, stretch 50, no work
# 167; main also fills memory, alone, for 26 ms.

$ cp -R "$DATA"/examples/. .; pscal stretch --symfs symfs serial1.data.gz parallel1.data.gz
No certain change: stretched took 5.5 % more CPU time with 2 threads on 2 cores:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %). It grew in work_longer: 259 ms
instead of 209 ms, 24.0 % more.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue    idle
2 cores x 570 ms    68.0 %      3.7 %     0.0 %      0.7 %  27.6 %

function         serial  2 cores  change  95 % interval
work_longer      209 ms   259 ms  24.0 %  3.3 to 48.8 %
main            26.1 ms  26.1 ms  -0.1 %  -41.6 to 71.0 %
work_in_serial   104 ms   104 ms  -0.1 %  -23.8 to 31.0 %
work_in_memory  8.03 ms  7.02 ms       -  few samples
work_unequally   210 ms   208 ms  -1.0 %  -18.3 to 19.9 %
work_equally     210 ms   207 ms  -1.5 %  -18.7 to 19.4 %

3 functions with less than 1 % of the work are left out; --all.

next: pscal stretch --by line serial1.data.gz parallel1.data.gz
$ pscal stretch -q --symfs symfs --base serial2.data.gz serial1.data.gz parallel1.data.gz parallel2.data.gz
stretched needs 6.1 % more CPU time with 2 threads on 2 cores: 821 ms instead of
773 ms (95 %: 2.5 to 9.9 %). Most of that is in work_longer: 260 ms instead of
208 ms, 25.1 % more.

share of core time  useful  inflation  overhead  run queue    idle
2 cores x 568 ms    68.1 %      4.2 %     0.0 %      0.5 %  27.2 %

function         serial  2 cores  change  95 % interval
work_longer      208 ms   260 ms  25.1 %  17.9 to 32.7 %
main            25.6 ms  26.1 ms   1.9 %  -20.3 to 30.3 %
work_in_serial   104 ms   105 ms   0.4 %  -5.6 to 6.8 %
work_in_memory  8.03 ms  8.03 ms   0.0 %  -80.0 to 399.3 %
work_equally     209 ms   206 ms  -1.4 %  -2.7 to -0.2 %
work_unequally   211 ms   208 ms  -1.5 %  -7.2 to 4.7 %

Usual causes: memory and caches, or locks that spin. Recordings with -e
cache-misses tell the cost of a miss.

4 functions with less than 1 % of the work are left out; --all.

# The five parts add up to the whole, and blocks to all work.

$ pscal stretch --symfs symfs --format json serial1.data.gz parallel1.data.gz >all.json; jq -c '.by, (.core_time | ((.useful_work_s + .work_inflation_s + .overhead_s + .run_queue_wait_s + .task_wait_s + .idle_s) / (.cores * .wall_s) - 1 | fabs < 1e-9), (.inflation > 0.04 and .inflation < 0.08))' all.json
"function"
true
true
$ jq -c '[([.rows[].serial_s] | add) - .core_time.useful_work_s, ([.rows[].inflation_s] | add) - .core_time.work_inflation_s | fabs < 1e-9], [.rows[].inflation_share | select(. == null)], (.rows[0] | [keys_unsorted[]], [.function, .line, .file, .object, .cores, .times, .serial_samples, .parallel_samples], [.serial_s, .parallel_s, .inflation_s, .inflation, .inflation_share | . * 1000 | round])' all.json
[true,true]
[]
["function","line","line2","file","object","level","tree_path","cores","serial_s","parallel_s","inflation","inflation_from","inflation_to","inflation_s","inflation_share","times","serial_times","serial_samples","parallel_samples"]
["work_longer",63,"tests/workloads/stretched.c","stretched",2,null,208,258]
[209,259,50,240,1173]
$ jq -c '.recordings[] | [.file, .base, .program, .cores, .threads, .samples, .lost, .several_share]' all.json
["serial1.data.gz",true,"stretched",2,1,772,0,0]
["parallel1.data.gz",false,"stretched",2,2,815,0,0.5967134607603387]
$ jq -c '.counters[], (.core_times | length), has("row_columns"), has("core_time_intervals")' all.json
{"cores":2,"counter":"page-faults","unit":null,"serial":16566,"parallel":16573,"more":7,"cost_s":null}
{"cores":2,"counter":"context-switches","unit":null,"serial":5,"parallel":10,"more":5,"cost_s":null}
1
false
false
$ pscal stretch --symfs symfs --format csv --min-score 20% serial1.data.gz parallel1.data.gz | cut -d, -f 1-5,16-
function,line,line2,file,object,times,serial_times,serial_samples,parallel_samples
work_longer,63,,tests/workloads/stretched.c,stretched,,,208,258
work_unequally,64,,tests/workloads/stretched.c,stretched,,,209,207
work_equally,62,,tests/workloads/stretched.c,stretched,,,209,206

# Lines, and the loss over time: work_longer is in the sixth to the eighth of ten parts.

$ pscal stretch -q --symfs symfs --by line --min-score 5% serial1.data.gz parallel1.data.gz --intervals 10
No certain change: stretched took 5.5 % more CPU time with 2 threads on 2 cores:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %). It grew in work_longer: 259 ms
instead of 209 ms, 24.0 % more.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue    idle
2 cores x 570 ms    68.0 %      3.7 %     0.0 %      0.7 %  27.6 %

function        source          serial  2 cores  change  95 % interval
work_longer     stretched.c:63  209 ms   259 ms  24.0 %  3.3 to 48.8 %
work_in_serial  stretched.c:61  104 ms   104 ms  -0.1 %  -23.8 to 31.0 %
work_unequally  stretched.c:64  210 ms   208 ms  -1.0 %  -18.3 to 19.9 %
work_equally    stretched.c:62  210 ms   207 ms  -1.5 %  -18.7 to 19.4 %

    from  wall time   useful  inflation  overhead  run queue    idle
0.0000 s   0.0570 s    0.0 %      0.8 %     0.0 %      5.2 %  94.0 %
0.0570 s   0.0570 s   49.2 %     -0.9 %     0.0 %      1.7 %  50.0 %
0.1140 s   0.0570 s   50.0 %      0.0 %     0.0 %      0.0 %  50.0 %
0.1710 s   0.0570 s   84.4 %     -1.0 %     0.0 %      0.0 %  16.6 %
0.2280 s   0.0570 s  101.5 %     -1.5 %     0.0 %      0.0 %   0.0 %
0.2850 s   0.0570 s   83.8 %     16.0 %     0.0 %      0.0 %   0.2 %
0.3420 s   0.0570 s   80.7 %     19.3 %     0.0 %      0.0 %   0.0 %
0.3990 s   0.0570 s   92.3 %      7.5 %     0.0 %      0.0 %   0.1 %
0.4559 s   0.0570 s   82.5 %     -0.8 %     0.0 %      0.0 %  18.4 %
0.5129 s   0.0570 s   55.6 %     -2.2 %     0.0 %      0.1 %  46.5 %

6 lines with less than 5 % of the work are left out; --all.
$ pscal stretch --symfs symfs --format json --intervals 4 serial1.data.gz parallel1.data.gz | jq -c '.core_time as $all | (.core_time_intervals | length), ([.core_time_intervals[].work_inflation_s] | add - $all.work_inflation_s | fabs < 1e-3), (.core_time_intervals[] | (.useful_work_s + .work_inflation_s + .overhead_s + .run_queue_wait_s + .task_wait_s + .idle_s) / (2 * .wall_s) - 1 | fabs < 1e-9)'
4
true
true
true
true
true
$ pscal stretch -q --symfs symfs --by path --limit 2 serial1.data.gz parallel1.data.gz
No certain change: stretched took 5.5 % more CPU time with 2 threads on 2 cores:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %).
! Not compared: 0 % of the serial and 37 % of the parallel work; try --by
  function.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue    idle
2 cores x 570 ms    68.0 %      3.7 %     0.0 %      0.7 %  27.6 %

path          serial  2 cores  change  95 % interval
work_longer     0 ns   129 ms       -  only in parallel
work_equally    0 ns   103 ms       -  only in parallel
... 7 more; --all

5 paths with less than 1 % of the work are left out; --all.

# A run with one thread beside one with two has a column of its own.

$ pscal stretch -q --symfs symfs --min-score 5% serial1.data.gz serial2.data.gz parallel1.data.gz
No certain change: stretched took 5.5 % more CPU time with 2 threads on 2 cores:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %). It grew in work_longer: 259 ms
instead of 209 ms, 24.0 % more.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time           useful  inflation  overhead  run queue    idle
1 thread, 2 cores x 798 ms   48.6 %     -0.2 %     0.0 %      0.5 %  51.1 %
2 threads, 2 cores x 570 ms  68.0 %      3.7 %     0.0 %      0.7 %  27.6 %

function        serial  1 thread, 2 cores  change  2 threads, 2 cores  change
work_longer     209 ms             208 ms  -0.4 %              259 ms  24.0 %
work_in_serial  104 ms             104 ms   0.1 %              104 ms  -0.1 %
work_unequally  210 ms             212 ms   1.0 %              208 ms  -1.0 %
work_equally    210 ms             209 ms  -0.4 %              207 ms  -1.5 %

6 functions with less than 5 % of the work are left out; --all.
$ pscal stretch --symfs symfs --format json serial1.data.gz serial2.data.gz parallel1.data.gz | jq -c '[.core_times[].threads], [.row_columns[:2][] | [.function, .serial_samples, .parallel_samples]]'
[1,2]
[["work_longer",208,207],["work_longer",208,258]]

# Without the program's file there are no names; on more cores there is more time without work.

$ pscal stretch -q --symfs nowhere --cores 4 serial1.data.gz parallel1.data.gz
No certain change: stretched took 5.5 % more CPU time with 2 threads on 4 cores:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %).
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.
! 100 % of the work of serial1.data.gz has no function names: install debug
  symbols, or see --symfs.

share of core time  useful  inflation  overhead  run queue    idle
4 cores x 570 ms    34.0 %      1.9 %     0.0 %      0.4 %  63.8 %

function                serial  4 cores  change  95 % interval
stretched (no symbols)  767 ms   811 ms   5.8 %  -4.1 to 16.8 %

2 functions with less than 1 % of the work are left out; --all.
$ pscal stretch -q --cores 1 --limit 1 --symfs symfs serial1.data.gz parallel1.data.gz
No certain change: stretched took 5.5 % more CPU time with 2 threads on 1 core:
817 ms instead of 775 ms (95 %: -4.4 to 16.4 %). It grew in work_longer: 259 ms
instead of 209 ms, 24.0 % more.
! 2 threads ran at once on 1 core: the core time is unknown (--cores).
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

function     serial  1 core  change  95 % interval
work_longer  209 ms  259 ms  24.0 %  3.3 to 48.8 %
... 5 more; --all

3 functions with less than 1 % of the work are left out; --all.

# A base that is not serial.

$ pscal stretch -q --symfs symfs --limit 1 parallel1.data.gz serial1.data.gz
No certain change: stretched took 5.2 % less CPU time with 1 thread on 2 cores:
775 ms instead of 817 ms (95 %: -14.1 to 4.6 %).
! parallel1.data.gz is not serial: several threads ran for 60 % of its time.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue    idle
2 cores x 802 ms    51.0 %     -2.7 %     0.0 %      1.5 %  50.2 %

function      serial  2 cores  change  95 % interval
work_equally  207 ms   210 ms   1.5 %  -16.2 to 23.0 %
... 5 more; --all

3 functions with less than 1 % of the work are left out; --all.

# Tasks: each computes for 0.5 ms in serial and for 0.6 in parallel, which is a work inflation of 20
# %.

$ pscal stretch -q --by segment --min-score 5% tasks1.data.gz tasks2.data.gz
tasks_fib needs 20.0 % more CPU time with 2 threads on 2 cores: 65.6 ms instead
of 54.6 ms (95 %: 19.9 to 20.1 %). Most of that is in fib: 33.1 ms instead of
27.6 ms, 20.1 % more.
! tasks2.data.gz: thread states are unknown for 2.40 ms.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue  task wait   idle
2 cores x 36.4 ms   75.1 %     15.0 %     1.3 %      0.2 %      7.5 %  0.9 %

segment  source             times   serial  2 cores  change  95 % interval
fib      tasks_fib.c:57-60     55  27.6 ms  33.1 ms  20.1 %  19.8 to 20.3 %
fib      tasks_fib.c:57-64     54  27.1 ms  32.5 ms  20.0 %  19.9 to 20.1 %

Usual causes: memory and caches, or locks that spin. Recordings with -e
cache-misses tell the cost of a miss.

4 segments with less than 5 % of the work are left out; --all.
$ pscal stretch --by task --format json tasks1.data.gz tasks2.data.gz | jq -c '(.rows[] | [.function, .line, .object, .times, .serial_times, .serial_samples], (.inflation * 100 | round)), (.core_time | (.useful_work_s + .work_inflation_s + .overhead_s + .run_queue_wait_s + .task_wait_s + .idle_s) / (.cores * .wall_s) - 1 | fabs < 1e-9), (([.rows[].serial_s] | add) / .core_time.useful_work_s - 1 | fabs < 1e-9)'
["fib",null,"tasks_fib",271,271,null]
20
true
true
$ pscal stretch --by level --format json tasks1.data.gz tasks2.data.gz | jq -c '[.rows[] | [.level, .times]] | sort'
[[0,4],[1,8],[2,16],[3,32],[4,61],[5,78],[6,53],[7,17],[8,2]]
$ pscal stretch -q --by subtree tasks1.data.gz tasks2.data.gz --intervals 3
No certain change: tasks_fib took 20.0 % more CPU time with 2 threads on 2
cores: 65.6 ms instead of 54.6 ms (95 %: -2.4 to 47.6 %).
! tasks2.data.gz: thread states are unknown for 2.40 ms.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue  task wait   idle
2 cores x 36.4 ms   75.1 %     15.0 %     1.3 %      0.2 %      7.5 %  0.9 %

subtree  times   serial  2 cores  change  95 % interval
0.0        166  33.6 ms  40.3 ms  20.0 %  -7.7 to 56.2 %
0.1        101  20.5 ms  24.7 ms  20.0 %  -14.3 to 68.1 %

    from  wall time  useful  inflation  overhead  run queue  task wait   idle
0.0322 s   0.0121 s  78.9 %     15.8 %     2.6 %      0.0 %      0.0 %  2.6 %
0.0443 s   0.0121 s  83.2 %     16.7 %     0.2 %      0.0 %      0.0 %  0.0 %
0.0564 s   0.0121 s  63.1 %     12.6 %     1.0 %      0.6 %     22.6 %  0.1 %

1 subtree with less than 1 % of the work is left out; --all.
$ pscal stretch --by subtree --level 2 --format json tasks1.data.gz tasks2.data.gz | jq -c '[.rows[].tree_path] | sort'
["0","0.0","0.0.0","0.0.1","0.1","0.1.0","0.1.1"]

# Recordings that cannot be compared.

$ pscal stretch --symfs symfs serial1.data.gz pscal.data
pscal stretch: pscal.data: has no samples of the code that ran; record with 'pscal record -F 997' and name its file, not a text made from it
? 1
$ pscal stretch --symfs symfs serial1.data.gz "$DATA"/fuzz/perfdata/pscal_samples.data
pscal stretch: the recordings are of different programs, stretched and true, with no function in common except main; compare runs of one program
? 1
$ pscal stretch serial1.data.gz
pscal stretch: give a recording of a serial run and one or more recordings of parallel runs; record both with 'pscal record -F 997' and say 'pscal stretch serial.data parallel.data'
? 2
$ pscal stretch serial1.data.gz ./serial1.data.gz
pscal stretch: serial1.data.gz and ./serial1.data.gz are the same file; give recordings of different runs
? 2
$ ln serial1.data.gz other; pscal stretch serial1.data.gz other
pscal stretch: serial1.data.gz and other are the same file; give recordings of different runs
? 2
$ pscal stretch serial1.data.gz nowhere.data
pscal stretch: nowhere.data: cannot open: No such file or directory; there is 'counters.data' or 'pscal.data'
? 1
$ pscal stretch trace.txt serial1.data.gz
pscal stretch: trace.txt: has no samples of the code that ran; record with 'pscal record -F 997' and name its file, not a text made from it
? 1
$ pscal stretch --by size serial1.data.gz parallel1.data.gz
pscal stretch: --by size: there are function, line and path; for tasks also segment, task, level and subtree
? 2
$ pscal stretch --level 2 serial1.data.gz parallel1.data.gz
pscal stretch: --level: needs --by subtree
? 2
$ pscal stretch --by segment serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: the recording has no tasks of the target; record them with 'pscal record --tasks' (OpenMP: --tasks=omp)
? 1
$ pscal stretch tasks1.data.gz tasks2.data.gz
pscal stretch: tasks1.data.gz: has no samples of the code that ran; compare its tasks --by task if it has any, or record with 'pscal record -F 997' and name its file, not a text made from it
? 1
$ pscal stretch --symfs symfs --during tasks serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: has no tasks; record with 'pscal record --tasks' (OpenMP: --tasks=omp), or leave out --during
? 1
$ pscal stretch --during summer serial1.data.gz parallel1.data.gz
pscal stretch: --during summer: there is only tasks, from the first task event to the last
? 2
$ pscal stretch --min-score much serial1.data.gz parallel1.data.gz
pscal stretch: --min-score much: is not a share, like 0.02 or 2%
? 2
$ pscal stretch --limit 0 serial1.data.gz parallel1.data.gz
pscal stretch: --limit 0: is not a number of rows, 1 or more
? 2
$ pscal stretch --intervals 1000000 serial1.data.gz parallel1.data.gz
pscal stretch: --intervals 1000000: is not a number from 1 to 10000
? 2
$ pscal stretch --min-share 0 serial1.data.gz parallel1.data.gz
pscal stretch: --min-share is now --min-score
? 2
$ pscal stretch --intervals 3 --format csv serial1.data.gz parallel1.data.gz
pscal stretch: --intervals: CSV has the rows only; use --format json
? 2

# Inconsistent events of tasks are reported for each recording.
$ grep -v 'step=begin task=1 ' tasks.txt >unknown.txt; grep -v 'step=end task=1 ' tasks.txt >unended.txt; pscal stretch --by task unknown.txt unended.txt
No certain change: tasks_fib took 9.1 % more CPU time with 2 threads on 2 cores:
15.3 ms instead of 14.0 ms (95 %: -37.8 to 91.4 %).
! 74 % of the core time was run-queue wait: repeat on an idle machine.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.

share of core time  useful  inflation  overhead  run queue  task wait   idle
2 cores x 48.4 ms   14.5 %      1.3 %     0.5 %     73.7 %      8.4 %  1.6 %

task  times   serial  2 cores  change  95 % interval
fib      36  14.0 ms  15.3 ms   9.1 %  -37.8 to 91.4 %

unknown.txt: events of unknown tasks: 5. They are left out.

unknown.txt: tasks known only from their children: 1. Their own work is missing.

unknown.txt: tasks that no sync waits for: 2. A parent that waits for them
counts as a task that could run.

unended.txt: tasks that never ended: 1. Their last segment lasts to the end of
the thread.

! unknown.txt, unended.txt: 10 wakeups are missing; the thread counts as blocked
  until it got a CPU.

next: pscal forecast unended.txt

# Recordings of a whole machine: only the threads of one name.
$ pscal stretch -q --symfs symfs --comm stretched --limit 1 --format json serial1.data.gz parallel1.data.gz | jq -c '[.recordings[] | [.program, .samples]]'
[["stretched",771],["stretched",814]]
$ pscal stretch --comm nobody serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: the recording has no thread for --comm nobody; its threads are stretched
? 1
$ pscal stretch --comm nobody --by task tasks1.data.gz tasks2.data.gz
pscal stretch: tasks1.data.gz: the recording has no thread for --comm nobody; its threads are tasks_fib
? 1
$ pscal stretch throughput.csv parallel1.data.gz
pscal stretch: throughput.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

# Recordings of different programs, one that lost events, one that is cut short, and a chain of 20000 tasks.
$ sed 's/tasks_fib/other/g; s/site=fib/site=work/g' tasks.txt >other.txt; pscal stretch --by task tasks.txt other.txt
pscal stretch: the recordings are of different programs, tasks_fib and other, with no function in common except main; compare runs of one program
? 1
$ { head -40 tasks.txt; echo 'tasks_fib 3386/3386 [000] 69734.120000: PERF_RECORD_LOST lost 7'; tail -n +41 tasks.txt; } >lost.txt; pscal stretch --by task tasks.txt lost.txt | grep -A1 'were lost'; pscal stretch --by task --format json tasks.txt lost.txt | jq -c '[.recordings[].lost]'
! lost.txt: 7 records were lost: the recorder could not keep up. Thread states
  are unknown meanwhile.
[0,7]
$ gzip -dc parallel1.data.gz | head -c 50000 >cut.data; pscal stretch --symfs symfs serial1.data.gz cut.data | tail -n 1; pscal stretch --symfs symfs --format json serial1.data.gz cut.data | jq -c '[.recordings[].truncated]'
next: pscal stretch --by line serial1.data.gz cut.data
[false,true]
$ awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:1 step=begin task=%d value=%d index=1\n", 1 + i * 1e-6, i, i - 1; for (i = 20000; i; i--) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:9 step=end task=%d value=0 index=0\n", 2 - i * 1e-6, i }' >deep.txt; cp deep.txt again.txt; pscal stretch --by level --format json deep.txt again.txt | jq -c '[(.rows | length), ([.rows[].level] | max), (.core_time.work_inflation_s | fabs < 1e-9)]'; pscal stretch --by subtree --level 1000 --limit 1 deep.txt again.txt | head -n 2
[20000,19999,true]
No certain change: w took the same CPU time with 1 thread on 1 core: 1.00 s
instead of 1.00 s (95 %: -93.0 to 1331.0 %).

# Samples alone, from attaching to programs.
$ for i in 1 2; do zcat "$DATA/read/attached$i.data.gz" >attached$i.data; done; pscal stretch --symfs none attached1.data attached2.data
No certain change: spinner took 5.0 % less CPU time with 2 threads: 152 ms
instead of 160 ms (95 %: -30.5 to 29.9 %).
! attached1.data has samples only (of 2 ms), so core time is unknown: record
  with 'pscal record -F 997'.
! Intervals lack run-to-run variation: repeat, and give S1 --base S2 P1 P2.
! 100 % of the work of attached1.data has no function names: install debug
  symbols, or see --symfs.

function                serial  parallel   change  95 % interval
[kernel]                  0 ns   6.01 ms        -  only in parallel
libc.so.6 (no symbols)    0 ns   2.00 ms        -  only in parallel
spinner (no symbols)    160 ms    144 ms  -10.0 %  -34.5 to 23.6 %
$ pscal stretch -q --symfs none --format json attached1.data attached2.data | jq -c '.recordings[] | [.program, .threads, .samples, .cpu_s, .cores]'
["spinner",1,80,0.1603206400000001,null]
["spinner",2,76,0.1523046080000001,null]

# The picture: the core time of each side, the first functions and their change.
$ for ending in svg png pdf gnuplot; do pscal stretch -q -o stretch.txt --symfs symfs --plot a.$ending serial1.data.gz parallel1.data.gz && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
   #       `   g
$ sed '/^# ---/,$d; /^#/d' a.gnuplot | grep -v '^font\|^set\|^dot'
height = 0.9
program = "stretched"
summary = "CPU time of the work with 2 threads: +5.5 % (-4.4 to 16.4 %)"
$cores << END
1 0.774766503 0 0 0 0 0
2 0.774766503 0.042662323 0 0.008043223 0 0.314400587
END
bar_count = 2
bar_1 = "serial"
bar_2 = "2 cores"
$rows << END
1 0.208745379 0.2587753649
2 0.02609317238 0.02607553938
3 0.1043726895 0.1043021575
4 0.008028668425 0.007020937102
5 0.2097489626 0.2076151999
6 0.2097489626 0.2066190898
END
row_count = 6
row_1 = "work_longer"
change_1 = "+24.0 % (3.3 to 48.8 %)"
row_2 = "main"
change_2 = "-0.1 % (-41.6 to 71.0 %)"
row_3 = "work_in_serial"
change_3 = "-0.1 % (-23.8 to 31.0 %)"
row_4 = "work_in_memory"
change_4 = "few samples"
row_5 = "work_unequally"
change_5 = "-1.0 % (-18.3 to 19.9 %)"
row_6 = "work_equally"
change_6 = "-1.5 % (-18.7 to 19.4 %)"
$ pscal stretch --min-score 0.99 --symfs symfs --plot b.svg serial1.data.gz parallel1.data.gz
pscal stretch: --plot: no function has 99 % of the work or more; take --min-score 0
? 1
$ pscal stretch --plot a.jpg serial1.data.gz parallel1.data.gz
pscal stretch: --plot: a.jpg: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
