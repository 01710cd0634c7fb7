# SPDX-License-Identifier: GPL-3.0-or-later
# The closed form, from a profile of the paper (batik, measured on one core) and from recordings.
# By the paper: 30.1493 s on 2 cores, 29.1278 s on 3, 29.0794 s on 4, 29.0578 s on 8.

$ pscal forecast --recorded-cores 1 -n 1-4,8 "$DATA/examples/profile.csv"
The program gains up to 2 cores and no further: 30.1 s, 1.2x faster than on one.

cores  wall time  speedup  efficiency  recorded
    1     36.5 s     1.0x       100 %  36.5 s
    2     30.1 s     1.2x        60 %  -
    3     29.1 s     1.3x        42 %  -
    4     29.1 s     1.3x        31 %  -
    8     29.1 s     1.3x        16 %  -

Trust: closed form, without an interval.

$ pscal forecast --recorded-cores 1 -n 2,3,4 --format csv "$DATA/examples/profile.csv"
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,30.14935,1.2097342065417664,0.6048671032708832,closed-form,,,,30.14935,,,,
3,29.127816666666668,1.252160449146835,0.4173868163822783,closed-form,,,,29.127816666666668,,,,
4,29.079441666666668,1.2542434761327663,0.3135608690331916,closed-form,,,,29.079441666666668,,,,

$ pscal forecast --recorded-cores 1 -n 2 --format json "$DATA/examples/profile.csv" | jq -c 'keys_unsorted, [.model, .recorded_cores, .recorded_wall_s], .forecast'
["verdict","model","recorded_cores","recorded_wall_s","unknown_s","others_share","throttled_share","recorded_quota_cpus","quota_cpus","quota_period_s","slowdown","reason","doubt","assumptions","spin","spin_share","yield_share","replicates","calls_cost_s","locks_cost_s","scale","attached","cpu_s","cpus_used","run_queue_s","run_queue_p50_s","run_queue_p99_s","run_queue_max_s","forecast","warnings"]
["closed-form",1,36.4727]
[{"cores":2,"wall_s":30.14935,"speedup":1.2097342065417664,"efficiency":0.6048671032708832,"model":"closed-form","lo_s":null,"hi_s":null,"discrepancy":null,"closed_form_s":30.14935,"work_bound_s":null,"path_bound_s":null,"lock_bound_s":null,"recorded_s":null}]

$ pscal forecast -n 2 --format json "$DATA/examples/pscal.data" | jq -c '[.recorded_cores, (.forecast | length)]'
[1,1]

$ pscal profile --format csv "$DATA/examples/pscal.data" | pscal forecast --recorded-cores 1 -n 2 --format csv >a; pscal forecast --model closed-form -n 2 --format csv "$DATA/examples/pscal.data" | diff - a && echo same
same

$ pscal forecast --comm pigz "$DATA/examples/trace.txt" --format csv | cut -d, -f1
cores
1
2
4
8

$ pscal forecast -q -n 1,2 --tid 5421 "$DATA/examples/trace.txt" | grep -A1 'outside the selection'
! Waits for threads outside the selection keep their recorded length.

# Unknown time is carried over unchanged, and reported.

$ printf 'active,wall_s\n0,1\n2,2\nunknown,0.5\n' | pscal forecast --recorded-cores 1 -n 2
The program takes 2.50 s on 2 cores, 1.4x faster than on one.
! The number of threads ready is unknown for 14 % of the time, kept as recorded.

cores  wall time  speedup  efficiency
    2     2.50 s     1.4x        70 %

Trust: closed form, without an interval.

$ pscal forecast "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: does not say on how many cores it was recorded: give --recorded-cores
? 1

$ pscal forecast --recorded-cores 1 -n 0 "$DATA/examples/profile.csv"
pscal forecast: -n: '0' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2

$ pscal forecast --cores none "$DATA/examples/profile.csv"
pscal forecast: --cores: 'none' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2

$ printf 'active,wall_s\n1,x\n' | pscal forecast --recorded-cores 1
pscal forecast: standard input:2: column 2 ('wall_s'): 'x' is not a number
? 1

$ printf 'active,wall_s\n1.5,2\n' | pscal forecast --recorded-cores 1
pscal forecast: standard input:2: 1.5 is not a number of ready threads
? 1

$ printf 'active,wall_s\n1,-2\n' | pscal forecast --recorded-cores 1
pscal forecast: standard input:2: -2 is not a wall time in seconds
? 1

$ printf 'active,seconds\n1,2\n' | pscal forecast --recorded-cores 1
pscal forecast: standard input: a profile has the columns ready and wall_s
? 1

$ printf 'active,wall_s\n' | pscal forecast --recorded-cores 1
pscal forecast: standard input: the profile holds no time
? 1

# Compared with measurements: 30.9 and 31.1 s on 2 cores, and so on. The measured core counts are
# forecast too; the profile's own number of cores is not in the mean error.

$ printf 'cores,wall_s\n1,36.5\n2,30.9\n8,28\n2,31.1\n' >runs.csv
$ pscal forecast --recorded-cores 1 --measured runs.csv "$DATA/examples/profile.csv" | head -n 18
The forecast misses the measured times by 3.3 % on average (2 core counts,
without the recorded 1).

cores  wall time  speedup  efficiency  measured  runs   error
    1     36.5 s     1.0x       100 %    36.5 s     1  -0.1 %
    2     30.1 s     1.2x        60 %    31.0 s     2  -2.7 %
    4     29.1 s     1.3x        31 %         -     -       -
    8     29.1 s     1.3x        16 %    28.0 s     1   3.8 %

