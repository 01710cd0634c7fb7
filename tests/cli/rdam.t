# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of varying durations. The answers are in the first lines of server.awk: waits for a lock,
# a preemption, and a lookup whose time depends on its argument.

$ awk -f "$DATA/rdam/server.awk" | sort -s -k4,4 >server.txt; pscal rdam --comm server server.txt
handle { lookup lock update } costs most: thread 102 (server) lost 5.50 ms in it
(71.8 % of 7.66 ms), 4.00 ms of that in lock, blocked until thread 100 (server)
woke it.

function                       thread  calls   score     lost  main cause
handle { lookup lock update }     102     60  71.8 %  5.50 ms  blocked 73 %
handle { lookup lock update }     101     60  67.6 %  4.50 ms  run queue 67 %
lock                              102     60  52.2 %  4.00 ms  blocked 100 %
update                            101     60  45.0 %  3.00 ms  run queue 100 %
lookup *                          101     60  22.5 %  1.50 ms  on CPU 100 %

* the duration depends on arguments or on calls inside.

3 rows below 20 % are left out; --all.

next: pscal timeline --blocks --tid 102 --from 0.000137 --to 0.000338 --comm server server.txt

$ pscal rdam --comm server --baseline pooled --min-score 0 server.txt
handle { lookup lock update } costs most: 2 threads lost 10.0 ms in it (69.8 %
of 14.3 ms), 40 % of it blocked until thread 100 (server) woke it, 30 % on a
CPU: slower caches or memory, spinning, or more to do.

function                       thread  calls   score     lost  main cause
handle { lookup lock update }     all    120  69.8 %  10.0 ms  blocked 40 %
lock                              all    120  27.9 %  4.00 ms  blocked 100 %
lookup *                          all    120  20.9 %  3.00 ms  on CPU 100 %
update                            all    120  20.9 %  3.00 ms  run queue 100 %

* the duration depends on arguments or on calls inside.

next: pscal timeline --blocks --tid 101 --from 0.002754 --to 0.003340 --comm server server.txt

$ pscal rdam --comm server --min-score 80% server.txt
No function loses 80 % or more of its thread's time to interference. The most:
handle { lookup lock update }, where thread 102 (server) lost 5.50 ms in it
(71.8 % of 7.66 ms), 4.00 ms of that in lock, blocked until thread 100 (server)
woke it.

8 rows below 80 % are left out; --all.

$ pscal rdam --comm server --limit 1 server.txt
handle { lookup lock update } costs most: thread 102 (server) lost 5.50 ms in it
(71.8 % of 7.66 ms), 4.00 ms of that in lock, blocked until thread 100 (server)
woke it.

function                       thread  calls   score     lost  main cause
handle { lookup lock update }     102     60  71.8 %  5.50 ms  blocked 73 %
... 4 more; --all

* the duration depends on arguments or on calls inside.

3 rows below 20 % are left out; --all.

next: pscal timeline --blocks --tid 102 --from 0.000137 --to 0.000338 --comm server server.txt

# The example of Mosli Bouksiaa: a block of 22, 35, 40, 38 and 40 s in 200 s.

$ printf '%s\n' '#timestamp #ThreadId #Event' \
    '0.0s 1 Enter function main()' \
    '1.0s 1 Enter function foo()' '23.0s 1 Leave function foo()' \
    '24.0s 1 Enter function foo()' '59.0s 1 Leave function foo()' \
    '60.0s 1 Enter function foo()' '100.0s 1 Leave function foo()' \
    '101.0s 1 Enter function foo()' '139.0s 1 Leave function foo()' \
    '140.0s 1 Enter function foo()' '180.0s 1 Leave function foo()' \
    '200.0s 1 Leave function main()' >foo.txt; pscal rdam foo.txt
foo costs most: thread 1 lost 65.0 s in it (32.5 % of 200 s).
! Only 5 calls of foo: the score may be too low.
! The recording has no scheduling events: the causes are unknown.

function  thread  calls   score    lost  main cause
foo ?          1      5  32.5 %  65.0 s  unknown 100 %

