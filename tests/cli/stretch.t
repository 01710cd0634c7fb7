# SPDX-License-Identifier: GPL-3.0-or-later
# Which work takes longer in parallel. The recordings are of a program that is known on paper
# (tests/workloads/stretched.c, tests/data/SOURCES.md): work_longer takes 25 % longer with two threads, and
# nothing else does. Of 2 x (100 + 100 + 125 + 133) units serial work is 700, stretch 50, no work 167, and
# beside that main fills memory, alone, for 26 ms.

$ cp -R "$DATA"/examples/. .; pscal stretch --symfs symfs serial1.data.gz parallel1.data.gz
On 2 cores the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Most of that is in
work_longer: 259 ms instead of 209 ms, 24.0 % more. Of the 2 x 570 ms of all
cores 68.0 % is serial work; the rest is 27.6 % no work, 3.7 % stretch, 0.7 %
delay and 0.0 % overhead.

function        source            serial  2 cores  stretch  95 % from      to  of all stretch  
work_longer     stretched.c:63    209 ms   259 ms   24.0 %      3.3 %  48.8 %         117.3 %  
main            stretched.c:142  26.1 ms  26.1 ms   -0.1 %    -41.6 %  71.0 %           0.0 %  
work_in_serial  stretched.c:61    104 ms   104 ms   -0.1 %    -23.8 %  31.0 %          -0.2 %  
work_in_memory  stretched.c:71   8.03 ms  7.02 ms        -          -       -          -2.4 %  few samples
work_unequally  stretched.c:64    210 ms   208 ms   -1.0 %    -18.3 %  19.9 %          -5.0 %  
work_equally    stretched.c:62    210 ms   207 ms   -1.5 %    -18.7 %  19.4 %          -7.3 %  

cores x wall time  2 cores   share
serial work         775 ms  68.0 %
stretch            42.7 ms   3.7 %
overhead              0 ns   0.0 %
delay              8.04 ms   0.7 %
no work             314 ms  27.6 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

3 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.
$ pscal stretch -q --symfs symfs --base serial2.data.gz serial1.data.gz parallel1.data.gz parallel2.data.gz
On 2 cores the work takes 6.1 % more CPU time than in serial, 821 ms instead of
773 ms (95 % interval of the stretch: 2.5 % to 9.9 %). Most of that is in
work_longer: 260 ms instead of 208 ms, 25.1 % more. Of the 2 x 568 ms of all
cores 68.1 % is serial work; the rest is 27.2 % no work, 4.2 % stretch, 0.5 %
delay and 0.0 % overhead.

function        source            serial  2 cores  stretch  95 % from       to  of all stretch
work_longer     stretched.c:63    208 ms   260 ms   25.1 %     17.9 %   32.7 %         109.9 %
main            stretched.c:142  25.6 ms  26.1 ms    1.9 %    -20.3 %   30.3 %           1.0 %
work_in_serial  stretched.c:61    104 ms   105 ms    0.4 %     -5.6 %    6.8 %           0.9 %
work_in_memory  stretched.c:71   8.03 ms  8.03 ms    0.0 %    -80.0 %  399.3 %           0.0 %
work_equally    stretched.c:62    209 ms   206 ms   -1.4 %     -2.7 %   -0.2 %          -6.4 %
work_unequally  stretched.c:64    211 ms   208 ms   -1.5 %     -7.2 %    4.7 %          -6.5 %

cores x wall time  2 cores   share
serial work         773 ms  68.1 %
stretch            47.5 ms   4.2 %
overhead              0 ns   0.0 %
delay              5.29 ms   0.5 %
no work             309 ms  27.2 %

counted           serial  parallel  more  stretch for each one more
page-faults        16567     16573     6                          -
context-switches       4       9.5   5.5                          -

4 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

# The five parts are all there is, and blocks are all work.

