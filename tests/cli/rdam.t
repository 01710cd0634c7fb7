# SPDX-License-Identifier: GPL-3.0-or-later
# What varying durations cost. The answers are in the first lines of server.awk: a lock that is waited
# for, a preemption, and a lookup that takes as long as it is told to.

$ awk -f "$DATA/rdam/server.awk" | sort -s -k4,4 >server.txt; pscal rdam --comm server server.txt
handle { lookup lock update } costs most: its 60 occurrences in thread 102
(server) took 5.50 ms longer than if each had been as fast as the fastest,
36.0 us: 71.8 % of the thread's wall time of 7.66 ms. It costs 1 other thread
20 % or more, too. Most of that, 4.00 ms, is lost within it, in lock. For 100 %
of that it was blocked, mostly until thread 100 (server) let it go on.

block                          tid  thread  times   score     lost      min   median      p99      max  where it went               in doubt
handle { lookup lock update }  102  server     60  71.8 %  5.50 ms  36.0 us  71.0 us   286 us   286 us  blocked 73 %, on CPU 27 %   
handle { lookup lock update }  101  server     60  67.6 %  4.50 ms  36.0 us  66.0 us   586 us   586 us  CPU wait 67 %, on CPU 33 %  
lock                           102  server     60  52.2 %  4.00 ms  1.00 us  1.00 us   201 us   201 us  blocked 100 %               
update                         101  server     60  45.0 %  3.00 ms  20.0 us  20.0 us   520 us   520 us  CPU wait 100 %              
lookup                         101  server     60  22.5 %  1.50 ms  10.0 us  35.0 us  60.0 us  60.0 us  on CPU 100 %                depends

3 rows with a score below 20 % are left out; --threshold 0 shows them.

Scores do not add up: of blocks within one another both count the same time.

