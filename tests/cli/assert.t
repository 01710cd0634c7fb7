# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions on the results of commands, beside those of fit (fit-assert.t).

$ pscal profile -q --assert 'cpus_used>=0.5' --assert 'wall_s<10ms' --assert 'unknown_share<1%' "$DATA/examples/pscal.data" | sed '/^$/,$d'
pscal profile: 'wall_s<10ms' fails: 0.0441
assertion         result
cpus_used>=0.5    holds: 0.953
wall_s<10ms       fails: 0.0441
unknown_share<1%  holds: 0

$ pscal profile --assert 'run_queue_p99_s<1ms' --format json "$DATA/examples/pscal.data" | jq -c '.assertions[]'
pscal profile: 'run_queue_p99_s<1ms' fails: 0.00478
{"assertion":"run_queue_p99_s<1ms","finding":"fails: 0.00478","holds":false,"value":0.0047827170000000006,"best":0.0047827170000000006,"low":0.0047827170000000006,"high":0.0047827170000000006}

$ pscal profile --assert 'ready_max<=2' -o profile.txt "$DATA/examples/pscal.data"
pscal profile: 'ready_max<=2' fails: 4
? 3

$ pscal profile --assert 'cpus>1' "$DATA/examples/pscal.data"
pscal profile: --assert 'cpus>1': must begin with one of wall_s, cpu_s, cpus_used, others_share, ready_mean, ready_max, one_or_none_share, run_queue_s, run_queue_p50_s, run_queue_p99_s, run_queue_max_s, unknown_share
? 2

$ pscal profile --assert 'wall_s<1' --counters "$DATA/examples/pscal.data"
pscal profile: --assert: is judged on the whole profile, without --follow and --counters
? 2