$ pscal stretch --symfs symfs --format json serial1.data.gz parallel1.data.gz >all.json; jq -c '.by, (.loss | ((.serial_work_s + .stretch_s + .overhead_s + .delay_s + .no_work_s) / (.cores * .wall_s) - 1 | fabs < 1e-9), (.stretch > 0.04 and .stretch < 0.08))' all.json
"function"
true
true
$ jq -c '[([.blocks[].serial_s] | add) - .loss.serial_work_s, ([.blocks[].longer_s] | add) - .loss.stretch_s | fabs < 1e-9], [.blocks[].share | select(. == null)], (.blocks[0] | [keys_unsorted[]], [.function, .line, .file, .object, .cores, .occurrences, .serial_samples, .parallel_samples], [.serial_s, .parallel_s, .longer_s, .stretch, .share | . * 1000 | round])' all.json
[true,true]
[]
["function","line","line2","file","object","level","tree_path","cores","serial_s","parallel_s","stretch","stretch_from","stretch_to","longer_s","share","occurrences","serial_occurrences","serial_samples","parallel_samples"]
["work_longer",63,"tests/workloads/stretched.c","stretched",2,null,208,258]
[209,259,50,240,1173]
$ jq -c '.recordings[] | [.file, .base, .program, .cores, .threads, .samples, .lost, .several_share]' all.json
["serial1.data.gz",true,"stretched",2,1,772,0,0]
["parallel1.data.gz",false,"stretched",2,2,815,0,0.5967134607603387]
$ jq -c '.counters[], (.losses | length), has("block_columns"), has("loss_intervals")' all.json
{"cores":2,"counter":"page-faults","unit":null,"serial":16566,"parallel":16573,"surplus":7,"cost_s":null}
{"cores":2,"counter":"context-switches","unit":null,"serial":5,"parallel":10,"surplus":5,"cost_s":null}
1
false
false
$ pscal stretch --symfs symfs --format csv --min-share 20% serial1.data.gz parallel1.data.gz | cut -d, -f 1-5,16-
function,line,line2,file,object,occurrences,serial_occurrences,serial_samples,parallel_samples
work_longer,63,,tests/workloads/stretched.c,stretched,,,208,258
work_unequally,64,,tests/workloads/stretched.c,stretched,,,209,207
work_equally,62,,tests/workloads/stretched.c,stretched,,,209,206

# Lines, and the loss over time: work_longer is in the sixth to the eighth of ten parts.

$ pscal stretch -q --symfs symfs --by line --min-share 5% serial1.data.gz parallel1.data.gz --intervals 10
On 2 cores the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Most of that is in
work_longer: 259 ms instead of 209 ms, 24.0 % more. Of the 2 x 570 ms of all
cores 68.0 % is serial work; the rest is 27.6 % no work, 3.7 % stretch, 0.7 %
delay and 0.0 % overhead.

function        source          serial  2 cores  stretch  95 % from      to  of all stretch
work_longer     stretched.c:63  209 ms   259 ms   24.0 %      3.3 %  48.8 %         117.3 %
work_in_serial  stretched.c:61  104 ms   104 ms   -0.1 %    -23.8 %  31.0 %          -0.2 %
work_unequally  stretched.c:64  210 ms   208 ms   -1.0 %    -18.3 %  19.9 %          -5.0 %
work_equally    stretched.c:62  210 ms   207 ms   -1.5 %    -18.7 %  19.4 %          -7.3 %

cores x wall time  2 cores   share
serial work         775 ms  68.0 %
stretch            42.7 ms   3.7 %
overhead              0 ns   0.0 %
delay              8.04 ms   0.7 %
no work             314 ms  27.6 %

    from  wall time  serial work  stretch  overhead  delay  no work
0.0000 s   0.0570 s        0.0 %    0.8 %     0.0 %  5.2 %   94.0 %
0.0570 s   0.0570 s       49.2 %   -0.9 %     0.0 %  1.7 %   50.0 %
0.1140 s   0.0570 s       50.0 %    0.0 %     0.0 %  0.0 %   50.0 %
0.1710 s   0.0570 s       84.4 %   -1.0 %     0.0 %  0.0 %   16.6 %
0.2280 s   0.0570 s      101.5 %   -1.5 %     0.0 %  0.0 %    0.0 %
0.2850 s   0.0570 s       83.8 %   16.0 %     0.0 %  0.0 %    0.2 %
0.3420 s   0.0570 s       80.7 %   19.3 %     0.0 %  0.0 %    0.0 %
0.3990 s   0.0570 s       92.3 %    7.5 %     0.0 %  0.0 %    0.1 %
0.4559 s   0.0570 s       82.5 %   -0.8 %     0.0 %  0.0 %   18.4 %
0.5129 s   0.0570 s       55.6 %   -2.2 %     0.0 %  0.1 %   46.5 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