Trust: closed form, without an interval.
$ pscal forecast --recorded-cores 1 -n 4,2 --measured runs.csv --format csv "$DATA/examples/profile.csv"
cores,wall_s,speedup,efficiency,measured_s,runs,error,model,lo_s,hi_s,discrepancy,closed_form_s,closed_form_error,work_bound_s,path_bound_s,lock_bound_s,recorded_s
1,36.4727,1,1,36.5,1,-0.0007479452054793834,closed-form,,,,36.4727,-0.0007479452054793834,,,,36.4727
2,30.14935,1.2097342065417664,0.6048671032708832,31,2,-0.027440322580645216,closed-form,,,,30.14935,-0.027440322580645216,,,,
4,29.079441666666668,1.2542434761327663,0.3135608690331916,,,,closed-form,,,,29.079441666666668,,,,,
8,29.05783166666667,1.2551762436506646,0.15689703045633308,28,1,0.03777970238095252,closed-form,,,,29.05783166666667,0.03777970238095252,,,,
$ pscal forecast --recorded-cores 1 -n 4 --measured runs.csv --format json "$DATA/examples/profile.csv" | jq -c '.mean_abs_error, (.forecast[] | [.cores, .measured_s, .runs, .error])'
0.03261001248079887
[1,36.5,1,-0.0007479452054793834]
[2,31,2,-0.027440322580645216]
[4,null,null,null]
[8,28,1,0.03777970238095252]
$ printf '1,36.5\n' | pscal forecast --recorded-cores 1 -n 1 --measured - "$DATA/examples/profile.csv"
The program takes 36.5 s on 1 core.

cores  wall time  speedup  efficiency  measured  runs   error
    1     36.5 s     1.0x       100 %    36.5 s     1  -0.1 %

! The error is unknown: no other core count was measured.

Trust: closed form, without an interval.
$ printf 'cores,wall_s\n2,fast\n' >bad.csv; pscal forecast --recorded-cores 1 --measured bad.csv "$DATA/examples/profile.csv"
pscal forecast: bad.csv:2: column 2 ('wall_s'): 'fast' is not a number
? 1
$ pscal forecast --recorded-cores 1 --measured none.csv "$DATA/examples/profile.csv"
pscal forecast: none.csv: cannot open: No such file or directory; there is 'bad.csv' or 'runs.csv'
? 1

# Also for a program that hardly uses a CPU.

$ printf 'active,wall_s\n0,10\n1,0.01\n' >idle.csv; pscal forecast --recorded-cores 1 --measured runs.csv idle.csv
The forecast misses the measured times by 66.0 % on average (2 core counts,
without the recorded 1).

cores  wall time  speedup  efficiency  measured  runs    error
    1     10.0 s     1.0x       100 %    36.5 s     1  -72.6 %
    2     10.0 s     1.0x        50 %    31.0 s     2  -67.7 %
    4     10.0 s     1.0x        25 %         -     -        -
    8     10.0 s     1.0x        12 %    28.0 s     1  -64.2 %

Trust: closed form, without an interval.

# Texts that begin with a number are sorted by it.

$ pscal forecast -q --recorded-cores 1 -n 1,2,16 --sort "wall time" "$DATA/examples/profile.csv" | sed -n '/^cores/,$p'
cores  wall time  speedup  efficiency  recorded
    1     36.5 s     1.0x       100 %  36.5 s
    2     30.1 s     1.2x        60 %  -
   16     29.1 s     1.3x         8 %  -
$ pscal forecast -q --recorded-cores 1 -n 1,2,16 --sort efficiency "$DATA/examples/profile.csv" | sed -n '/^cores/,$p' | head -n 2
cores  wall time  speedup  efficiency  recorded
    1     36.5 s     1.0x       100 %  36.5 s

# Between distant core counts, the first sufficient one is not claimed.
$ pscal forecast -q -n 1,8 "$DATA/examples/profile.csv" | head -n 2
pscal forecast: $DATA/examples/profile.csv: does not say on how many cores it was recorded: give --recorded-cores

# The forecast is for a command with its child processes.
$ printf '%s\n' 'pscal 7 [0] 1.000000: sched:sched_process_fork: comm=pscal pid=7 child_comm=pscal child_pid=9' 'x 8 [0] 1.001000: sched:sched_switch: prev_comm=x prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=pscal next_pid=9 next_prio=120' 'pscal 9 [0] 1.002000: sched:sched_process_exec: filename=/bin/job pid=9 old_pid=9' 'job 9 [0] 1.003000: sched:sched_process_fork: comm=job pid=9 child_comm=job child_pid=10' 'job 9 [0] 1.100000: sched:sched_switch: prev_comm=job prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=job next_pid=10 next_prio=120' 'job 10 [0] 1.101000: sched:sched_process_exec: filename=/bin/helper pid=10 old_pid=10' 'helper 10 [0] 1.200000: sched:sched_waking: comm=job pid=9 prio=120 target_cpu=000' 'helper 10 [0] 1.200100: sched:sched_switch: prev_comm=helper prev_pid=10 prev_prio=120 prev_state=Z ==> next_comm=job next_pid=9 next_prio=120' 'job 9 [0] 1.300000: sched:sched_switch: prev_comm=job prev_pid=9 prev_prio=120 prev_state=Z ==> next_comm=swapper/0 next_pid=0 next_prio=120' >two.txt; pscal forecast -q -n 1,2 two.txt | head -n 1
job gains up to 2 cores and no further: 0.202 s, 1.5x faster than on one, if