depends: how long lookup takes in thread 101 (server) depends on arg1
(Spearman's rho 1.00), which explains 100 % of its score; with the minimum of
each value taken off the score is 0.0 %.

To have a row for each value: pscal rdam --key lookup:arg1 server.txt

To see the slowest lock: pscal timeline --blocks --thread 102 --from 0.000137
--to 0.000338 server.txt

$ pscal rdam --comm server --min pooled --threshold 0 server.txt
handle { lookup lock update } costs most: its 120 occurrences in 2 threads took
10.0 ms longer than if each had been as fast as the fastest, 36.0 us: 69.8 % of
their wall time of 14.3 ms. For 40 % of that it was blocked, mostly until thread
100 (server) let it go on, and 30 % is on CPU.

block                          tid  thread  times   score     lost      min   median      p99      max  where it went                             in doubt
handle { lookup lock update }  all            120  69.8 %  10.0 ms  36.0 us  66.0 us   582 us   586 us  blocked 40 %, on CPU 30 %, CPU wait 30 %  
lock                           all            120  27.9 %  4.00 ms  1.00 us  1.00 us   201 us   201 us  blocked 100 %                             
lookup                         all            120  20.9 %  3.00 ms  10.0 us  35.0 us  60.0 us  60.0 us  on CPU 100 %                              depends
update                         all            120  20.9 %  3.00 ms  20.0 us  20.0 us   520 us   520 us  CPU wait 100 %                            

Scores do not add up: of blocks within one another both count the same time.

depends: how long lookup takes in 2 threads depends on arg1 (Spearman's rho
1.00), which explains 100 % of its score; with the minimum of each value taken
off the score is 0.0 %.

To have a row for each value: pscal rdam --key lookup:arg1 server.txt

To see the slowest handle { lookup lock update }: pscal timeline --blocks
--thread 101 --from 0.002754 --to 0.003340 server.txt

$ pscal rdam --comm server --threshold 80% server.txt
No block costs 80 % of wall time or more. Most does handle { lookup lock update
}: its 60 occurrences in thread 102 (server) took 5.50 ms longer than if each
had been as fast as the fastest, 36.0 us: 71.8 % of the thread's wall time of
7.66 ms. Most of that, 4.00 ms, is lost within it, in lock. For 100 % of that it
was blocked, mostly until thread 100 (server) let it go on.

8 rows with a score below 80 % are left out; --threshold 0 shows them.

$ pscal rdam --comm server --limit 1 server.txt
handle { lookup lock update } costs most: its 60 occurrences in thread 102
(server) took 5.50 ms longer than if each had been as fast as the fastest,
36.0 us: 71.8 % of the thread's wall time of 7.66 ms. It costs 1 other thread
20 % or more, too. Most of that, 4.00 ms, is lost within it, in lock. For 100 %
of that it was blocked, mostly until thread 100 (server) let it go on.

block                          tid  thread  times   score     lost      min   median     p99     max  where it went
handle { lookup lock update }  102  server     60  71.8 %  5.50 ms  36.0 us  71.0 us  286 us  286 us  blocked 73 %, on CPU 27 %

3 rows with a score below 20 % are left out; --threshold 0 shows them.

4 more rows are left out; --limit shows more of them.

Scores do not add up: of blocks within one another both count the same time.

To see the slowest lock: pscal timeline --blocks --thread 102 --from 0.000137
--to 0.000338 server.txt

# The example of Mosli Bouksiaa: a block of 22, 35, 40, 38 and 40 s in 200 s.

$ printf '%s\n' '#timestamp #ThreadId #Event' \
    '0.0s 1 Enter function main()' \
    '1.0s 1 Enter function foo()' '23.0s 1 Leave function foo()' \
    '24.0s 1 Enter function foo()' '59.0s 1 Leave function foo()' \
    '60.0s 1 Enter function foo()' '100.0s 1 Leave function foo()' \
    '101.0s 1 Enter function foo()' '139.0s 1 Leave function foo()' \
    '140.0s 1 Enter function foo()' '180.0s 1 Leave function foo()' \
    '200.0s 1 Leave function main()' >foo.txt; pscal rdam foo.txt
foo costs most: its 5 occurrences in thread 1 took 65.0 s longer than if each
had been as fast as the fastest, 22.0 s: 32.5 % of the thread's wall time of
200 s.

block  tid  thread  times   score    lost     min  median     p99     max  where it went  in doubt
foo      1              5  32.5 %  65.0 s  22.0 s  38.0 s  40.0 s  40.0 s  unknown 100 %  few

few: of less than 44 occurrences even the fastest may have been disturbed; the
score may be too low.

Where the time went is unknown, as the recording has no scheduling events.

# A row for each value of an argument.

$ pscal rdam --key lookup:arg1 --block lookup --tid 101 --threshold 0 server.txt
Each block takes as long as it did when it was fastest: nothing is lost.

block           tid  thread  times  score  lost      min   median      p99      max  where it went  in doubt
lookup(arg1=1)  101  server     10  0.0 %  0 ns  10.0 us  10.0 us  10.0 us  10.0 us                 few
lookup(arg1=2)  101  server     10  0.0 %  0 ns  20.0 us  20.0 us  20.0 us  20.0 us                 few
lookup(arg1=3)  101  server     10  0.0 %  0 ns  30.0 us  30.0 us  30.0 us  30.0 us                 few
lookup(arg1=4)  101  server     10  0.0 %  0 ns  40.0 us  40.0 us  40.0 us  40.0 us                 few
lookup(arg1=5)  101  server     10  0.0 %  0 ns  50.0 us  50.0 us  50.0 us  50.0 us                 few
lookup(arg1=6)  101  server     10  0.0 %  0 ns  60.0 us  60.0 us  60.0 us  60.0 us                 few

few: of less than 44 occurrences even the fastest may have been disturbed; the
score may be too low.

$ pscal rdam --block 'lookup' --tid 101 --sort name server.txt
No block costs 20 % of wall time or more, what durations depend on being taken
into account. Most does lookup: its 60 occurrences in thread 101 (server) took
1.50 ms longer than if each had been as fast as the fastest, 10.0 us: 22.5 % of
the thread's wall time of 6.66 ms. For 100 % of that it was on a CPU and slower,
or did more: caches, memory, shared cache lines, spinning. But how long it takes
depends on arg1: with that taken into account the score is 0 %.

block   tid  thread  times   score     lost      min   median      p99      max  where it went  in doubt
lookup  101  server     60  22.5 %  1.50 ms  10.0 us  35.0 us  60.0 us  60.0 us  on CPU 100 %   depends

depends: how long lookup takes in thread 101 (server) depends on arg1
(Spearman's rho 1.00), which explains 100 % of its score; with the minimum of
each value taken off the score is 0.0 %.

To have a row for each value: pscal rdam --key lookup:arg1 server.txt

To see the slowest lookup: pscal timeline --blocks --thread 101 --from 0.000286
--to 0.000346 server.txt

# The parts of what is lost add up to it.

$ pscal rdam --comm server --format json server.txt | jq -c '.[] | [.block, .tid, .occurrences, (.score * 1000 | round), .causes.blocked_own_s, .causes.cpu_wait_stranger_s, .parameter_dependent, (.grouped_score * 1000 | round)]'
["handle { lookup lock update }",102,60,718,0.004000000000000001,0,false,718]
["handle { lookup lock update }",101,60,676,0,0.003,false,676]
["lock",102,60,522,0.004000000000000001,0,false,522]
["update",101,60,450,0,0.003,false,450]
["lookup",101,60,225,0,0,true,0]
["lookup",102,60,196,0,0,true,0]
["lock",101,60,0,0,0,false,0]
["update",102,60,0,0,0,false,0]

$ pscal rdam --comm server --format json server.txt | jq -c '.[] | .lost_s - (.causes | .cpu_wait_s + .blocked_s + .disk_s + .stopped_s + .unknown_s + .on_cpu_s) | fabs < 1e-9' | uniq -c
      8 true

$ pscal rdam --comm server --format json server.txt | jq -c '[.[].causes.page_faults_s] | unique' # none are on record
[null]

$ pscal rdam --comm server --format json server.txt | jq -c '.[0] | keys_unsorted, (.causes | keys_unsorted), .wakers, .quality'
["block","tid","occurrences","score","lost_s","min_s","median_s","p99_s","parameter_dependent","causes","stacks","first_block","pid","comm","events","any_content","whole_block","wall_s","total_s","max_s","max_begin_s","max_tid","few","overlapping","known_dependent","grouped_score","every","block_cost_s","events_lost","unbalanced","dependences","wakers","quality"]
["cpu_wait_s","blocked_s","page_faults_s","disk_s","stopped_s","unknown_s","on_cpu_s","cpu_wait_own_s","cpu_wait_stranger_s","cpu_wait_other_s","blocked_own_s","blocked_other_s"]
[{"by":"thread","tid":100,"comm":"server","waits":20,"slept_s":0.004000000000000001}]
{}

$ pscal rdam --block lookup --format json server.txt | jq -c '.[0].dependences, ([.[] | .max_s, .max_begin_s, .max_tid] | map(. * 1e6 | round))'
[{"on":"arg1","spearman":0.9999999999999998,"depends":true,"slope_s":1e-05,"score":0,"by_value":true}]
[60,295,101000000,60,505,102000000]

$ pscal rdam --comm server --format json --threshold 2 server.txt
[]

$ pscal rdam --comm server --sort lost --limit 2 --format csv server.txt | cut -d, -f1-4,7-9
block,tid,occurrences,score,median_s,p99_s,parameter_dependent
handle { lookup lock update },102,60,0.717921942305182,7.1e-05,0.000286,false
handle { lookup lock update },101,60,0.6755742381023869,6.6e-05,0.000586,false

# Sequences that are no block.

$ pscal rdam --tid 102 --all-sequences --threshold 0 --format csv server.txt | cut -d, -f1,3
block,occurrences
handle { lookup lock update,60
handle { lookup lock update },60
lookup lock,60
lookup lock update,60
lock,60
lookup,60
update,60

# What is not known.

$ awk -v scheduler=0 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam --block lock
lock costs most: its 60 occurrences in thread 102 (server) took 4.00 ms longer
than if each had been as fast as the fastest, 1.00 us: 52.2 % of the thread's
wall time of 7.66 ms.

block  tid  thread  times   score     lost      min   median     p99     max  where it went
lock   102  server     60  52.2 %  4.00 ms  1.00 us  1.00 us  201 us  201 us  unknown 100 %

1 row with a score below 20 % is left out; --threshold 0 shows it.

Where the time went is unknown, as the recording has no scheduling events.

$ awk -v rounds=12 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam --comm server --block update
update costs most: its 12 occurrences in thread 101 (server) took 500 us longer
than if each had been as fast as the fastest, 20.0 us: 40.6 % of the thread's
wall time of 1.23 ms. For 100 % of that it waited for a CPU that another program
had.

block   tid  thread  times   score    lost      min   median     p99     max  where it went   in doubt
update  101  server     12  40.6 %  500 us  20.0 us  20.0 us  465 us  520 us  CPU wait 100 %  few

1 row with a score below 20 % is left out; --threshold 0 shows it.

few: of less than 44 occurrences even the fastest may have been disturbed; the
score may be too low.

To see the slowest update: pscal timeline --blocks --thread 101 --from 0.000560
--to 0.001080

$ awk -v blocks=0 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam
pscal rdam: the recording holds no blocks of code that the target entered; record some with 'pscal record --probe' or --uprobe, or name another target with --pid, --tid or --comm
? 1

$ { cat server.txt; echo 'server 101 [001] 1000.100000000: pscal:enter: block=lookup args=1'; } | pscal rdam --block lock --tid 101 --threshold 0
Each block takes as long as it did when it was fastest: nothing is lost.

block  tid  thread  times  score  lost      min   median      p99      max  where it went
lock   101  server     60  0.0 %  0 ns  1.00 us  1.00 us  1.00 us  1.00 us  

1 of 481 events is left out, as an enter has no leave or a leave no enter: at
the edge of the recording, or where a block was left by longjmp or an exception.

# A gate.

$ pscal rdam -q --comm server --block lock --gate 60% -o /dev/null server.txt

$ pscal rdam -q --comm server --block lookup --gate 0.01 -o /dev/null server.txt

$ pscal rdam -q --comm server --gate 30% -o /dev/null server.txt
pscal rdam: --gate 30%: 4 rows are above it; the highest score is 71.8 %, of handle { lookup lock update } in thread 102 (server)
? 3

# What is asked for wrongly.

$ pscal rdam --min all server.txt
pscal rdam: --min all: there are thread and pooled
? 2

$ pscal rdam --sort length server.txt
pscal rdam: --sort length: there are score, grouped, lost, total, occurrences, median, p99, name
? 2

$ pscal rdam --threshold much server.txt
pscal rdam: --threshold much: is not a share, like 0.2 or 20%
? 2

$ pscal rdam --gate -1 server.txt
pscal rdam: --gate -1: is not a share, like 0.2 or 20%
? 2

$ pscal rdam --least 1 server.txt
pscal rdam: --least 1: is not a number from 2 on
? 2

$ pscal rdam --limit 0 server.txt
pscal rdam: --limit 0: is not a number from 1 on
? 2

$ pscal rdam --key lookup server.txt
pscal rdam: --key lookup: give BLOCK:ARGUMENT, as in list_search:arg1
? 2

$ pscal rdam --key std::find server.txt
pscal rdam: --key std::find: give BLOCK:ARGUMENT, as in list_search:arg1
? 2

$ pscal rdam --key lookup:arg7 server.txt
pscal rdam: key lookup:arg7: 'lookup' has no argument of that name on record, but arg1 to arg1
? 1

$ pscal rdam --key nothing:arg1 server.txt
pscal rdam: key nothing:arg1: the recording has no block of the name 'nothing'; pscal rdam --threshold 0 lists those that it has
? 1

$ pscal rdam --block nothing server.txt
pscal rdam: block 'nothing': the recording has no block of this name; pscal rdam --threshold 0 lists those that it has
? 1

$ pscal rdam --pid 77 server.txt
pscal rdam: the recording holds nothing of what --pid asks for; ask for others, or for none
? 1