6 rows with less than 5 % of the work on each side are left out; --min-share 0
shows them.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.
$ pscal stretch --symfs symfs --format json --intervals 4 serial1.data.gz parallel1.data.gz | jq -c '.loss as $all | (.loss_intervals | length), ([.loss_intervals[].stretch_s] | add - $all.stretch_s | fabs < 1e-3), (.loss_intervals[] | (.serial_work_s + .stretch_s + .overhead_s + .delay_s + .no_work_s) / (2 * .wall_s) - 1 | fabs < 1e-9)'
4
true
true
true
true
true
$ pscal stretch -q --symfs symfs --by path --limit 2 serial1.data.gz parallel1.data.gz
On 2 cores the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Of the 2 x 570 ms of
all cores 68.0 % is serial work; the rest is 27.6 % no work, 3.7 % stretch,
0.7 % delay and 0.0 % overhead.

path          source          serial  2 cores  stretch  95 % from  to  of all stretch  
work_longer   stretched.c:63    0 ns   129 ms        -          -   -         303.3 %  only in parallel
work_equally  stretched.c:62    0 ns   103 ms        -          -   -         242.2 %  only in parallel

cores x wall time  2 cores   share
serial work         775 ms  68.0 %
stretch            42.7 ms   3.7 %
overhead              0 ns   0.0 %
delay              8.04 ms   0.7 %
no work             314 ms  27.6 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

4 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

7 more rows are left out; --limit shows more.

0 % of the work in serial and 37 % of that in parallel is in blocks that the
other does not have: these cannot be compared, as threads begin elsewhere; --by
function compares what they do.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.

# A run with one thread beside one with two is a column of its own.

$ pscal stretch -q --symfs symfs --min-share 5% serial1.data.gz serial2.data.gz parallel1.data.gz
On 2 cores the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Most of that is in
work_longer: 259 ms instead of 209 ms, 24.0 % more. Of the 2 x 570 ms of all
cores 68.0 % is serial work; the rest is 27.6 % no work, 3.7 % stretch, 0.7 %
delay and 0.0 % overhead.

function        source          serial  1 thread, 2 cores  stretch  2 threads, 2 cores  stretch  of all stretch
work_longer     stretched.c:63  209 ms             208 ms   -0.4 %              259 ms   24.0 %         117.3 %
work_in_serial  stretched.c:61  104 ms             104 ms    0.1 %              104 ms   -0.1 %          -0.2 %
work_unequally  stretched.c:64  210 ms             212 ms    1.0 %              208 ms   -1.0 %          -5.0 %
work_equally    stretched.c:62  210 ms             209 ms   -0.4 %              207 ms   -1.5 %          -7.3 %

cores x wall time  1 thread, 2 cores   share  2 threads, 2 cores   share
serial work                   775 ms  48.6 %              775 ms  68.0 %
stretch                     -2.60 ms  -0.2 %             42.7 ms   3.7 %
overhead                        0 ns   0.0 %                0 ns   0.0 %
delay                        7.74 ms   0.5 %             8.04 ms   0.7 %
no work                       815 ms  51.1 %              314 ms  27.6 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

6 rows with less than 5 % of the work on each side are left out; --min-share 0
shows them.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.
$ pscal stretch --symfs symfs --format json serial1.data.gz serial2.data.gz parallel1.data.gz | jq -c '[.losses[].threads], [.block_columns[:2][] | [.function, .serial_samples, .parallel_samples]]'
[1,2]
[["work_longer",208,207],["work_longer",208,258]]

# Without the program's file there are no names; on more cores there is more without work.

$ pscal stretch -q --symfs nowhere --cores 4 serial1.data.gz parallel1.data.gz
On 4 cores the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Of the 4 x 570 ms of
all cores 34.0 % is serial work; the rest is 63.8 % no work, 1.9 % stretch,
0.4 % delay and 0.0 % overhead.