? few calls: the score may be too low.

# A row for each value of an argument.

$ pscal rdam --key lookup:arg1 --function lookup --tid 101 --min-score 0 server.txt
Nothing is lost: every call is as fast as the fastest call of its function.

function          thread  calls  score  lost  main cause
lookup(arg1=1) ?     101     10  0.0 %  0 ns
lookup(arg1=2) ?     101     10  0.0 %  0 ns
lookup(arg1=3) ?     101     10  0.0 %  0 ns
lookup(arg1=4) ?     101     10  0.0 %  0 ns
lookup(arg1=5) ?     101     10  0.0 %  0 ns
lookup(arg1=6) ?     101     10  0.0 %  0 ns

? few calls: the score may be too low.

$ pscal rdam --function 'lookup' --tid 101 --sort name server.txt
No function loses 20 % or more of its thread's time to interference. The most:
lookup, where thread 101 (server) lost 1.50 ms in it (22.5 % of 6.66 ms), on a
CPU: slower caches or memory, spinning, or more to do.
! lookup takes longer for larger arg1: without that its score is 0 %.

function  thread  calls   score     lost  main cause
lookup *     101     60  22.5 %  1.50 ms  on CPU 100 %

* the duration depends on arguments or on calls inside.

next: pscal rdam --key lookup:arg1 --tid 101 server.txt

# The parts of the loss add up to it.

$ pscal rdam --comm server --format json server.txt | jq -c '.functions[] | [.function, .tid, .calls, (.score * 1000 | round), .causes.blocked_own_s, .causes.run_queue_other_programs_s, .parameter_dependent, (.grouped_score * 1000 | round)]'
["handle { lookup lock update }",102,60,718,0.004000000000000001,0,false,718]
["handle { lookup lock update }",101,60,676,0,0.003,false,676]
["lock",102,60,522,0.004000000000000001,0,false,522]
["update",101,60,450,0,0.003,false,450]
["lookup",101,60,225,0,0,true,0]
["lookup",102,60,196,0,0,true,0]
["lock",101,60,0,0,0,false,0]
["update",102,60,0,0,0,false,0]

$ pscal rdam --comm server --format json server.txt | jq -c '.functions[] | .lost_s - (.causes | .run_queue_s + .blocked_s + .disk_s + .stopped_s + .unknown_s + .on_cpu_s) | fabs < 1e-9' | uniq -c
      8 true

$ pscal rdam --comm server --format json server.txt | jq -c '[.functions[].causes.page_faults_s] | unique' # none are on record
[null]

$ pscal rdam --comm server --format json server.txt | jq -c 'keys_unsorted, (.functions[0] | keys_unsorted, (.causes | keys_unsorted), .wakers), (.quality | .lost)'
["verdict","functions","quality","warnings"]
["function","tid","calls","score","lost_s","min_s","p50_s","p99_s","parameter_dependent","causes","stacks","first_function","pid","comm","name","events","any_content","whole_call","wall_s","total_s","max_s","max_begin_s","max_tid","few_calls","overlapping","known_dependent","grouped_score","every","call_cost_s","events_lost","unbalanced","dependences","wakers"]
["run_queue_s","blocked_s","page_faults_s","disk_s","stopped_s","unknown_s","on_cpu_s","run_queue_own_s","run_queue_other_programs_s","run_queue_unattributed_s","blocked_own_s","blocked_other_s"]
[{"by":"thread","tid":100,"comm":"server","name":"server","waits":20,"slept_s":0.004000000000000001}]
0

$ pscal rdam --function lookup --format json server.txt | jq -c '.functions[0].dependences, ([.functions[] | .max_s, .max_begin_s, .max_tid] | map(. * 1e6 | round))'
[{"on":"arg1","spearman":0.9999999999999998,"depends":true,"slope_s":1e-05,"score":0,"by_value":true}]
[60,295,101000000,60,505,102000000]

$ pscal rdam --comm server --format json --min-score 2 server.txt | jq -c '.functions, .warnings'
[]
[]

