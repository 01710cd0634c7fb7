# SPDX-License-Identifier: GPL-3.0-or-later
# The forms of a fit: gamma as measured, no bounds; the active ones, and the rows of CSV.

$ pscal fit --gamma first "$DATA/usl/raytracer6.csv"
Throughput peaks at N = 23 (95 %: 20 to 28), beyond the largest N measured (20),
with 202 (194 to 214).

                             best  95 % from       to  at N = 20
contention, alpha          0.0159    0.00586   0.0263  15 % lost (5.5 to 25)
coherency, beta           0.00184    0.00122  0.00245  35 % lost (24 to 46)
throughput of one, gamma       20         20       20  50 % useful (48 to 52)

 N  measured  curve  efficiency
 1        20     20     100.0 %
 4        78   74.8      97.5 %
 8       130    132      81.2 %
12       170    169      70.8 %
16       190    190      59.4 %
20       200    200      50.0 %

Checks: 5 passed, 0 failed, 1 n/a; -v.

next: perf c2c record -- COMMAND; perf c2c report  # at N = 20: shared cache lines

$ pscal fit --gamma first --model linear "$DATA/usl/raytracer6.csv" | head -n 20
Throughput peaks at N = 23 (95 %: 20 to 28), beyond the largest N measured (20),
with 202.

                          best  95 % from  to  at N = 20
throughput of one, gamma    20         20  20  100 % useful (100 to 100)

 N  measured  curve  efficiency
 1        20     20     100.0 %
 4        78     80      97.5 %
 8       130    160      81.2 %
12       170    240      70.8 %
16       190    320      59.4 %
20       200    400      50.0 %

Checks: 2 passed, 0 failed, 4 n/a; -v.

next: pscal fit --suggest: which N to measure

$ pscal fit --gamma fitted --format json "$DATA/usl/raytracer6.csv" | jq '.[0].gamma * 1e6 | round'
20856045

$ pscal fit --gamma first "$DATA/usl/misra1d.csv"
pscal fit: $DATA/usl/misra1d.csv: there is no point at N = 1, whose throughput gamma would be; measure there, or fit gamma too
? 1

# An outlier: named and marked, and the curve is nearly that of the other points.
$ sed 's/^12,.*/12,90/' "$DATA/usl/raytracer6.csv" | pscal fit --robust
Throughput peaks at N = 26 (95 %: 20 to 72), beyond the largest N measured (20),
with 206 (195 to 258).
! The robust fit ignores N = 12 (90).
! N = 12 is off the curve (t = 34.8 > 10.9): measure it again.

                             best  95 % from       to  at N = 20
contention, alpha          0.0298          0   0.0681  27 % lost (0 to 55)
coherency, beta           0.00143   0.000178  0.00247  26 % lost (2.9 to 48)
throughput of one, gamma     21.2       18.4     24.3  47 % useful (41 to 54)

 N  measured  curve  efficiency                        weight
 1        20   21.2     100.0 %                         0.985
 4        78   76.5      97.5 %                         0.941
 8       130    131      81.2 %                         0.974
12        90    167      37.5 %  downweighted outlier       0
16       190    189      59.4 %                         0.986
20       200    201      50.0 %                         0.983

Checks: 3 passed, 1 failed (outliers), 2 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 20

$ sed 's/^16,.*/16,3000/' "$DATA/usl/cisco.csv" | pscal fit --robust=huber --format json | jq -c '.[0] | .robust, (.scale, .alpha * 1e9 | round), .models[2].bic, (.points[15] | .flags, (.weight * 1e9 | round)), .warnings'
"huber"
203
26714341
null
["downweighted","outlier","influential"]
37146274
["Residuals are systematic: 5 groups above and below (runs test, p = 6.4e-06).","N = 16 is off the curve (t = 36.2 > 3.5): measure it again."]

$ pscal fit --robust -- "$DATA/usl/raytracer6.csv" | head -n 2
Throughput peaks at N = 24 (95 %: 20 to 38), beyond the largest N measured (20),
with 203 (195 to 225).

$ pscal fit --robust --bootstrap 999 "$DATA/usl/raytracer6.csv"
pscal fit: --bootstrap: refits by least squares, and --robust does not; leave one of them out
? 2

$ pscal fit --robust=cauchy "$DATA/usl/raytracer6.csv"
pscal fit: --robust=cauchy: the losses are tukey and huber
? 2

$ head -n 5 "$DATA/usl/raytracer6.csv" | pscal fit --robust
pscal fit: standard input: a robust fit of so many parameters needs 5 points or more, there are 4; measure at more N, or fit without --robust
? 1

$ pscal fit --gamma second "$DATA/usl/raytracer6.csv"
pscal fit: --gamma second: gamma is 'fitted', or 'first': the throughput at N = 1
? 2

$ pscal fit --superlinear "$DATA/usl/seed_table4.csv"
Throughput peaks at N = 297 (95 %: 276 to 329), with 212 (207 to 217).
! N = 5 is superlinear (113 %): is N = 1 too slow, or is it the caches?
! N = 200 is off the curve (t = 13.6 > 4.1): repeat it, or try --weights
  relative.
