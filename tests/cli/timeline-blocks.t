# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks of code over the states of threads, from each kind of input with blocks.

$ pscal timeline --blocks "$DATA/blocks/mixed.perf-script.txt"
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.002000000     0.007000000     0.005000000       50  main                 1    40.0 %    20.0 %    40.0 %     0.0 %     0.0 %  std::map<int, A>::find(int const&)
   0.007500000     0.008500000     0.001000000       50  main                 1   100.0 %     0.0 %     0.0 %     0.0 %     0.0 %  work
   0.001000000               -               -       50  main                 0    55.6 %    11.1 %    22.2 %    11.1 %     0.0 %  main

1 call is open: its end is not recorded.

1 leave is of functions that the thread was not in.

$ pscal timeline -q --blocks --format csv "$DATA/blocks/mixed.perf-script.txt"
enter_s,leave_s,duration_s,tid,comm,depth,running_share,runnable_share,sleeping_share,disk_share,other_share,block
0.002,0.007,0.005,50,main,1,0.4,0.2,0.4,0,0,"std::map<int, A>::find(int const&)"
0.0075,0.0085,0.001,50,main,1,1,0,0,0,0,work
0.001,,,50,main,0,0.5555555555555556,0.1111111111111111,0.2222222222222222,0.1111111111111111,0,main

$ pscal timeline --blocks --format json "$DATA/blocks/mixed.perf-script.txt" | jq -c '.blocks[], del(.blocks, .quality)'
{"enter_s":0.002,"leave_s":0.007,"duration_s":0.005,"tid":50,"comm":"main","depth":1,"running_share":0.4,"runnable_share":0.2,"sleeping_share":0.4,"disk_share":0,"other_share":0,"block":"std::map<int, A>::find(int const&)"}
{"enter_s":0.0075,"leave_s":0.0085,"duration_s":0.001,"tid":50,"comm":"main","depth":1,"running_share":1,"runnable_share":0,"sleeping_share":0,"disk_share":0,"other_share":0,"block":"work"}
{"enter_s":0.001,"leave_s":null,"duration_s":null,"tid":50,"comm":"main","depth":0,"running_share":0.5555555555555556,"runnable_share":0.1111111111111111,"sleeping_share":0.2222222222222222,"disk_share":0.1111111111111111,"other_share":0,"block":"main"}
{"open_calls":1,"unwound_calls":0,"stray_leaves":1,"too_deep_calls":0,"every":1}

$ pscal timeline -q --blocks --from 7.2ms --to 8ms --format csv "$DATA/blocks/mixed.perf-script.txt" | cut -d, -f1,2,12
enter_s,leave_s,block
0.0075,0.0085,work
0.001,,main

$ pscal timeline -q --blocks --tid 2 "$DATA/blocks/thesis.txt"
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.210730000     0.308790000     0.098060000        2                       0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  Baz

2 calls are open: their end is not recorded.

$ pscal timeline --enter-leave "$DATA/blocks/mixed.perf-script.txt"
#timestamp #ThreadId #Event
0.001000000s 50 Enter function main(arg1=1, arg2=140737488346104)
0.002000000s 50 Enter function std::map<int, A>::find(int const&)(arg1=7)
0.007000000s 50 Leave function std::map<int, A>::find(int const&)() return value=91
0.007500000s 50 Enter function work(arg1=3)
0.007600000s 50 Leave function gone()
0.008500000s 50 Leave function work() return value=0

$ pscal timeline --enter-leave "$DATA/blocks/thesis.txt"
#timestamp #ThreadId #Event
0.000000000s 1 Enter function Foo(arg1=17)
0.203980000s 1 Enter function Bar(n=42.23)
0.210730000s 2 Enter function Baz(a=21, b=40)
0.308790000s 2 Leave function Baz() return value=91

$ pscal timeline --enter-leave "$DATA/blocks/mixed.perf-script.txt" >once.txt; pscal timeline --enter-leave once.txt >twice.txt; tail -n 2 once.txt | cut -d' ' -f2-; cut -d' ' -f2- once.txt >a; cut -d' ' -f2- twice.txt >b; cmp a b && echo the same
50 Leave function gone()
50 Leave function work() return value=0
the same