function                serial  4 cores  stretch  95 % from      to  of all stretch
stretched (no symbols)  767 ms   811 ms    5.8 %     -4.1 %  16.8 %         104.7 %

cores x wall time  4 cores   share
serial work         775 ms  34.0 %
stretch            42.7 ms   1.9 %
overhead              0 ns   0.0 %
delay              8.04 ms   0.4 %
no work             1.45 s  63.8 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

2 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

For 100 % of the work of serial1.data.gz the function is not known: files have
no symbols, are gone, or have changed since it was recorded; see --symfs.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.
$ pscal stretch -q --cores 1 --limit 1 --symfs symfs serial1.data.gz parallel1.data.gz
On 1 core the work takes 5.5 % more CPU time than in serial, 817 ms instead of
775 ms (95 % interval of the stretch: -4.4 % to 16.4 %). Most of that is in
work_longer: 259 ms instead of 209 ms, 24.0 % more.

function     source          serial  1 core  stretch  95 % from      to  of all stretch
work_longer  stretched.c:63  209 ms  259 ms   24.0 %      3.3 %  48.8 %         117.3 %

counted           serial  parallel  more  stretch for each one more
page-faults        16566     16573     7                          -
context-switches       5        10     5                          -

3 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

5 more rows are left out; --limit shows more.

2 threads ran at once where there should have been 1 core, so that it is not
known where the time of the cores went; see --cores.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.

# A base that is not serial.

$ pscal stretch -q --symfs symfs --limit 1 parallel1.data.gz serial1.data.gz
On 2 cores the work takes 5.2 % less CPU time than in serial, 775 ms instead of
817 ms (95 % interval of the stretch: -14.1 % to 4.6 %). Of the 2 x 802 ms of
all cores 51.0 % is serial work; the rest is 50.2 % no work, 1.5 % delay, 0.0 %
overhead and -2.7 % stretch.

function      source          serial  2 cores  stretch  95 % from      to  of all stretch
work_equally  stretched.c:62  207 ms   210 ms    1.5 %    -16.2 %  23.0 %               -

cores x wall time   2 cores   share
serial work          817 ms  51.0 %
stretch            -42.7 ms  -2.7 %
overhead               0 ns   0.0 %
delay               24.6 ms   1.5 %
no work              805 ms  50.2 %

counted           serial  parallel  more  stretch for each one more
page-faults        16573     16566    -7                          -
context-switches      10         5    -5                          -

3 rows with less than 1 % of the work on each side are left out; --min-share 0
shows them.

5 more rows are left out; --limit shows more.

parallel1.data.gz is not of a serial run: for 60 % of the time in which it ran
several threads did at once. What it takes for serial work may be stretched
already.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.

# Tasks: each computes for 0.5 ms in serial and for 0.6 in parallel, which is a stretch of 20 %.

$ pscal stretch -q --by block --min-share 5% tasks1.data.gz tasks2.data.gz
On 2 cores the work takes 20.0 % more CPU time than in serial, 65.6 ms instead
of 54.6 ms (95 % interval of the stretch: 19.9 % to 20.1 %). Most of that is in
fib: 33.1 ms instead of 27.6 ms, 20.1 % more. Of the 2 x 36.4 ms of all cores
75.1 % is serial work; the rest is 15.0 % stretch, 7.7 % delay, 1.3 % overhead
and 0.9 % no work.

block  source             times   serial  2 cores  stretch  95 % from      to  of all stretch
fib    tasks_fib.c:57-60     55  27.6 ms  33.1 ms   20.1 %     19.8 %  20.3 %          50.5 %
fib    tasks_fib.c:57-64     54  27.1 ms  32.5 ms   20.0 %     19.9 %  20.1 %          49.4 %

cores x wall time  2 cores   share
serial work        54.6 ms  75.1 %
stretch            10.9 ms  15.0 %
overhead            921 us   1.3 %
delay              5.63 ms   7.7 %
no work             662 us   0.9 %

4 rows with less than 5 % of the work on each side are left out; --min-share 0
shows them.

tasks2.data.gz: for 0.0024 s of its threads nothing says that they ran, and
nothing that they did not; that is delay or no work.