! alpha is negative: throughput grows faster than N up to N = 177.2.

Columns: N = 'N', throughput = the speedup 'C'.

                               best   95 % from         to  at N = 350
contention, alpha          -0.00201    -0.00304  -0.000744  -42 % lost (-71 to -14)
coherency, beta           0.0000113  0.00000922  0.0000131  82 % lost (61 to 104)
throughput of one, gamma       1.00       0.869       1.16  59 % useful (52 to 68)

  N  measured  curve  efficiency
  1         1   1.00     100.0 %
  5      5.67   5.04     113.4 %  superlinear
 10      11.3   10.2     113.3 %  superlinear
 25      27.5   26.1     110.0 %  superlinear
 50      55.8   53.8     111.7 %  superlinear
300       210    212      70.0 %
350       210    208      59.9 %
... 4 more; --all

Checks: 3 passed, 2 failed (outliers, influence), 1 n/a; -v.

next: perf c2c record -- COMMAND; perf c2c report  # at N = 350: shared cache lines

$ pscal fit --superlinear --at 400,401 "$DATA/usl/raytracer.csv"
These points show no limit: without bounds the curve ends at N = 401. Measure N
> 64.
! beta is negative, which is no possible cost: do not extrapolate.
! Predictions beyond N = 128, twice the largest N measured, are extrapolations.

Predicted
  N  throughput  from  to  measured from  to  flags
400      120760   294   -            294   -  extrapolation
401           -     -   -              -   -  extrapolation

                               best  95 % from         to  at N = 64
contention, alpha            0.0781     0.0513      0.113  96 % lost (74 to 118)
coherency, beta           -0.000201  -0.000512  0.0000407  -16 % lost (-36 to 3.6)
throughput of one, gamma       24.8       20.4       30.3  20 % useful (16 to 24)

 N  measured  curve  efficiency
 1        20   24.8     100.0 %
 4        78   80.4      97.5 %
 8       130    129      81.2 %
16       190    187      59.4 %
20       200    206      50.0 %
28       230    234      41.1 %
64       310    310      24.2 %
... 4 more; --all

Checks: 4 passed, 0 failed, 2 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 64

# A curve that bends upwards from the beginning has neither payback nor peak.
$ printf '1,10\n2,22\n4,50\n8,130\n16,400\n' | pscal fit --superlinear --model amdahl | head -n 25
Throughput peaks at N = 25 (95 %: 24 to 27), beyond the largest N measured (16),
with 617.
! Only 5 points: one measurement can change the result. Measure more N.
! N = 16 is superlinear (250 %): is N = 1 too slow, or is it the caches?
! N = 16 is off the curve (t = 14.9 > 9.92): repeat it, or try --weights
  relative.
! alpha is negative: throughput grows faster than N up to N = 29.89.

                             best  95 % from       to  at N = 16
contention, alpha         -0.0346    -0.0380  -0.0310  -108 % lost (-133 to -87)
throughput of one, gamma     12.0       10.8     13.3  208 % useful (187 to 233)

 N  measured  curve  efficiency
 1        10   12.0     100.0 %
 2        22   24.9     110.0 %  superlinear
 4        50   53.7     125.0 %  superlinear
 8       130    127     162.5 %  superlinear influential
16       400    400     250.0 %  superlinear outlier influential

Checks: 1 passed, 2 failed (outliers, influence), 3 n/a; -v.

next: pscal fit --suggest: which N to measure

$ for set in raytracer seed_table4 cisco; do pscal fit --format json "$DATA/usl/$set.csv"; done | jq -c '.[0] | .bound, (.kkt | map_values(. * 1e9 | round))'
"beta"
{"alpha":0,"beta":819620108}
"alpha"
{"alpha":1474010794,"beta":0}
"none"
{"alpha":0,"beta":0}

$ pscal fit --model amdahl "$DATA/usl/misra1d.csv" | grep -c Kuhn
0
? 1

$ pscal fit --model linear --format json "$DATA/usl/cisco.csv" | jq -c '.[0] | .kkt, .intervals.xmax'
{"alpha":null,"beta":null}
[null,null]

$ pscal fit --format csv --level 0.9 "$DATA/usl/specsdm91.csv" "$DATA/usl/raytracer.csv" | cut -d, -f15- | sed 's/\(\.0*[1-9][0-9]\{4\}\)[0-9]*/\1/g'
alpha_low,alpha_high,beta_low,beta_high,gamma_low,gamma_high,nc_low,nc_high,xmax_low,xmax_high,level,interval_method,payback_n,pole_n,flags
0.012828,0.052912,5.64729e-05,0.00014762,66.62565,128.017479,81.34909,130.14286,1778.38260,1995.91409,0.9,profile-t,,,influential
0.045257,0.069475,0,9.58954e-05,19.38353,24.61085,99.60762,,301.77469,408.79344,0.9,profile-t,,,

$ pscal fit --format csv --superlinear "$DATA/usl/raytracer.csv" | cut -d, -f25,28 | cut -c-12
level,pole_n
0.95,400.991
