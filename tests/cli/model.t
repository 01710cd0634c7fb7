# SPDX-License-Identifier: GPL-3.0-or-later
# Performance models: four workers take from the queue A, compute for .2 ms, wait for about 4 ms,
# and compute for .1 ms under the lock B. Requests arrive at 600 a second, so that each worker is
# busy for 65 % of the time.

$ cp "$DATA/examples/server.json" .
$ pscal model server.json
The model answers 600 requests a second in 5.31 ms on average, 95 % of them
within 14.3 ms.

In the model
pool    threads  takes from    busy  visits/s     CPU  run queue  other waits
worker        4  A           64.9 %       601  300 us     847 ns      4.01 ms

waits at  kind   times/s   busy  waiting  mean wait
A         queue      602      -    0.599     996 us
B         lock       601  6.0 %  0.00152    2.53 us

Requests arrive at 600 a second, independent of response times (open), as a
Poisson process (CV of gaps 1.00).

Busiest: worker, 65 %; full at about 925 requests a second.

next: pscal forecast --threads 4,8 server.json
$ pscal model --format csv server.json | cut -d, -f1-4,12
pool,threads,takes,dispatch,visits
worker,4,A,shared,0
$ pscal model --json server.json | jq -c 'keys'
["arrivals","arrivals_slope","arrivals_slope_hi","arrivals_slope_lo","busiest","busy_cores","cores","dispersion","full_per_s","gap_cv","idle_locks","made_from","odd_gets","pools","recorded_requests","response_p95_s","response_s","stations","throughput_per_s","unjoined_share","verdict","wall_s","warnings"]

# A saved model is read again, and gives the same results.
$ pscal model -q -o kept.json server.json >first && pscal model -q kept.json | cmp - first

# Waits of a constant length need the fewest requests: for all that does not depend on the numbers.
$ sed 's/{"exponential": 0.004}/0.004/' server.json >steady.json

# CPU time that depends on the load.
$ sed 's/"threads": 4/"threads": 4, "cpu_growth": 0.1, "cpu_growth_se": 0.01/' steady.json >grows.json && pscal model grows.json | grep -A1 '^The CPU time'
The CPU time of a visit of worker grows by 10.0 +- 2.0 % for each other visit at
the same time.
$ pscal model --format csv grows.json | cut -d, -f13
cpu_growth
0.1
$ pscal forecast --set worker.cpu_growth=0 --set worker.cpu_growth_se=0 --threads 4 --format csv grows.json >still.csv && pscal forecast --threads 4 --format csv steady.json | cmp - still.csv

