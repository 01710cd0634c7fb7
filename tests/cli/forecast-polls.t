# SPDX-License-Identifier: GPL-3.0-or-later
# A thread that looks every 10 ms whether two others are done, which compute for 400 ms on one core.
# On two cores they take 200 ms, and so it looks half as often. Where one of them wakes it in the end
# the replay knows that; where nothing tells what it has looked for, the closed form answers.

$ awk -v wakes=1 -f "$DATA/replay/polls.awk" </dev/null >woken.txt; pscal forecast --cores 1 -k 2 --format csv woken.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s
2,0.2,1.9789999999999999,0.9894999999999999,replay,0.17819270013968963,0.22256803993042112,0.065,0.20041,0.1979,0.2,0
$ awk -v wakes=0 -f "$DATA/replay/polls.awk" </dev/null >looks.txt; pscal forecast --cores 1 -k 2 looks.txt
model               closed-form
measured on cores   1
measured wall time  0.4008 s

cores  wall time  speed-up  efficiency
    2   0.2054 s     1.95x      97.6 %

It is the closed form, and not a replay: a thread sleeps again and again until
it may go on, and the recording does not tell what that depends on, so that a
replay has it sleep as often on other cores.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

The closed form takes active threads to be independent, and their work, the
clock and the speed of memory not to depend on the number of cores: no lock that
binds only on more of them, no spinning. It gives no interval.
$ pscal forecast --cores 1 -k 2 --format json looks.txt | jq -c '.validity[] | select(.condition == "polls")'
{"condition":"polls","holds":false,"value":0.499001996007984,"limit":0.05,"decides":true,"meaning":"a thread sleeps again and again until it may go on, and the recording does not tell what that depends on, so that a replay has it sleep as often on other cores"}
$ pscal forecast --cores 1 -k 2 --model replay --format csv looks.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s
2,0.4008,1,0.5,replay,,,,0.20541,0.2004,0.4008,0
$ pscal forecast --cores 1 -k 2 --why --format csv woken.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,chain
2,0,timed wait,sleep,39,0.195,0.2,0.2,0,0,

# A thread that waits for pieces of work from two others for 50 ms at most. On one core that time
# passes before every second piece, on two, where they take 160 ms, never.

$ awk -f "$DATA/replay/seldom.awk" </dev/null >seldom.txt; pscal forecast --cores 1 -k 2 --format json seldom.txt | jq -c '.forecast[] | [.model, .wall_s]'
["replay",0.1602]
$ pscal forecast --cores 1 -k 2 --why --format csv seldom.txt | cut -d, -f1-6
cores,site,name,kind,visits,waited_s
2,0,join by t1/1,join,2,0.00014
2,3,t1/1 <-> t3/3,threads,3,0.00018
2,1,timed wait,sleep,4,0.15964