Intervals are those of blocks that take differently long; how much runs vary is
not in them. Give several recordings of each, see --base.
$ pscal stretch --by task --format json tasks1.data.gz tasks2.data.gz | jq -c '(.blocks[] | [.function, .line, .object, .occurrences, .serial_occurrences, .serial_samples], (.stretch * 100 | round)), (.loss | (.serial_work_s + .stretch_s + .overhead_s + .delay_s + .no_work_s) / (.cores * .wall_s) - 1 | fabs < 1e-9), (([.blocks[].serial_s] | add) / .loss.serial_work_s - 1 | fabs < 1e-9)'
["fib",null,"tasks_fib",271,271,null]
20
true
true
$ pscal stretch --by level --format json tasks1.data.gz tasks2.data.gz | jq -c '[.blocks[] | [.level, .occurrences]] | sort'
[[0,4],[1,8],[2,16],[3,32],[4,61],[5,78],[6,53],[7,17],[8,2]]
$ pscal stretch -q --by subtree tasks1.data.gz tasks2.data.gz --intervals 3
On 2 cores the work takes 20.0 % more CPU time than in serial, 65.6 ms instead
of 54.6 ms (95 % interval of the stretch: -2.4 % to 47.6 %). Of the 2 x 36.4 ms
of all cores 75.1 % is serial work; the rest is 15.0 % stretch, 7.7 % delay,
1.3 % overhead and 0.9 % no work.

subtree  times   serial  2 cores  stretch  95 % from      to  of all stretch
0.0        166  33.6 ms  40.3 ms   20.0 %     -7.7 %  56.2 %          61.5 %
0.1        101  20.5 ms  24.7 ms   20.0 %    -14.3 %  68.1 %          37.6 %

cores x wall time  2 cores   share
serial work        54.6 ms  75.1 %
stretch            10.9 ms  15.0 %
overhead            921 us   1.3 %
delay              5.63 ms   7.7 %
no work             662 us   0.9 %

    from  wall time  serial work  stretch  overhead   delay  no work
0.0322 s   0.0121 s       78.9 %   15.8 %     2.6 %   0.0 %    2.6 %
0.0443 s   0.0121 s       83.2 %   16.7 %     0.2 %   0.0 %    0.0 %
0.0564 s   0.0121 s       63.1 %   12.6 %     1.0 %  23.2 %    0.1 %

1 row with less than 1 % of the work on each side is left out; --min-share 0
shows them.

tasks2.data.gz: for 0.0024 s of its threads nothing says that they ran, and
nothing that they did not; that is delay or no work.

Intervals are those of blocks that take differently long; how much runs vary is
not in them. Give several recordings of each, see --base.
$ pscal stretch --by subtree --level 2 --format json tasks1.data.gz tasks2.data.gz | jq -c '[.blocks[].tree_path] | sort'
["0","0.0","0.0.0","0.0.1","0.1","0.1.0","0.1.1"]

# What cannot be compared.

