# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions that a fit has to meet.

$ pscal fit --assert 'nc>=64' --assert 'alpha<0.065' --assert 'x(64) > 1600' --assert 'e(64) > 20%' --assert 'n>=6' -q "$DATA/usl/specsdm91.csv" | sed '/^$/,$d'
pscal fit: $DATA/usl/specsdm91.csv: 'e(64) > 20%' is not shown: 31.6 %, but perhaps only 18.8 % (95 %)
assertion     result
nc>=64        holds: 96.5, at least 77.9 (95 %)
alpha<0.065   holds: 0.0277, at most 0.0641 (95 %)
x(64) > 1600  holds: 1818, at least 1666 (95 %)
e(64) > 20%   is not shown: 31.6 %, but perhaps only 18.8 % (95 %)
n>=6          holds: 7

# The worse end of the interval decides, unless the option names another value.
$ pscal fit --assert 'alpha < 0.05' --assert 'alpha.best < 0.05' --format csv -o report.csv "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: 'alpha < 0.05' is not shown: 0.0277, but perhaps 0.0641 (95 %)
? 3

$ pscal fit --assert 'nc.low>=64' --assert 'nc.high<=150' --assert 'xmax>=1800' --format json -q "$DATA/usl/specsdm91.csv" | jq -c '.[0].assertions[] | map_values(if type == "number" then . * 1e3 | round else . end)'
pscal fit: $DATA/usl/specsdm91.csv: 'nc.high<=150' fails: 96.5, at most 157 (95 %) (and 1 more)
{"assertion":"nc.low>=64","finding":"holds: 96.5, at least 77.9 (95 %)","holds":true,"value":77855,"best":96520,"low":77855,"high":156662}
{"assertion":"nc.high<=150","finding":"fails: 96.5, at most 157 (95 %)","holds":false,"value":156662,"best":96520,"low":77855,"high":156662}
{"assertion":"xmax>=1800","finding":"is not shown: 1884, but perhaps only 1748 (95 %)","holds":false,"value":1747722,"best":1883899,"low":1747722,"high":2031028}

$ pscal fit --assert nc.best'>='90 -o report.txt "$DATA/usl/specsdm91.csv"; sed -n 2p report.txt
nc.best>=90  holds: 96.5

$ pscal fit --assert 'nc<=150' -q -o report.txt "$DATA/usl/specsdm91.csv"; echo $?; sed -n 2p report.txt
pscal fit: $DATA/usl/specsdm91.csv: 'nc<=150' is not shown: 96.5, but perhaps 157 (95 %)
3
nc<=150    is not shown: 96.5, but perhaps 157 (95 %)

# With several files, all have to meet the condition.
$ pscal fit --assert 'nc>=30' -q -o report.txt "$DATA/usl/specsdm91.csv" "$DATA/usl/raytracer6.csv" "$DATA/usl/seed_table4.csv"
pscal fit: $DATA/usl/raytracer6.csv: 'nc>=30' is not shown: 24.5, but perhaps only 20.4 (95 %)
? 3

# A curve without a peak has its peak beyond all N, as far as the points exclude one before.
$ pscal fit --assert 'nc>=24' --assert 'nc<=100' --assert 'xmax<1e5' "$DATA/usl/cisco10.csv" | sed '/^$/,$d'
pscal fit: $DATA/usl/cisco10.csv: 'nc<=100' is not shown: 46.9, but perhaps unlimited (95 %)
assertion  result
nc>=24     holds: 46.9, at least 24.6 (95 %)
nc<=100    is not shown: 46.9, but perhaps unlimited (95 %)
xmax<1e5   holds: 16052, at most 47266 (95 %)

$ pscal fit --assert 'nc.best>=64' --assert 'xmax<1000' --model linear -q --format json "$DATA/usl/raytracer6.csv" | jq -c '.[0].assertions[] | .finding'
pscal fit: $DATA/usl/raytracer6.csv: 'nc.best>=64' is not known: the model does not fit this parameter (and 1 more)
"is not known: the model does not fit this parameter"
"fails: unlimited"

# Unknown values do not meet a condition.
$ printf '1,10\n2,18\n4,28\n' | pscal fit --assert 'alpha<1' -o report.txt
pscal fit: standard input: 'alpha<1' is not known: as many parameters as points, no error estimate
? 3

$ pscal fit --model amdahl --assert 'nc>=1' -o report.txt "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: 'nc>=1' is not known: the model does not fit this parameter
? 3

$ pscal fit --assert 'nc' "$DATA/usl/specsdm91.csv"
pscal fit: --assert 'nc': compare with <, <=, > or >= and a number or a percentage, as in 'nc>=2'
? 2

$ pscal fit --assert 'kappa<1' "$DATA/usl/specsdm91.csv"
pscal fit: --assert 'kappa<1': must begin with one of alpha, beta, gamma, nc, xmax, n, x(N), e(N)
? 2

$ pscal fit --assert 'nc.mean>1' "$DATA/usl/specsdm91.csv"
pscal fit: --assert 'nc.mean>1': of an interval there are .best, .low and .high
? 2

$ pscal fit --assert 'nc>=many' "$DATA/usl/specsdm91.csv"
pscal fit: --assert 'nc>=many': compare with <, <=, > or >= and a number or a percentage, as in 'nc>=2'
? 2
