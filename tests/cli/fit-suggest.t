# SPDX-License-Identifier: GPL-3.0-or-later
# The next N to measure.

$ pscal fit --suggest "$DATA/usl/specsdm91.csv" | grep -A 9 '^Measure N'
Measure N = 523 next (any N from 298 to 648 is nearly as good): the interval of
N_c should shrink from 77.9 - 157 to 82.2 - 114. Second best: N = 59 (79.7 to
137).

                              best  95 % from        to  at N = 216
contention, alpha           0.0277    0.00948    0.0641  50 % lost (22 to 81)
coherency, beta           0.000104  0.0000386  0.000161  41 % lost (12 to 67)
throughput of one, gamma      90.0       61.2       145  8.5 % useful (5.5 to 12)

  N  measured  curve  efficiency

$ pscal fit --suggest=216 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0].suggestion | .aim, .n, .second_n, .near, (.now, .then, .second_then | map(round))'
"nc"
216
59
[205,216]
[78,157]
[81,129]
[80,137]

# No peak shows: the N that would decide whether there is one.
$ pscal fit --suggest "$DATA/usl/cisco10.csv" | grep -A 9 '^Measure N'
Measure N = 30 next (any N from 22 to 30 is nearly as good): the interval of
beta should shrink from 0 - 0.00165 to 0.000332 - 0.000557, which shows that
throughput peaks. Second best: N = 2 (0 to 0.00153).

                              best  95 % from       to  at N = 10
contention, alpha           0.0170   0.000913   0.0261  13 % lost (0.71 to 19)
coherency, beta           0.000447          0  0.00165  3.4 % lost (0 to 13)
throughput of one, gamma       938        902      968  84 % useful (81 to 87)

 N  measured  curve  efficiency

$ pscal fit --suggest --format json "$DATA/usl/raytracer.csv" | jq -c '.[0].suggestion | .aim, .n, .then[0]'
"beta"
192
0

# As many parameters as points.
$ printf '1,20\n4,78\n12,170\n' | pscal fit -q --suggest - | tail -n 3
 1        20   20.2     100.0 %
 4        78   77.9      97.5 %  influential
12       170    170      70.8 %  influential

$ printf '1,20\n4,78\n12,170\n' | pscal fit --suggest --format json - | jq -c '.[0].suggestion'
{"aim":null,"n":null,"second_n":null}

$ pscal fit --suggest=0 "$DATA/usl/cisco10.csv"
pscal fit: --suggest=0: the largest N to suggest is a whole number from 1 to 1000000
? 2

$ pscal fit --suggest --compare "$DATA/usl/cisco10.csv" "$DATA/usl/cisco.csv"
pscal fit: --compare: does not go with --suggest
? 2