$ pscal rdam --comm server --sort lost --format csv server.txt | head -n 3 | cut -d, -f1-4,7-9
function,tid,calls,score,p50_s,p99_s,parameter_dependent
handle { lookup lock update },102,60,0.717921942305182,7.1e-05,0.000286,false
handle { lookup lock update },101,60,0.6755742381023869,6.6e-05,0.000586,false

# Sequences that are not a block.

$ pscal rdam --tid 102 --all-sequences --min-score 0 --format csv server.txt | cut -d, -f1,3
function,calls
handle { lookup lock update,60
handle { lookup lock update },60
lookup lock,60
lookup lock update,60
lock,60
lookup,60
update,60

# Unknown values.

$ awk -v scheduler=0 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam --function lock
lock costs most: thread 102 (server) lost 4.00 ms in it (52.2 % of 7.66 ms).
! The recording has no scheduling events: the causes are unknown.

function  thread  calls   score     lost  main cause
lock         102     60  52.2 %  4.00 ms  unknown 100 %

1 row below 20 % is left out; --all.

$ awk -v rounds=12 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam --comm server --function update
update costs most: thread 101 (server) lost 500 us in it (40.6 % of 1.23 ms), in
the run queue behind other programs.
! Only 12 calls of update: the score may be too low.

function  thread  calls   score    lost  main cause
update ?     101     12  40.6 %  500 us  run queue 100 %

? few calls: the score may be too low.

1 row below 20 % is left out; --all.

$ awk -v blocks=0 -f "$DATA/rdam/server.awk" | sort -s -k4,4 | pscal rdam
pscal rdam: the recording has no function calls of the target; record them with 'pscal record --probe' or --uprobe, or name another target with --pid, --tid or --comm; 'pscal stretch' compares functions without them
? 1

$ { cat server.txt; echo 'server 101 [001] 1000.100000000: pscal:enter: block=lookup args=1'; } | pscal rdam --function lock --tid 101 --min-score 0
Nothing is lost: every call is as fast as the fastest call of its function.

function  thread  calls  score  lost  main cause
lock         101     60  0.0 %  0 ns

# Conditions.

$ pscal rdam -q --comm server --function lock --assert "score<=60%" -o /dev/null server.txt

$ pscal rdam -q --comm server --function lookup --assert "score<=0.01" -o /dev/null server.txt

$ pscal rdam -q --comm server --assert "score<=30%" -o /dev/null server.txt
pscal rdam: 'score<=30%' fails: 71.8 %, handle { lookup lock update } in thread 102 (server)
? 3

# Wrong options.

$ pscal rdam --baseline all server.txt
pscal rdam: --baseline all: there are thread and pooled
? 2

$ pscal rdam --sort length server.txt
pscal rdam: --sort length: there are score, grouped, lost, total, calls, p50, p99, name
? 2

$ pscal rdam --min-score much server.txt
pscal rdam: --min-score much: is not a share, like 0.2 or 20%
? 2

$ pscal rdam --gate -1 server.txt
pscal rdam: --gate is now --assert, as in 'score<=30%'
? 2

$ pscal rdam --limit x server.txt
pscal rdam: --limit x: is not a number of rows, 1 or more
? 2

$ pscal rdam --limit 0 server.txt
pscal rdam: --limit 0: is not a number of rows, 1 or more
? 2

$ pscal rdam --key lookup server.txt
pscal rdam: --key lookup: give FUNCTION:ARGUMENT, as in list_search:arg1
? 2

$ pscal rdam --key std::find server.txt
pscal rdam: --key std::find: give FUNCTION:ARGUMENT, as in list_search:arg1
? 2

$ pscal rdam --key lookup:arg7 server.txt
pscal rdam: key lookup:arg7: 'lookup' has no such argument; it has arg1 to arg1
? 1

$ pscal rdam --key nothing:arg1 server.txt
pscal rdam: key nothing:arg1: no function 'nothing' is in this recording; 'pscal rdam --all' lists the functions
? 1

$ pscal rdam --function nothing server.txt
pscal rdam: no function 'nothing' is in this recording; 'pscal rdam --all' lists the functions
? 1

$ pscal rdam --pid 77 server.txt
pscal rdam: the recording has no thread for --pid 77; its threads are server, cron
? 1

# Options with a former name.

$ pscal rdam --min pooled server.txt
pscal rdam: --min is now --baseline
? 2

$ pscal rdam --threshold 0 server.txt
pscal rdam: --threshold is now --min-score
? 2

$ pscal rdam --block lock server.txt
pscal rdam: --block is now --function
? 2

$ pscal rdam --least 3 server.txt
pscal rdam: --least is gone: rows with few calls are marked '?'
? 2

# The details, and all rows.

$ pscal rdam -v --comm server --all server.txt
handle { lookup lock update } costs most: thread 102 (server) lost 5.50 ms in it
(71.8 % of 7.66 ms), 4.00 ms of that in lock, blocked until thread 100 (server)
woke it.

function                       thread  name    calls   score     lost      min      p50      p99      max  main cause       all causes
handle { lookup lock update }     102  server     60  71.8 %  5.50 ms  36.0 us  71.0 us   286 us   286 us  blocked 73 %     blocked 73 %, on CPU 27 %
handle { lookup lock update }     101  server     60  67.6 %  4.50 ms  36.0 us  66.0 us   586 us   586 us  run queue 67 %   run queue 67 %, on CPU 33 %
lock                              102  server     60  52.2 %  4.00 ms  1.00 us  1.00 us   201 us   201 us  blocked 100 %    blocked 100 %
update                            101  server     60  45.0 %  3.00 ms  20.0 us  20.0 us   520 us   520 us  run queue 100 %  run queue 100 %
lookup *                          101  server     60  22.5 %  1.50 ms  10.0 us  35.0 us  60.0 us  60.0 us  on CPU 100 %     on CPU 100 %
lookup *                          102  server     60  19.6 %  1.50 ms  10.0 us  35.0 us  60.0 us  60.0 us  on CPU 100 %     on CPU 100 %
lock                              101  server     60   0.0 %     0 ns  1.00 us  1.00 us  1.00 us  1.00 us
update                            102  server     60   0.0 %     0 ns  20.0 us  20.0 us  20.0 us  20.0 us

* the duration depends on arguments or on calls inside.

Scores of functions within one another count the same time: do not add them.

lost: the time that all calls took longer than the fastest. score: lost time as
a share of the wall time of the thread.

The duration of lookup in thread 101 (server) depends on arg1 (Spearman's rho
1.00). Taking off the minimum of each value leaves a score of 0.0 %.

next: pscal timeline --blocks --tid 102 --from 0.000137 --to 0.000338 --comm server server.txt

# Three threads of 380 years each: their sum is beyond 64 bits of nanoseconds.
$ { printf '%%EventDef PajePushState 11\n%% Time date\n%% Container string\n%% Type string\n%% Value string\n%%EndEventDef\n%%EventDef PajePopState 12\n%% Time date\n%% Container string\n%% Type string\n%%EndEventDef\n'; for thread in 1 2 3; do echo "11 1 T$thread S work"; done; for thread in 1 2 3; do echo "12 2 T$thread S"; done; for thread in 1 2 3; do echo "11 3 T$thread S work"; done; for thread in 1 2 3; do echo "12 12000000000 T$thread S"; done; } >years.paje; pscal rdam --json --baseline pooled years.paje | jq -c '.functions[] | [.function, .score <= 1, .wall_s, .total_s]'
["work",true,35999999997,35999999994]

# The next step has one --tid: that of the slowest call.
$ pscal rdam --tid 101,102 server.txt | grep '^next: '; pscal rdam --tid 102 --comm server server.txt | grep '^next: '
next: pscal timeline --blocks --tid 102 --from 0.000128 --to 0.000329 server.txt
next: pscal timeline --blocks --tid 102 --from 0.000137 --to 0.000338 --comm server server.txt
