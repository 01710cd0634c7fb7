# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks of tasks are shown like calls of blocks of code, with the states of the thread.

$ pscal timeline -q --blocks --comm tasks_fib "$DATA/examples/tasks.txt" | head -n 8
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.013371814     0.014456864     0.001085050     3386  tasks_fib            0    93.1 %     6.9 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:57
   0.014478636     0.015479470     0.001000834     3386  tasks_fib            1   100.0 %     0.0 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:57
   0.015479600     0.018134772     0.002655172     3386  tasks_fib            2    37.7 %    62.3 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:57
   0.015479580     0.018144497     0.002664917     3386  tasks_fib            1    37.9 %    62.1 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:66
   0.016084332     0.032750162     0.016665830     3390  tasks_fib            0     6.1 %    93.9 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:57
   0.032751013     0.033751997     0.001000984     3390  tasks_fib            1   100.0 %     0.0 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:57
   0.032750723     0.033752037     0.001001314     3390  tasks_fib            0   100.0 %     0.0 %     0.0 %     0.0 %     0.0 %  fib tests/workloads/tasks_fib.c:66
$ pscal timeline --blocks --comm tasks_fib --format json "$DATA/examples/tasks.txt" | jq -c '[(.blocks | length), ([.blocks[] | select(.duration_s > 1e-3)] | length), .open_calls, .unwound_calls, .stray_leaves]'
[29,22,0,0,0]

# Beside blocks of code; a sync names a child, which does not end a block, and one end has no begin.
$ awk 'function line(event, text) { printf "w 7/7 [-01] %.6f: pscal:%s: %s\n", now += 1e-3, event, text } \
function step(name, task) { line("task", "site=f a.c:" ++n " step=" name " task=" task " value=0 index=0") } \
BEGIN { now = 1; step("begin", 1); line("enter", "block=work args=1"); step("sync_of", 1); line("leave", "block=work args=1"); step("sync", 1); step("synced", 1); step("end", 1); step("end", 1); step("resume", 2) }' >few.txt; pscal timeline --blocks few.txt
         enter           leave         seconds      tid  thread           depth   running  runnable  sleeping      disk     other  block
   0.001000000     0.003000000     0.002000000        7  w                    1     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  work
   0.000000000     0.004000000     0.004000000        7  w                    0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  f a.c:1
   0.005000000     0.006000000     0.001000000        7  w                    0     0.0 %     0.0 %     0.0 %     0.0 %   100.0 %  f a.c:4
   0.008000000               -               -        7  w                    0         -         -         -         -         -  f a.c:7

1 call is open: its end is not recorded.

1 leave is of functions that the thread was not in.
$ pscal timeline -q --enter-leave few.txt
#timestamp #ThreadId #Event
0.001000000s 7 Enter function work(arg1=1)
0.003000000s 7 Leave function work() return value=1

$ grep -v pscal:task "$DATA/examples/tasks.txt" | pscal timeline -q --blocks
pscal timeline: the recording has no calls or tasks of the target; record them with 'pscal record --probe', or --tasks
? 1
