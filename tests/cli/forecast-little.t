# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings with little of a program: most of it unknown, one thread, no thread that computes, or
# no scheduler events.

# The state of b before it left its CPU was not recorded, and that is almost all of the time.

$ printf '%s\n' 'a 7/7 [000] 1.000: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120' 'a 7/7 [000] 1.100: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120' 'b 8/8 [000] 2.000: sched:sched_switch: prev_comm=b prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120' >gap.txt; pscal forecast --recorded-cores 1 -n 1,2 gap.txt
pscal forecast: there is no forecast: the number of threads ready is unknown for 100 % of the wall time; choose other threads with --pid, --tid or --comm, or see the flaws with 'pscal timeline --audit'
? 1
$ pscal forecast --recorded-cores 1 -n 1,2 --model closed-form gap.txt
pscal forecast: there is no forecast: the number of threads ready is unknown for 100 % of the wall time; choose other threads with --pid, --tid or --comm, or see the flaws with 'pscal timeline --audit'
? 1
$ pscal forecast --recorded-cores 1 --why gap.txt
pscal forecast: --why needs a replay: Thread states are unknown. See pscal timeline --audit
? 1

# Half of the time may be unknown.

$ printf 'active,wall_s\n1,1\nunknown,1\n' | pscal forecast --recorded-cores 1 -n 2 --format csv
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,2,1,0.5,closed-form,,,,2,,,,
$ printf 'active,wall_s\n1,1\nunknown,1.01\n' | pscal forecast --recorded-cores 1 -n 2 --format csv
pscal forecast: there is no forecast: the number of threads ready is unknown for 50.2 % of the wall time; choose other threads with --pid, --tid or --comm, or see the flaws with 'pscal timeline --audit'
? 1

# One thread is as fast on any number of cores.

$ awk 'BEGIN { now = 5; for (i = 0; i < 2; i++) { printf "a 7/7 [000] %.3f: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120\n", now; now += .1; printf "a 7/7 [000] %.3f: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n", now; now += .1; printf "swapper 0/0 [000] %.3f: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=000\n", now - .000001 } }' >one.txt; pscal forecast -q --recorded-cores 2 -n 1,2,4 --format json one.txt | jq -c '[.model, .reason, (.forecast[] | .wall_s)]'
["replay",null,0.4,0.4,0.4]

# If threads compute for only a little of the time, a warning says so.

$ awk 'BEGIN { for (i = 0; i < 2; i++) { printf "swapper 0/0 [000] %.4f: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=000\n", 5 + i; printf "swapper 0/0 [000] %.4f: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120\n", 5 + i; printf "a 7/7 [000] %.4f: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n", 5.001 + i } }' >idle.txt; pscal forecast -q --recorded-cores 2 -n 1,4 idle.txt
A CPU was used for 0.2 % of the wall time: cores do not matter.

# Samples alone do not show which threads were active.

$ printf 'pigz 24397 56866.426307:    1003009 cpu-clock:ppp: \n\t            4a26 [unknown] (/usr/lib/libz.so)\n\n' | pscal forecast -n 1
pscal forecast: standard input: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ : | pscal forecast -n 1
pscal forecast: standard input: is empty
? 1
