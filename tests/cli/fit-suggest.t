# SPDX-License-Identifier: GPL-3.0-or-later
# Where to measure next.

$ pscal fit --suggest "$DATA/usl/specsdm91.csv" | grep -A 9 '^Measure N'
Measure N = 523 next: then the interval of N_c, 77.86 to 156.7 now, is expected
to be 82.2 to 114.4. Any N from 298 to 648 does nearly as well. Second best is N
= 59, with 79.74 to 136.7.

Note: Much hangs on the point at N = 18 (Cook's distance 2.48): without it alpha
would be 0.04981, beta 0.0001111 and N_c 92.47. Measure there again.

$ pscal fit --suggest-max 216 --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0].suggestion | .aim, .n, .second_n, .near, (.now, .then, .second_then | map(round))'
"nc"
216
59
[205,216]
[78,157]
[81,129]
[80,137]

# No peak shows: what would tell whether there is one.
$ pscal fit --suggest "$DATA/usl/cisco10.csv" | grep -A 9 '^Measure N'
Measure N = 30 next: then the interval of beta, 0 to 0.001647 now, is expected
to be 0.0003325 to 0.0005569, which tells that throughput peaks. Any N from 22
to 30 does nearly as well. Second best is N = 2, with 0 to 0.001534.

Note: N_c hangs on single points: with one left out it goes from 36.34 to no
peak, farthest without N = 7.

Note: N_c = 46.9187 is more than twice the largest N measured, 10: an
extrapolation.

$ pscal fit --suggest --format json "$DATA/usl/raytracer.csv" | jq -c '.[0].suggestion | .aim, .n, .then[0]'
"beta"
192
0

# As many parameters as points.
$ printf '1,20\n4,78\n12,170\n' | pscal fit -q --suggest - | tail -n 3

Where to measure next these points do not tell; measure at more N, and beyond
the largest.

$ printf '1,20\n4,78\n12,170\n' | pscal fit --suggest --format json - | jq -c '.[0].suggestion'
{"aim":null,"n":null,"second_n":null}

$ pscal fit --suggest-max 0 "$DATA/usl/cisco10.csv"
pscal fit: --suggest-max 0: the largest N to suggest is a whole number from 1 to 1000000
? 2

$ pscal fit --suggest --compare "$DATA/usl/cisco10.csv" "$DATA/usl/cisco.csv"
pscal fit: --compare: does not go with --suggest
? 2
