# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions that a fit has to meet.

$ pscal fit --assert 'nc>=64' --assert 'alpha<0.065' --assert 'x(64) > 1600' --assert 'e(64) > 20%' --assert 'n>=6' -q "$DATA/usl/specsdm91.csv" | sed -n '/^Asserted/,$p'
pscal fit: $DATA/usl/specsdm91.csv: 'e(64) > 20%' is not shown: 0.315687, from 0.188444 to 0.478089 with 95 %
Asserted
claim         finding
nc>=64        holds: 96.5196, at least 77.8554 with 95 %
alpha<0.065   holds: 0.0277285, at most 0.0641035 with 95 %
x(64) > 1600  holds: 1818.26, at least 1666.46 with 95 %
e(64) > 20%   is not shown: 0.315687, from 0.188444 to 0.478089 with 95 %
n>=6          holds: 7 points

# The worse end of the interval decides, unless another value is asked for.
$ pscal fit --assert 'alpha < 0.05' --assert 'alpha.best < 0.05' --format csv -o report.csv "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: 'alpha < 0.05' is not shown: 0.0277285, from 0.00948473 to 0.0641035 with 95 %
? 3

$ pscal fit --assert 'nc.low>=64' --assert 'nc.high<=150' --assert 'xmax>=1800' --format json -q "$DATA/usl/specsdm91.csv" | jq -c '.[0].assertions[] | map_values(if type == "number" then . * 1e3 | round else . end)'
pscal fit: $DATA/usl/specsdm91.csv: 'nc.high<=150' does not hold: 96.5196, at most 156.662 with 95 % (the first of 2)
{"assertion":"nc.low>=64","finding":"holds: 96.5196, at least 77.8554 with 95 %","holds":true,"value":77855,"best":96520}
{"assertion":"nc.high<=150","finding":"does not hold: 96.5196, at most 156.662 with 95 %","holds":false,"value":156662,"best":96520}
{"assertion":"xmax>=1800","finding":"is not shown: 1883.9, from 1747.72 to 2031.03 with 95 %","holds":false,"value":1747722,"best":1883899}

$ pscal fit --assert nc.best'>='90 -o report.txt "$DATA/usl/specsdm91.csv"; grep -c . report.txt
45

$ pscal fit --assert 'nc<=150' -q -o report.txt "$DATA/usl/specsdm91.csv"; echo $?; tail -1 report.txt
pscal fit: $DATA/usl/specsdm91.csv: 'nc<=150' is not shown: 96.5196, from 77.8554 to 156.662 with 95 %
3
nc<=150  is not shown: 96.5196, from 77.8554 to 156.662 with 95 %

# Of several files all have to meet it.
$ pscal fit --assert 'nc>=30' -q -o report.txt "$DATA/usl/specsdm91.csv" "$DATA/usl/raytracer6.csv" "$DATA/usl/seed_table4.csv"
pscal fit: $DATA/usl/raytracer6.csv: 'nc>=30' is not shown: 24.4883, from 20.3932 to 36.1223 with 95 %
? 3

# No peak is a peak beyond all N, as far as the points exclude one before.
$ pscal fit --assert 'nc>=24' --assert 'nc<=100' --assert 'xmax<1e5' "$DATA/usl/cisco10.csv" | sed -n '/^Asserted/,/^$/p'
pscal fit: $DATA/usl/cisco10.csv: 'nc<=100' is not shown: 46.9187, from 24.623 to no peak with 95 %
Asserted
claim     finding
nc>=24    holds: 46.9187, at least 24.623 with 95 %
nc<=100   is not shown: 46.9187, from 24.623 to no peak with 95 %
xmax<1e5  holds: 16052.1, at most 47266.4 with 95 %

$ pscal fit --assert 'nc.best>=64' --assert 'xmax<1000' --linear -q --format json "$DATA/usl/raytracer6.csv" | jq -c '.[0].assertions[] | .finding'
pscal fit: $DATA/usl/raytracer6.csv: 'nc.best>=64' does not hold, as nothing is known of it: the law that is fitted takes it for granted (the first of 2)
"does not hold, as nothing is known of it: the law that is fitted takes it for granted"
"does not hold: no limit"

# What is not known, or taken for granted, does not hold.
$ printf '1,10\n2,18\n4,28\n' | pscal fit --assert 'alpha<1' -o report.txt
pscal fit: standard input: 'alpha<1' does not hold, as nothing is known of it: there are as many parameters as points, and no interval
? 3

$ pscal fit --amdahl --assert 'nc>=1' -o report.txt "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: 'nc>=1' does not hold, as nothing is known of it: the law that is fitted takes it for granted
? 3

$ pscal fit --assert 'nc' "$DATA/usl/specsdm91.csv"
pscal fit: --assert: 'nc': compare with <, <=, > or >=, as in 'nc>=64'
? 2

$ pscal fit --assert 'kappa<1' "$DATA/usl/specsdm91.csv"
pscal fit: --assert: 'kappa<1' does not begin with alpha, beta, gamma, nc, xmax, n, or x(N) or e(N) with N above 0
? 2

$ pscal fit --assert 'nc.mean>1' "$DATA/usl/specsdm91.csv"
pscal fit: --assert: 'nc.mean>1': of an interval there are .best, .low and .high
? 2

$ pscal fit --assert 'nc>=many' "$DATA/usl/specsdm91.csv"
pscal fit: --assert: 'nc>=many': compare with a number, as in 'nc>=64'
? 2
