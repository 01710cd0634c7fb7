# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals of states, from a few lines whose answer is plain.

$ pscal timeline --pid 51 "$DATA/cc.perf-script.txt"
         start             end         seconds      tid      pid  thread           state     cpu    waker
   0.000000000     0.001000000     0.001000000       51        -  cc               runnable    -        -
   0.001000000     0.004000000     0.003000000       51        -  cc               running     0        -
   0.004000000     0.006000000     0.002000000       51        -  cc               disk        -        -
   0.006000000     0.006500000     0.000500000       51        -  cc               runnable    -        0
   0.006500000     0.010000000     0.003500000       51        -  cc               running     1        -

$ pscal timeline --pid 51 --format csv "$DATA/cc.perf-script.txt"
start_s,end_s,duration_s,tid,pid,comm,state,cpu,waker
0,0.001,0.001,51,,cc,runnable,,
0.001,0.0040000000000000001,0.0030000000000000001,51,,cc,running,0,
0.0040000000000000001,0.0060000000000000001,0.002,51,,cc,disk,,
0.0060000000000000001,0.0064999999999999997,0.00050000000000000001,51,,cc,runnable,,0
0.0064999999999999997,0.01,0.0035000000000000001,51,,cc,running,1,

$ pscal timeline --pid 51 --format json "$DATA/cc.perf-script.txt" | jq -c '.timeline[]'
{"start_s":0,"end_s":0.001,"duration_s":0.001,"tid":51,"pid":null,"comm":"cc","state":"runnable","cpu":null,"waker":null}
{"start_s":0.001,"end_s":0.004,"duration_s":0.003,"tid":51,"pid":null,"comm":"cc","state":"running","cpu":0,"waker":null}
{"start_s":0.004,"end_s":0.006,"duration_s":0.002,"tid":51,"pid":null,"comm":"cc","state":"disk","cpu":null,"waker":null}
{"start_s":0.006,"end_s":0.0065,"duration_s":0.0005,"tid":51,"pid":null,"comm":"cc","state":"runnable","cpu":null,"waker":0}
{"start_s":0.0065,"end_s":0.01,"duration_s":0.0035,"tid":51,"pid":null,"comm":"cc","state":"running","cpu":1,"waker":null}

$ pscal timeline --pid 51 --from 4ms --to 5.9ms --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1,7
start_s,state
0.001,running
0.0040000000000000001,disk

$ pscal timeline --thread 50 --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1,2,4,7
start_s,end_s,tid,state
0,0.001,50,running
0.001,0.01,50,sleeping

$ pscal timeline --pid 77 "$DATA/cc.perf-script.txt"
pscal timeline: the recording holds nothing of the target; name another with --pid, --tid or --comm
? 1

$ pscal timeline --from 2 --to 1 "$DATA/cc.perf-script.txt"
pscal timeline: --to 1: is before --from 2
? 2

$ pscal timeline --from yesterday "$DATA/cc.perf-script.txt"
pscal timeline: --from: 'yesterday' is not a time: try 2, 0.5 or 250ms
? 2

$ pscal profile --pid 51 --format csv "$DATA/cc.perf-script.txt"
active,wall_s,share
0,0.002,0.20000000000000001
1,0.0080000000000000002,0.80000000000000004