# The network: sources, queues, pools, locks, and the end.
$ pscal model -q --plot server.dot server.json >first && grep -o '^.[a-z][0-9]* \[label="[a-zA-Z ]*' server.dot
	a0 [label="main
	s0 [label="queue A
	s1 [label="lock B
	p0 [label="worker
	z0 [label="answered
$ dot -Tplain server.dot | awk '{ seen[$1]++ } END { print seen["node"], seen["edge"] }'
5 4

# The text of a queue is beside the tip of its arrow, not in it; idle stations are counted.
$ dot -Tjson server.dot | jq '.objects[] | select(.name == "s0") | ([._ldraw_[] | select(.op == "T") | .pt[0] + .width / 2] | max) < ([._draw_[] | select(.op | ascii_downcase == "p") | .points[][0]] | unique | .[-2])'
true
$ sed 's/0\.0001,/1e-9,/' server.json >idle.json && pscal model -q --plot idle.dot idle.json >idle.txt && grep 'Left out' idle.dot
	label="Left out: 1 of the queues, locks, disks and delays, most with next to no waits";

# --- Forecasts -----------------------------------------------------------------------------------

$ pscal forecast --threads 2,8 --rate 600,900 server.json
Best with 900 requests a second: 8 threads, 4.37 ms on average, 95 % within
12.5 ms.
! 2 of 4 configurations are overloaded: requests pile up there.

threads  rate/s  answered/s         mean   90 % interval     95 %  busy cores  limit
      2     600         465  grows 132/s               -    grows       0.139  worker
      2     900         465  grows 435/s               -    grows       0.139  worker
      8     600         600      4.32 ms  4.07 - 4.55 ms  12.4 ms       0.179  -
      8     900         900      4.37 ms  4.10 - 4.63 ms  12.5 ms       0.269  -

next: pscal forecast --goal p95=13ms --rate 600,900 server.json

# The next command keeps the load, or else the threads, and what was changed in the model.
$ pscal forecast --threads 2,4 -n 1 --set worker.scale.wait=0.5 --set machine.switch_s=0 --trust server.json | tail -n 1
next: pscal forecast --goal p95=6.5ms --trust --cores 1 --threads 2,4 --set worker.scale.wait=0.5 --set machine.switch_s=0 server.json
$ pscal forecast --clients 8,64 --think 20ms server.json | tail -n 1
next: pscal forecast --goal p95=64ms --clients 8,64 --think 20ms server.json
$ pscal forecast --threads 2,4 --format csv server.json | cut -d, -f1-4,11
threads,rate_per_s,clients,cores,limit
2,600,,2,worker
4,600,,2,

# Times on fewer cores, at other rates, with other numbers; all of them together.
$ pscal forecast -n 1,2 --rate 0.5x --set worker.scale.wait=0.5 --format csv steady.json | cut -d, -f1-4
threads,rate_per_s,clients,cores
4,300,,1
4,300,,2

# The goal: the fewest threads, or the highest rate.
$ pscal forecast -q --goal p95=20ms server.json
4 threads suffice to keep 95 % within 20.0 ms: 5.31 ms on average, 95 % within
14.3 ms.

threads  rate/s  answered/s     mean   90 % interval     95 %  limit  goal
      3     600         601  11.7 ms  7.89 - 16.3 ms  32.0 ms  -      not met
      4     600         600  5.31 ms  4.70 - 5.83 ms  14.3 ms  -      met
$ pscal forecast --goal p95=20ms --threads 4 --json server.json | jq -c '.forecast[] | [.threads, .meets_goal, .rate_per_s > 650 and .rate_per_s < 800]'
[4,true,true]
$ pscal forecast -q --goal mean=3ms server.json | head -n 2
No number of threads keeps the mean within 3.00 ms; with 16 threads: 4.32 ms on
average, 95 % within 12.4 ms.

# Clients that wait for their answers.
$ sed 's/"open", "rate": 600/"closed", "clients": 16, "think": 0.04/' server.json >closed.json
$ pscal forecast -q --clients 8,64 --think 20ms closed.json
Best with 64 clients: 4 threads, 927 requests a second, 49.0 ms on average, 95 %
within 63.8 ms.

threads  clients  answered/s     mean   90 % interval     95 %  busy cores  limit
      4        8         329  4.34 ms  4.09 - 4.58 ms  12.5 ms      0.0986  -
      4       64         927  49.0 ms  45.2 - 52.8 ms  63.8 ms       0.278  worker

$ pscal model closed.json | grep -A1 'Requests come'
Requests come from 16 clients, each of which waits for its answer and thinks for
40.0 ms (closed). If they send at a rate, forecast with --rate.

# A batch of items.
$ sed 's/"open", "rate": 600/"batch", "items": 10000/' server.json >batch.json
$ pscal forecast -q --threads 1,16 batch.json
Best: 16 threads, 2.77 s, 3615 items a second.

threads  wall time  90 % interval  items/s  busy cores  limit
      1     43.5 s  40.6 - 45.4 s      230      0.0690  worker
     16     2.77 s  2.59 - 2.88 s     3615        1.08  worker
$ pscal forecast --threads 1 --format csv batch.json | head -n 1
threads,rate_per_s,clients,cores,throughput_per_s,response_s,response_lo_s,response_hi_s,response_p95_s,busy_cores,limit,wall_s,wall_lo_s,wall_hi_s

# Doubts about the model of a recording are reported with its forecasts, too.
$ "$(dirname "$(command -v pscal)")/tools/server_truth" --pool "2: cpu fixed 1" --rate 100 --requests 120 --trace >few.txt && pscal forecast --threads 2 few.txt | sed -n 2p
! Only 119 visits of worker were recorded, fewer than 200; record it for longer.
# The next command is about the same threads.
$ pscal model --pid 1000 few.txt | tail -n 1
next: pscal forecast --threads 2,4 --pid 1000 few.txt
$ pscal forecast --pid 1000 --threads 2 few.txt | tail -n 1
next: pscal forecast --goal p95=1.1ms --threads 2 --pid 1000 few.txt

# --- The self-check ------------------------------------------------------------------------------

$ sed '$ s/]}]}$/]}], "check": {"throughput_per_s": {"recorded": 600}, "response_s": {"recorded": 0.003}}}/' server.json >off.json
$ pscal model -q off.json | head -n 7
The model answers 600 requests a second in 5.31 ms on average, 95 % of them
within 14.3 ms.
! No forecast without --trust: the model gives 5.31 ms of mean response time,
  and 3 ms were recorded: 77 % off, more than 15 %; record longer, under a
  steady load, on a quiet machine.

In the model
$ pscal forecast --threads 4 off.json
pscal forecast: the self-check fails: the model gives 5.31 ms of mean response time, and 3 ms were recorded: 77 % off, more than 15 %; record longer, under a steady load, on a quiet machine; --trust forecasts anyway
? 1
$ pscal forecast -q --trust --threads 8 off.json
8 threads, 600 requests a second: 4.32 ms on average, 95 % within 12.4 ms.
! The self-check fails: the model gives 5.31 ms of mean response time, and 3 ms
  were recorded: 77 % off, more than 15 %; record longer, under a steady load,
  on a quiet machine.

threads  rate/s  answered/s     mean   90 % interval     95 %  busy cores  limit  beyond
      8     600         600  4.32 ms  2.43 - 7.88 ms  12.4 ms       0.179  -          2x

beyond: threads, rate, cores or waiting requests, as a multiple of the recorded.

# With two pools, threads are those of the pool that takes arriving requests.
$ printf '{"schema": 1, "arrivals": [{"name": "a", "kind": "open", "rate": 300, "to": "A"}], "stations": [{"name": "A", "kind": "queue"}, {"name": "B", "kind": "queue"}], "pools": [{"name": "p", "takes": "A", "threads": 1, "graph": [{"kind": "cpu", "time": 0.001}, {"kind": "put", "station": "B"}]}, {"name": "q", "takes": "B", "threads": 1, "graph": [{"kind": "cpu", "time": 0.001}]}]}' >two.json
$ pscal forecast -q --threads 2 --format csv two.json | cut -d, -f1-3
threads,rate_per_s,clients
2,300,

# --- Queues without room -------------------------------------------------------------------------

# M/M/1 with room for two that wait: 32 % are lost.
$ printf '{"schema": 1, "arrivals": [{"name": "a", "kind": "open", "rate": 300, "to": "A"}], "stations": [{"name": "A", "kind": "queue", "limit": 2}], "pools": [{"name": "p", "takes": "A", "graph": [{"kind": "wait", "time": {"exponential": 0.004}}]}]}' >room.json
$ pscal model -q room.json | head -n 3
The model answers 203 requests a second in 8.51 ms on average, 95 % of them
within 21.5 ms.
! 32.3 % of the requests find no room in a queue, and are lost.

# The best row has room for all requests.
$ pscal forecast -q --threads 1,2,8 room.json | head -n 2
Best with 300 requests a second: 8 threads, 4.02 ms on average, 95 % within
12.1 ms.
$ pscal forecast -q --threads 1,2 room.json | head -n 1
No configuration has room for 300 requests a second.
$ pscal forecast -q --threads 1 room.json | head -n 1
With 1 thread, 32.3 % of 300 requests a second find no room.
$ pscal forecast -q --threads 8 --rate 100,1000,9000 room.json | head -n 2
Up to 100 requests a second find room; at 9000 requests a second, 77.9 % do not.
! Requests find no room in 2 of 3 configurations.

# --- Beside measurements, and as a picture ---------------------------------------------------------

# Runs of a configuration are a mean; cells may be empty.
$ printf 'threads,rate_per_s,throughput_per_s,response_s\n4,600,,5e-3\n4,600,,5.2e-3\n2,600,437,\n' >runs.csv
$ pscal forecast -q --threads 2,4 --measured runs.csv steady.json | tail -n 2
The forecast misses the measurements: throughput by 6.4 % on average (1 row);
response time by 5.2 % on average (1 row).
$ pscal forecast --threads 2,4,8 --measured runs.csv --format csv steady.json | cut -d, -f1,12-15
threads,measured_throughput_per_s,throughput_error,measured_response_s,response_error
2,437,0.06433931137246551,,
4,,,0.0051,-0.05231778013061428
8,,,,
$ printf 'threads,response_s\n3,5e-3\n' >other.csv
$ pscal forecast -q --threads 4 --measured other.csv steady.json | sed -n 2,3p
! None of the measured configurations is in this forecast.
$ printf 'threads,speed\n3,5e-3\n' | pscal forecast --threads 4 --measured - server.json
pscal forecast: standard input: needs a column threads, rate_per_s, clients or cores, and a column throughput_per_s, response_s, response_p95_s or wall_s
? 1
$ printf 'threads,response_s\n3,-1\n' | pscal forecast --threads 4 --measured - server.json
pscal forecast: standard input:2: column 2 ('response_s'): -1 is not above 0
? 1
$ printf 'threads,rate_per_s,response_s\n4,,5e-3\n,,5e-3\n' | pscal forecast --threads 4 --measured - server.json
pscal forecast: standard input:3: column 1 ('threads'): the row names no configuration
? 1
# A curve for each rate; rows in which requests pile up have only a throughput.
$ pscal forecast -q --threads 1,8 --rate 600,300 --measured runs.csv --plot times.gp steady.json >rows && sed -n '/^axis/p; /^title/p; /^.rows/,/^END/p' times.gp | grep -v '^#' | cut -d' ' -f1-3
axis = "threads"
title_1 = "600/s"
title_2 = "300/s"
$rows << END
1 1 NaN
1 8 0.004305270889
2 1 NaN
2 8 0.004301580526
END
$ pscal forecast -q --threads 1,4 --plot times.svg steady.json >rows && head -c 5 times.svg
<?xml
$ pscal forecast -q --threads 1 --chart steady.json | grep -c 'Answered a second over threads'
1

# --- Conditions ----------------------------------------------------------------------------------

# Each row has to meet them; a growing response time meets none.
$ pscal forecast -q --threads 4,8 --assert 'response_p95_s<=20ms' --assert 'throughput>=500' steady.json | head -n 4
assertion             result
response_p95_s<=20ms  holds: 0.00715, at most 0.00835 (90 %)
throughput>=500       holds: 600, at least 593 (90 %)
$ pscal forecast -q --threads 2,4 --assert 'response_p95_s<=20ms' steady.json >/dev/null
pscal forecast: 'response_p95_s<=20ms' fails: unlimited
? 3
# A row in which requests find no room fails, too, however short the response time of the other
# ones.
$ pscal forecast -q --threads 8 --assert 'response_p95_s<=20ms' room.json | tail -n +2 | head -n 1
response_p95_s<=20ms  holds: 0.0121, at most 0.0126 (90 %)
$ pscal forecast -q --threads 8 --rate 10x --assert 'response_p95_s<=20ms' room.json >/dev/null
pscal forecast: 'response_p95_s<=20ms' fails: unlimited, as requests find no room
? 3
$ pscal forecast --threads 4 --assert 'speedup(8)>2' server.json
pscal forecast: --threads: does not go with --assert of speedup or efficiency
? 2
$ pscal forecast --assert 'response_s<20ms' --comm pigz "$DATA/examples/trace.txt"
pscal forecast: --assert response_s<20ms: needs the forecast of a server; ask for one, as with --threads 8 or --rate 2x
? 1

# One row is beyond the recording.

$ jq '.check = {"throughput_per_s": {"recorded": 600, "model": 600}, "response_s": {"recorded": 0.0053, "model": 0.0053}}' "$DATA/examples/server.json" | pscal forecast --threads 4,16 - | grep extrapolated
! 1 of 2 rows is extrapolated, up to 4x beyond the recording.