$ pscal stretch --symfs symfs serial1.data.gz pscal.data
pscal stretch: pscal.data: was recorded without samples of where the target runs, or is text, which has none; record with 'pscal record -F 997' and name the file that it writes
? 1
$ pscal stretch --symfs symfs serial1.data.gz "$DATA"/fuzz/perfdata/pscal_samples.data
pscal stretch: the recordings are of different programs, stretched and true, which have no function with a name but main in common; compare runs of one program
? 1
$ pscal stretch serial1.data.gz
pscal stretch: give a recording of a serial run and one or more of parallel runs: pscal stretch serial.data parallel.data
? 2
$ pscal stretch serial1.data.gz ./serial1.data.gz
pscal stretch: serial1.data.gz and ./serial1.data.gz are the same file: give recordings of different runs
? 2
$ ln serial1.data.gz other; pscal stretch serial1.data.gz other
pscal stretch: serial1.data.gz and other are the same file: give recordings of different runs
? 2
$ pscal stretch serial1.data.gz nowhere.data
pscal stretch: nowhere.data: cannot open: No such file or directory; there is 'counters.data' or 'pscal.data'
? 1
$ pscal stretch trace.txt serial1.data.gz
pscal stretch: trace.txt: was recorded without samples of where the target runs, or is text, which has none; record with 'pscal record -F 997' and name the file that it writes
? 1
$ pscal stretch --by size serial1.data.gz parallel1.data.gz
pscal stretch: --by size: there are function, line and path, and of recordings of tasks block, task, level and subtree
? 2
$ pscal stretch --level 2 serial1.data.gz parallel1.data.gz
pscal stretch: --level: says which subtrees are meant by --by subtree
? 2
$ pscal stretch --by block serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: the recording tells of no tasks that the target ran; record some with 'pscal record --tasks', or --omp
? 1
$ pscal stretch tasks1.data.gz tasks2.data.gz
pscal stretch: tasks1.data.gz: was recorded without samples of where the target runs, or is text, which has none; compare its tasks --by task if it has any, or record with 'pscal record -F 997' and name the file that it writes
? 1
$ pscal stretch --symfs symfs --during tasks serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: tells of no tasks; record with 'pscal record --tasks', or --omp, or leave out --during
? 1
$ pscal stretch --during summer serial1.data.gz parallel1.data.gz
pscal stretch: --during summer: there is tasks, from their first step to the last
? 2
$ pscal stretch --min-share much serial1.data.gz parallel1.data.gz
pscal stretch: --min-share much: is not a share, like 0.02 or 2%
? 2
$ pscal stretch --limit 0 serial1.data.gz parallel1.data.gz
pscal stretch: --limit 0: is not a number from 1 to 4294967295
? 2
$ pscal stretch --intervals 1000000 serial1.data.gz parallel1.data.gz
pscal stretch: --intervals 1000000: is not a number from 1 to 10000
? 2
$ pscal stretch --intervals 3 --format csv serial1.data.gz parallel1.data.gz
pscal stretch: --intervals: CSV has room for the blocks only; take --format json
? 2

# What tasks tell that makes no sense is said, recording by recording.
$ grep -v 'step=begin task=1 ' tasks.txt >unknown.txt; grep -v 'step=end task=1 ' tasks.txt >unended.txt; pscal stretch --by task unknown.txt unended.txt
On 2 cores the work takes 9.1 % more CPU time than in serial, 15.3 ms instead of
14.0 ms (95 % interval of the stretch: -37.8 % to 91.4 %). Of the 2 x 48.4 ms of
all cores 14.5 % is serial work; the rest is 82.0 % delay, 1.6 % no work, 1.3 %
stretch and 0.5 % overhead.

task  source       times   serial  2 cores  stretch  95 % from      to  of all stretch
fib   tasks_fib.c     36  14.0 ms  15.3 ms    9.1 %    -37.8 %  91.4 %         100.0 %

cores x wall time  2 cores   share
serial work        14.0 ms  14.5 %
stretch            1.28 ms   1.3 %
overhead            517 us   0.5 %
delay              79.4 ms  82.0 %
no work            1.55 ms   1.6 %

counted     serial  parallel  more  stretch for each one more
switches        15        19     4                          -
migrations       0         0     0                          -

unknown.txt: 5 steps are of tasks that are not known, and are left out.

unknown.txt: 1 task is known only by its children; its own work is missing.

unknown.txt: 2 tasks have begun for which no sync waits; who waited for them
without saying so counts as a task that could run.

unended.txt: 1 task has not ended; a block that it is in lasts to the end of its
thread.

Intervals are those of blocks that take differently long; how much runs vary is
not in them. Give several recordings of each, see --base.

Data quality of unknown.txt, unended.txt: repaired wakes: 10. So often a
sleeping thread got a CPU with no wake on record; it is taken to have slept up
to then.

Data quality of unknown.txt, unended.txt: missed switch-ins: 18. So often a
thread left a CPU with no record of its getting it, as with kernels that hide
switches out of the idle task: it was active if its wake is on record, else what
it did is unknown.

Data quality of unknown.txt, unended.txt: missed switch-outs: 28. So often a
running thread's CPU was given away with no record of its leaving; what it did
is unknown.

