# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals by bootstrap-t.

$ pscal fit --bootstrap 9999 "$DATA/usl/specsdm91.csv" | sed -n '/^Parameters/,/^Models/p'
Parameters, standard errors, and intervals of 95 % by bootstrap-t
                                    best        error         from           to
alpha, contention              0.0277285   0.00912173   0.00915773    0.0688054
beta, coherency              0.000104365  1.98753e-05  4.35878e-05  0.000163433
gamma, throughput of one         89.9952      14.2135       60.573      151.516
N_c, where throughput peaks      96.5196            -      77.0307      149.013
throughput there, X_max           1883.9            -      1737.75      2031.64

From 9999 refits with the seed 1.

Models

$ pscal fit --bootstrap 999 --seed 7 --at 100,500 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .interval_method, .bootstrap, (.intervals.nc | map(round)), (.predictions[] | [.throughput_low, .throughput_high, .measured_low, .measured_high] | map(round))'
"bootstrap-t"
{"refits":999,"seed":7,"failed":0}
[76,152]
[1754,2042,1619,2163]
[813,1568,733,1622]

# The best fit has no peak, and the verdict is of the same intervals.
$ pscal fit --bootstrap 999 --format json "$DATA/usl/raytracer.csv" | jq -c '.[0] | .intervals.beta[0], .intervals.nc[1], .verdict'
0
null
"These data cannot tell Amdahl from USL: throughput approaches 378.2, or it peaks at some N above 121; measure N > 121."

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .interval_method, .bootstrap'
"profile-t"
null

# What is claimed and asked is decided by the same intervals.
$ pscal fit --bootstrap 9999 --assert 'nc>=77.5' --for-throughput 1500 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | (.intervals.nc[0] * 100 | round), (.assertions[0] | .holds, (.value * 100 | round)), (.answers[] | [.n_low, .n_high] | map(if . then round else . end)), (.meaning.useful_share_low * 1e4 | round)'
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

$ pscal fit --bootstrap 999 --seed -1 "$DATA/usl/specsdm91.csv"
pscal fit: --seed -1: the seed is a whole number up to 4294967295
? 2

$ pscal fit --seed 3 "$DATA/usl/specsdm91.csv"
pscal fit: --seed 3: only --bootstrap draws numbers; add it
? 2