$ pscal timeline --blocks once.txt
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.001000000     0.006000000     0.005000000       50                       1     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  std::map<int, A>::find(int const&)
   0.006500000     0.007500000     0.001000000       50                       1     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  work
   0.000000000               -               -       50                       0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  main

1 call is open: its end is not recorded.

1 leave is of functions that the thread was not in.

$ pscal timeline --tid 2 "$DATA/blocks/thesis.txt"
2 threads in 309 ms, with 0 ns of CPU time and 0 context switches.

tid  pid  thread   CPU  run queue  blocked  unknown  voluntary  involuntary  wakeups
  1    -          0 ns       0 ns     0 ns   309 ms          0            0        0
  2    -          0 ns       0 ns     0 ns   309 ms          0            0        0

         start         seconds      tid  thread           state     cpu    waker
   0.000000000     0.308790000        2                   unknown     -        -

$ (cat "$DATA/blocks/thesis.txt"; echo rubbish; echo '1s 0 Enter function f()') | pscal timeline --blocks --audit -
pscal timeline: --audit, --blocks and --enter-leave exclude one another
? 2

$ (cat "$DATA/blocks/thesis.txt"; echo rubbish; echo '1s 0 Enter function f()') | pscal timeline --audit -q -
          time         place  cpu      tid  thread           case                           since  taken as  action
   0.308790000             6    -        -  -                malformed                          -  -         passed over
   0.308790000             7    -        -  -                malformed                          -  -         passed over

! 2 records or lines were not understood and left out.

$ echo '#timestamp #ThreadId #Event' | pscal timeline --blocks -
pscal timeline: standard input: holds no line in which a thread enters or leaves a function, as '0.5s 1 Enter function work(n=3)'
? 1

$ pscal timeline --blocks "$DATA/cc.perf-script.txt"
pscal timeline: the recording has no calls or tasks of the target; record them with 'pscal record --probe', or --tasks
? 1

$ pscal timeline --enter-leave "$DATA/cc.perf-script.txt"
pscal timeline: the recording has no calls or tasks of the target; record them with 'pscal record --probe', or --tasks
? 1

$ pscal timeline --enter-leave --format csv "$DATA/blocks/thesis.txt"
pscal timeline: --enter-leave: is a format of its own, without --format
? 2

$ pscal timeline --blocks "$DATA/blocks/threads.paje.trace"
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.000200000     0.000400000     0.000200000        2  P#0_T#1              1     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  read me
   0.000150000     0.000500000     0.000350000        2  P#0_T#1              0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  Working
   0.000500000     0.000600000     0.000100000        2  P#0_T#1              0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  pthread_mutex_lock
   0.000100000     0.000300000     0.000200000        1  P#0_T#main           1     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  pthread_mutex_lock
   0.000000000     0.000700000     0.000700000        1  P#0_T#main           0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  Working

! 1 record or line was not understood and left out.
! 1 record was left out: the file does not describe their events.

$ pscal timeline --enter-leave "$DATA/blocks/threads.paje.trace"
#timestamp #ThreadId #Event
0.000000000s 1 Enter function Working()
0.000100000s 1 Enter function pthread_mutex_lock()
0.000150000s 2 Enter function Working()
0.000200000s 2 Enter function read me()
0.000300000s 1 Leave function pthread_mutex_lock()
0.000400000s 2 Leave function read me()
0.000500000s 2 Leave function Working()
0.000500000s 2 Enter function pthread_mutex_lock()
0.000600000s 2 Leave function pthread_mutex_lock()
0.000700000s 1 Leave function Working()

$ pscal timeline -q --audit --format csv "$DATA/blocks/threads.paje.trace" | cut -d, -f2,6
place,case
73,malformed
75,unknown_events

$ pscal timeline "$DATA/blocks/threads.paje.trace" | head -n 3
2 threads in 700 us, with 0 ns of CPU time and 1 context switch.
! 1 record or line was not understood and left out.
! 1 record was left out: the file does not describe their events.

$ head -n 60 "$DATA/blocks/threads.paje.trace" | pscal timeline --blocks -
pscal timeline: standard input: is a trace of Paje without states of containers (PajePushState, PajeSetState), and nothing else of it is read
? 1