# Recordings of all that ran on a machine: only the threads of one name.
$ pscal stretch -q --symfs symfs --comm stretched --limit 1 --format json serial1.data.gz parallel1.data.gz | jq -c '[.recordings[] | [.program, .samples]]'
[["stretched",771],["stretched",814]]
$ pscal stretch --comm nobody serial1.data.gz parallel1.data.gz
pscal stretch: serial1.data.gz: the recording holds nothing of what --comm nobody asks for; ask for others, or for none
? 1
$ pscal stretch --comm nobody --by task tasks1.data.gz tasks2.data.gz
pscal stretch: tasks1.data.gz: the recording holds nothing of what --comm nobody asks for; ask for others, or for none
? 1
$ pscal stretch throughput.csv parallel1.data.gz
pscal stretch: throughput.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

# Recordings of different programs, one that lost events, one that is cut short, and a chain of 20000 tasks.
$ sed 's/tasks_fib/other/g; s/site=fib/site=work/g' tasks.txt >other.txt; pscal stretch --by task tasks.txt other.txt
pscal stretch: the recordings are of different programs, tasks_fib and other, which have no function with a name but main in common; compare runs of one program
? 1
$ { head -40 tasks.txt; echo 'tasks_fib 3386/3386 [000] 69734.120000: PERF_RECORD_LOST lost 7'; tail -n +41 tasks.txt; } >lost.txt; pscal stretch --by task tasks.txt lost.txt | grep -A1 'records lost'; pscal stretch --by task --format json tasks.txt lost.txt | jq -c '[.recordings[].lost]'
Data quality of lost.txt: records lost: 7. The recorder could not keep up; what
the threads that they may concern did then is unknown.
[0,7]
$ gzip -dc parallel1.data.gz | head -c 50000 >cut.data; pscal stretch --symfs symfs serial1.data.gz cut.data | tail -n 1; pscal stretch --symfs symfs --format json serial1.data.gz cut.data | jq -c '[.recordings[].truncated]'
Data quality of cut.data: the input ends before it should.
[false,true]
$ awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:1 step=begin task=%d value=%d index=1\n", 1 + i * 1e-6, i, i - 1; for (i = 20000; i; i--) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:9 step=end task=%d value=0 index=0\n", 2 - i * 1e-6, i }' >deep.txt; cp deep.txt again.txt; pscal stretch --by level --format json deep.txt again.txt | jq -c '[(.blocks | length), ([.blocks[].level] | max), (.loss.stretch_s | fabs < 1e-9)]'; pscal stretch --by subtree --level 1000 --limit 1 deep.txt again.txt | head -n 2
[20000,19999,true]
On 1 core the work takes as much CPU time as in serial, 1.00 s instead of 1.00 s
(95 % interval of the stretch: -93.0 % to 1331.0 %). Of the 1 x 1.00 s of all

# Samples alone, of programs that were attached to.
$ for i in 1 2; do zcat "$DATA/read/attached$i.data.gz" >attached$i.data; done; pscal stretch --symfs none attached1.data attached2.data
In parallel the work takes 5.0 % less CPU time than in serial, 152 ms instead of
160 ms (95 % interval of the stretch: -30.5 % to 29.9 %).

function                serial  parallel  stretch  95 % from      to  of all stretch  
[kernel]                  0 ns   6.01 ms        -          -       -               -  only in parallel
libc.so.6 (no symbols)    0 ns   2.00 ms        -          -       -               -  only in parallel
spinner (no symbols)    160 ms    144 ms  -10.0 %    -34.5 %  23.6 %               -  

For 100 % of the work of attached1.data the function is not known: files have no
symbols, are gone, or have changed since it was recorded; see --symfs.

attached1.data has samples only: seconds are their number times 2 ms, and where
cores had no work is not known. pscal record -F 997 takes along what the
scheduler does.

attached2.data has samples only: seconds are their number times 2 ms, and where
cores had no work is not known. pscal record -F 997 takes along what the
scheduler does.

Intervals are those of counting samples; how much runs vary is not in them. Give
several recordings of each, see --base.
$ pscal stretch -q --symfs none --format json attached1.data attached2.data | jq -c '.recordings[] | [.program, .threads, .samples, .cpu_s, .cores]'
["spinner",1,80,0.1603206400000001,null]
["spinner",2,76,0.1523046080000001,null]
