# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals by bootstrap-t.

$ pscal fit --bootstrap 9999 "$DATA/usl/specsdm91.csv" -v | sed -n '/^  *best/,/^Models/p'
                              best      error  95 % from        to  at N = 216
contention, alpha           0.0277    0.00912    0.00916    0.0688  50 % lost (23 to 82)
coherency, beta           0.000104  0.0000199  0.0000436  0.000163  41 % lost (12 to 67)
throughput of one, gamma      90.0       14.2       60.6       152  8.5 % useful (5.3 to 12)
peak, N_c                     96.5          -       77.0       149
throughput there, X_max       1884          -       1738      2032

Intervals by bootstrap-t: 9999 refits, seed 1, 0 failed.

Contention (alpha): serialised work - locks, queues, serial phases.

Coherency (beta): cost of keeping shared data consistent between cores (false
sharing, shared counters).

Useful and lost: shares of N gamma on the curve. Efficiency of a point:
throughput / (N X(1)) with the X(1) measured, else gamma.

Models

$ pscal fit --bootstrap 999,7 --at 100,500 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .interval_method, .bootstrap, (.intervals.nc | map(round)), (.predictions[] | [.throughput_low, .throughput_high, .measured_low, .measured_high] | map(round))'
"bootstrap-t"
{"refits":999,"seed":7,"failed":0}
[76,152]
[1754,2042,1619,2163]
[813,1568,733,1622]

# The best fit has no peak, and the verdict uses the same intervals.
$ pscal fit --bootstrap 999 --format json "$DATA/usl/raytracer.csv" | jq -c '.[0] | .intervals.beta[0], .intervals.nc[1], .verdict'
0
null
"These points do not tell whether throughput peaks above N = 121 or levels off at 378. Measure N > 121."

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .interval_method, .bootstrap'
"profile-t"
null

# Conditions and questions use the same intervals.
$ pscal fit --bootstrap 9999 --assert 'nc>=77.5' --find throughput=1500 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | (.intervals.nc[0] * 100 | round), (.assertions[0] | .holds, (.value * 100 | round)), (.answers[] | [.n_low, .n_high] | map(if . then round else . end)), (.meaning.useful_share_low * 1e4 | round)'
pscal fit: $DATA/usl/specsdm91.csv: 'nc>=77.5' is not shown: 96.5, but perhaps only 77 (95 %)
7703
false
7703
[26,42]
[204,639]
525

# As many parameters as points: no interval.
$ printf '1,20\n4,78\n12,170\n' | pscal fit --bootstrap 999 --format json - | jq -c '.[0].intervals'
{"alpha":[null,null],"beta":[null,null],"gamma":[null,null],"nc":[null,null],"xmax":[null,null]}

$ pscal fit --bootstrap 38 "$DATA/usl/specsdm91.csv"
pscal fit: --bootstrap 38: intervals of 95 % need at least 39 refits, and some hundred to be steady
? 2

$ pscal fit --bootstrap many "$DATA/usl/specsdm91.csv"
pscal fit: --bootstrap many: the number of refits is a whole number up to 1000000
? 2

$ pscal fit --bootstrap 1e9 "$DATA/usl/specsdm91.csv"
pscal fit: --bootstrap 1e9: the number of refits is a whole number up to 1000000
? 2

$ pscal fit --bootstrap 999,-1 "$DATA/usl/specsdm91.csv"
pscal fit: --bootstrap 999,-1: the seed is a whole number up to 4294967295
? 2
$ pscal fit --seed 3 "$DATA/usl/specsdm91.csv"
pscal fit: --seed is now --bootstrap REFITS,SEED
? 2
