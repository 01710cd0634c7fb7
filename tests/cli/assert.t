# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions on the results of commands; fit-assert.t has those of fit.

$ pscal profile -q --assert 'cpus_used>=0.5' --assert 'wall_s<10ms' --assert 'unknown_share<1%' "$DATA/examples/pscal.data" | sed '/^$/,$d'
pscal profile: 'wall_s<10ms' fails: 0.0441
assertion         result
cpus_used>=0.5    holds: 0.953
wall_s<10ms       fails: 0.0441
unknown_share<1%  holds: 0 %

$ pscal profile --assert 'run_queue_p99_s<1ms' --format json "$DATA/examples/pscal.data" | jq -c '.assertions[]'
pscal profile: 'run_queue_p99_s<1ms' fails: 0.00478
{"assertion":"run_queue_p99_s<1ms","finding":"fails: 0.00478","holds":false,"value":0.0047827170000000006,"best":0.0047827170000000006,"low":0.0047827170000000006,"high":0.0047827170000000006}

$ pscal profile --assert 'ready_max<=2' -o profile.txt "$DATA/examples/pscal.data"
pscal profile: 'ready_max<=2' fails: 4
? 3

# Without wakeups, the values for waits and ready threads are lower bounds.
$ grep -v sched_wak "$DATA/examples/trace.txt" >no_wakes.txt; pscal profile -q --comm pigz --assert 'run_queue_s>20ms' --assert 'run_queue_s<1' --assert 'run_queue_max_s<1' --assert 'ready_mean<3' --assert 'ready_max<9' --assert 'run_queue_p50_s<1' --assert 'run_queue_p99_s<1' --assert 'one_or_none_share<1' no_wakes.txt | sed '/^$/,$d'
pscal profile: 'run_queue_s<1' is not shown: 0.0297, but perhaps unlimited (100 %) (and 6 more)
assertion            result
run_queue_s>20ms     holds: 0.0297, at least 0.0297 (100 %)
run_queue_s<1        is not shown: 0.0297, but perhaps unlimited (100 %)
run_queue_max_s<1    is not shown: 0.00414, but perhaps unlimited (100 %)
ready_mean<3         is not shown: 1.71, but perhaps unlimited (100 %)
ready_max<9          is not shown: 4, but perhaps unlimited (100 %)
run_queue_p50_s<1    is not known: wakeups were not recorded
run_queue_p99_s<1    is not known: wakeups were not recorded
one_or_none_share<1  is not known: wakeups were not recorded

$ pscal profile --assert 'cpus>1' "$DATA/examples/pscal.data"
pscal profile: --assert 'cpus>1': 'cpus' is none of wall_s, cpu_s, cpus_used, others_share, ready_mean, ready_max, one_or_none_share, run_queue_s, run_queue_p50_s, run_queue_p99_s, run_queue_max_s, unknown_share; did you mean 'cpus_used' or 'cpu_s'?
? 2

$ pscal profile --assert 'wall_s<1' --counters "$DATA/examples/pscal.data"
pscal profile: --assert: is about the whole profile; leave out --follow and --counters
? 2

$ pscal stretch -q --symfs "$DATA/examples/symfs" --assert 'inflation<10%' --assert 'run_queue_share<10%' --assert 'useful_share>50%' "$DATA/examples/serial1.data.gz" "$DATA/examples/parallel1.data.gz" | sed '/^$/,$d'
pscal stretch: 'inflation<10%' is not shown: 5.51 %, but perhaps 16.4 % (95 %)
assertion            result
inflation<10%        is not shown: 5.51 %, but perhaps 16.4 % (95 %)
run_queue_share<10%  holds: 0.706 %
useful_share>50%     holds: 68 %

$ pscal rdam -q --assert 'score<=30%' --assert 'lost_s<1' "$DATA/examples/blocks.txt.gz" | sed '/^$/,$d'
pscal rdam: 'score<=30%' fails: 71.8 %, handle { lookup lock update } in thread 102 (server)
assertion   result
score<=30%  fails: 71.8 %, handle { lookup lock update } in thread 102 (server)
lost_s<1    holds: 0.0055, handle { lookup lock update } in thread 102 (server)

# JSON has the conditions, too.
$ pscal rdam -q --assert 'score<=30%' --json "$DATA/examples/blocks.txt.gz" | jq -c '[.assertions[].holds]'
pscal rdam: 'score<=30%' fails: 71.8 %, handle { lookup lock update } in thread 102 (server)
[false]

# The cores in a condition are forecast, too.
$ pscal forecast -q --assert 'speedup(8).best>=1.5' --assert 'wall_s(3)<50ms' "$DATA/examples/pscal.data" | sed '/^$/,$d'
assertion             result
speedup(8).best>=1.5  holds: 1.69
wall_s(3)<50ms        holds: 0.0255, at most 0.0292 (90 %)

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast -q --recorded-cores 1 --assert 'speedup(3)>=3' --assert 'efficiency(4)>50%' --assert 'speedup(2)>1' trace.txt | sed '/^$/,$d'
pscal forecast: 'speedup(3)>=3' fails: 1.67, at most 1.91 (90 %) (and 1 more)
assertion          result
speedup(3)>=3      fails: 1.67, at most 1.91 (90 %)
efficiency(4)>50%  fails: 41.7 %, at most 47.7 % (90 %)
speedup(2)>1       holds: 1.67, at least 1.5 (90 %)

$ pscal forecast -q --assert 'speedup>=3' trace.txt
pscal forecast: --assert 'speedup>=3': say for which N, as in 'speedup(8)>=2'
? 2

# Conditions apply to forecasts of the unchanged program only.
$ pscal forecast -q --what-if 'sleep=0' --assert 'wall_s(2)<1' trace.txt
pscal forecast: --assert: is about the program as it is; leave out --what-if
? 2

$ pscal forecast -q --calibrate --assert 'wall_s(2)<1'
pscal forecast: --assert: needs a forecast, and --calibrate makes none
? 2
