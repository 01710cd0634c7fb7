# SPDX-License-Identifier: GPL-3.0-or-later
# A forecast compared with other recordings: the same work on a machine that takes a tenth longer,
# ...

$ for scale in 1 1.1 1.3; do awk -v scale=$scale -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >$scale.txt; done; pscal forecast --against 1.1.txt 1.txt
Forecast 0.500 s on 1 core, measured 0.550 s: +10.0 %, of which +10.0 % work
(CPU time 0.550 s instead of 0.500 s), +0.0 % other programs, +0.0 % idle CPUs,
+0.0 % structure.

part       of  forecast  measured  difference  of the forecast
error      -    0.500 s   0.550 s    +0.050 s           10.0 %
work       -    0.500 s   0.550 s    +0.050 s           10.0 %
thread     t*   0.500 s   0.550 s    +0.050 s                -
structure  -    0.550 s   0.550 s    +0.000 s            0.0 %
idle       -    0.550 s   0.550 s    +0.000 s            0.0 %
others     -    0.550 s   0.550 s    +0.000 s            0.0 %

# ... and several of them; details with -v.

$ pscal forecast -q --against 1.1.txt --against 1.3.txt 1.txt
Mean error of 2 forecasts: 20.0 %; work 20.0 %, other programs 0.0 %, idle CPUs
0.0 %, structure 0.0 %.

recording  cores  forecast  measured   error    work  others  idle CPUs  structure
  1.1.txt      1    500 ms    550 ms  10.0 %  10.0 %   0.0 %      0.0 %      0.0 %
  1.3.txt      1    500 ms    650 ms  30.0 %  30.0 %   0.0 %      0.0 %      0.0 %
$ pscal forecast -q -v --against 1.1.txt --against 1.3.txt 1.txt | grep -A20 ' part '
recording  part       of          forecast  measured  difference  of the forecast
1.1.txt    error      -            0.500 s   0.550 s    +0.050 s           10.0 %
1.1.txt    work       -            0.500 s   0.550 s    +0.050 s           10.0 %
1.1.txt    thread     t*           0.500 s   0.550 s    +0.050 s                -
1.1.txt    structure  -            0.550 s   0.550 s    +0.000 s            0.0 %
1.1.txt    idle       -            0.550 s   0.550 s    +0.000 s            0.0 %
1.1.txt    others     -            0.550 s   0.550 s    +0.000 s            0.0 %
1.3.txt    error      -            0.500 s   0.650 s    +0.150 s           30.0 %
1.3.txt    work       -            0.500 s   0.650 s    +0.150 s           30.0 %
1.3.txt    thread     t*           0.500 s   0.650 s    +0.150 s                -
1.3.txt    structure  -            0.650 s   0.650 s    +0.000 s            0.0 %
1.3.txt    wait       join by t1   0.514 s   0.515 s    +0.001 s                -
1.3.txt    idle       -            0.650 s   0.650 s    +0.000 s            0.0 %
1.3.txt    others     -            0.650 s   0.650 s    +0.000 s            0.0 %

# CSV has the parts, JSON the recordings, too.

$ pscal forecast --format csv --against 1.1.txt 1.txt
recording,cores,part,name,forecast_s,measured_s,difference_s,error
1.1.txt,1,error,,0.5,0.55,0.050000000000000044,0.10000000000000009
1.1.txt,1,work,,0.5,0.55,0.050000000000000044,0.10000000000000009
1.1.txt,1,thread,t*,0.5,0.55,0.050000000000000044,
1.1.txt,1,structure,,0.55,0.55,0,0
1.1.txt,1,wait,join by t1,0.435,0.435875,0.0008750000000000147,
1.1.txt,1,idle,,0.55,0.55,0,0
1.1.txt,1,others,,0.55,0.55,0,0
$ pscal forecast --format json --against 1.1.txt 1.txt | jq -c '.against[] | [.cores, .model, .work, .structure, .closed_form_work, .closed_form_structure]'
[1,"replay",0.10000000000000009,0,0.10000000000000009,0]
$ pscal forecast --format json --against 1.1.txt --model closed-form 1.txt | jq -c '.against[] | [.cores, .model, .forecast_s, .work]'
[1,"closed-form",0.5,0.10000000000000009]

# A thread more: part of the difference may come from that.

$ { head -n 1 1.txt | sed 's/child_comm=t2 child_pid=2/child_comm=t4 child_pid=4/'; cat 1.txt; } >four-threads; pscal forecast --against four-threads 1.txt | grep -A2 threads
The other recording has 4 threads instead of 3: if a program derives their
number from the cores, structure includes what that changes.

# Refused comparisons.

$ pscal forecast --against none.txt 1.txt
pscal forecast: none.txt: cannot open: No such file or directory; there is '1.1.txt', '1.3.txt' or '1.txt'
? 1
$ pscal forecast --against 1.1.txt --measured x.csv 1.txt
pscal forecast: --against: splits the error of a forecast, and does not go with --measured
? 2
$ pscal forecast --against 1.1.txt -n 2 1.txt
pscal forecast: --against: splits the error of a forecast, and does not go with --cores
? 2
$ pscal forecast --against 1.1.txt --why 1.txt
pscal forecast: --against: splits the error of a forecast, and does not go with --why
? 2
$ pscal forecast --against 1.1.txt --threads 4 1.txt
pscal forecast: --threads: does not go with --against
? 2
$ pscal forecast --against 1.1.txt --recorded-cores 1 "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --against needs a recording
? 2
$ pscal forecast --against "$DATA/examples/profile.csv" 1.txt
pscal forecast: $DATA/examples/profile.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
