# SPDX-License-Identifier: GPL-3.0-or-later
# The forms a fit may have: gamma as measured, no bounds; what is active, and the rows of CSV.

$ pscal fit --gamma first "$DATA/usl/raytracer6.csv"
file                     $DATA/usl/raytracer6.csv
model                    usl
points                   6
degrees of freedom       3
residual sum of squares  14.1962

Throughput peaks near N = 23 (20 to 28), beyond the largest N measured.

Parameters, standard errors, and intervals of 95 %
                                   best        error        from          to
alpha, contention             0.0159104   0.00321537  0.00585585   0.0263197
beta, coherency              0.00184115  0.000192481  0.00122442  0.00244987
gamma, throughput of one             20            -          20          20
N_c, where throughput peaks     23.1192            -     20.1414     28.2034
throughput there, X_max         201.611            -      193.77     213.785

Models
            RSS     AICc      BIC  left-out error            p
linear    62704  80.5538  76.1373         111.986            -
amdahl  426.665  60.6127   47.988         13.3439  8.70107e-06
usl     14.1962  70.1946  29.3616           2.125     0.001301

At N = 20, 50 % (48 to 52) of the capacity N gamma does useful work; 15 % (5.5
to 25) is lost to contention, 35 % (24 to 46) to coherency.

Coherency (beta) is what pairs spend to agree: shared counters, false sharing,
data that all exchange with all. Look at 'perf c2c record' and 'perf c2c report'
for the cache lines that move between cores.

Measured and fitted
 N  throughput   fitted     from       to  efficiency      t  flags
 1          20       20       20       20     100.0 %   0.00  
 4          78  74.7786  73.1334  76.4308      97.5 %   2.62  
 8         130  131.744  127.551   136.01      81.2 %  -1.02  
12         170  169.247   164.66  173.845      70.8 %   0.39  
16         190  190.416  186.451  194.389      59.4 %  -0.19  
20         200  199.807  193.643   206.03      50.0 %   0.16  

Checks
runs         passed: 5 runs of the same sign in 5, p = 1
lack of fit  not done: no N is measured twice
outliers     passed: largest t 2.62 at N = 4, limit 10.9
influence    passed: largest Cook's distance 0.306 at N = 8, limit 1
left out     passed: N_c from 22.33 to 23.55, farthest without N = 8
knee         passed: none, p = 0.71

Note: gamma is the throughput measured at N = 1 and was not fitted: all else is
as sure as it says only if that measurement is exact.

$ pscal fit --gamma first --linear "$DATA/usl/raytracer6.csv" | head -n 20
file                     $DATA/usl/raytracer6.csv
model                    linear
points                   6
degrees of freedom       5
residual sum of squares  62704

Throughput peaks near N = 23 (20 to 28), beyond the largest N measured.

Parameters, standard errors, and intervals of 95 %
                          best  error  from  to
alpha, contention            0      -     0   0
beta, coherency              0      -     0   0
gamma, throughput of one    20      -    20  20

Throughput neither peaks nor levels off: it is gamma N.

Models
            RSS     AICc      BIC  left-out error            p
linear    62704  80.5538  76.1373         111.986            -
amdahl  426.665  60.6127   47.988         13.3439  8.70107e-06

$ pscal fit --gamma fitted --format json "$DATA/usl/raytracer6.csv" | jq '.[0].gamma * 1e6 | round'
20856045

$ pscal fit --gamma first "$DATA/usl/misra1d.csv"
pscal fit: $DATA/usl/misra1d.csv: there is no point at N = 1, whose throughput gamma would be; measure there, or fit gamma too
? 1

# A wild point: named and marked, and the curve is nearly that of the others.
$ sed 's/^12,.*/12,90/' "$DATA/usl/raytracer6.csv" | pscal fit --robust
file                     standard input
model                    usl
points                   6
degrees of freedom       3
residual sum of squares  6.37997

robust, by the loss of  tukey
scatter of a point      3.16877

Throughput peaks near N = 26 (20 to 72), beyond the largest N measured, but N =
12 lies far off the curve.

Parameters, standard errors, and intervals of 95 %
                                   best        error         from          to
alpha, contention             0.0298006    0.0110286            0   0.0681127
beta, coherency              0.00143035  0.000360574  0.000177998  0.00247334
gamma, throughput of one        21.1514     0.929742      18.4091     24.3394
N_c, where throughput peaks     26.0441            -      20.1075     72.4177
throughput there, X_max         205.604            -      195.112     258.004

Models
            RSS  AICc  BIC  left-out error           p
linear   3354.4     -    -         37.0817           -
amdahl  54.3539     -    -         6.36754  3.7864e-06
usl     6.37997     -    -          3.3654   0.0185054

At N = 20, 47 % (41 to 54) of the capacity N gamma does useful work; 27 % (0 to
55) is lost to contention, 26 % (2.9 to 48) to coherency.

Contention (alpha) is what is done one at a time: locks, queues, serial phases,
a shared device. Look at 'pscal profile' for the time with one thread active, at
'perf sched timehist -w' for who wakes whom, at 'perf trace -s -e futex' for
waits for locks, and at 'perf lock contention' for those of the kernel.

Measured and fitted
 N  throughput   fitted     from       to  efficiency       t  flags                   weight
 1          20  21.1514  18.4091  24.3394     100.0 %   -0.40                        0.985138
 4          78  76.4577  71.3931  81.4933      97.5 %    0.81                        0.940946
 8         130  131.303  126.389  136.299      81.2 %   -0.54                        0.973816
12          90  167.358  161.205  173.741      37.5 %  -34.78  downweighted outlier         0
16         190  189.032  184.223  193.942      59.4 %    0.39                        0.986234
20         200  200.511   194.75  206.306      50.0 %   -0.43                        0.983158

Checks
runs         passed: 5 runs of the same sign in 6, p = 1
lack of fit  not done: no N is measured twice
outliers     failed: largest t 34.8 at N = 12, limit 10.9
influence    passed: largest Cook's distance 0.439 at N = 20, limit 1
left out     passed: N_c from 23.81 to 30.64, farthest without N = 20
knee         not done: not looked for in a robust fit

Note: The robust fit gives no weight to N = 12 (90): look for what went wrong
there, or whether the law does not hold.

Note: The intervals of a robust fit are approximate, and with 6 points likely
too narrow.

Note: The point at N = 12 is an outlier: it is 34.8 standard errors off the
curve through the others, where 10.9 are rare. Measure there again.

$ sed 's/^16,.*/16,3000/' "$DATA/usl/cisco.csv" | pscal fit --robust=huber --format json | jq -c '.[0] | .robust, (.scale, .alpha * 1e9 | round), .models[2].bic, (.points[15] | .flags, (.weight * 1e9 | round)), .warnings'
"huber"
203
26714341
null
["downweighted","outlier","influential"]
37146274
["The curve does not describe these points: above and below it they lie in 5 groups only (runs test, p = 6.4e-06).","The point at N = 16 is an outlier: it is 36.2 standard errors off the curve through the others, where 3.5 are rare. Measure there again.","Much hangs on the point at N = 16 (Cook's distance 1.53): without it alpha would be 0.02561, beta 0.0007973 and N_c 34.96. Measure there again."]

$ pscal fit --robust -- "$DATA/usl/raytracer6.csv" | head -n 2
file                     $DATA/usl/raytracer6.csv
model                    usl

$ pscal fit --robust --bootstrap 999 "$DATA/usl/raytracer6.csv"
pscal fit: --bootstrap: refits by least squares, which --robust is not; leave one of them out
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
file                     $DATA/usl/seed_table4.csv
model                    usl
points                   11
degrees of freedom       8
residual sum of squares  109.495
superlinear up to N      177.226

Columns: N is 'N', throughput is the speed-up 'C', in units of that of one.

Throughput peaks near N = 297 (276 to 329).

Parameters, standard errors, and intervals of 95 %
                                    best        error         from            to
alpha, contention            -0.00200765  0.000484453  -0.00304381  -0.000744418
beta, coherency              1.13282e-05  8.23504e-07  9.22487e-06   1.31186e-05
gamma, throughput of one         1.00075    0.0610476     0.868855       1.15724
N_c, where throughput peaks       297.41            -      276.491       329.391
throughput there, X_max          212.056            -      207.298       216.935

Models
            RSS     AICc      BIC  left-out error            p
linear   8778.4   110.22  109.516           35.71            -
amdahl  1228.42  92.5167  90.2818         14.4982  3.94429e-05
usl     109.495  71.1612  66.0861          5.2394  1.79124e-05

alpha is below 0: up to N = 177.2 each does more than one alone, as where every
N brings cache or memory of its own; beyond that, coherency costs more than this
gains.

Measured and fitted
  N  throughput   fitted      from       to  efficiency      t  flags
  1           1  1.00075  0.868855  1.15724     100.0 %  -0.00  
  5        5.67  5.04308    4.3954  5.80422     113.4 %   0.16  superlinear
 10       11.33   10.181   8.91675  11.6489     113.3 %   0.30  superlinear
 25        27.5  26.0988   23.1965  29.3486     110.0 %   0.38  superlinear
 50       55.83  53.8395    49.028  58.9242     111.7 %   0.63  superlinear
100       107.5  109.564   104.013  115.012     107.5 %  -0.70  superlinear
150      153.33  157.342   152.406  162.327     102.2 %  -1.41  superlinear
200      198.33  190.375   184.972  195.857      99.2 %  13.56  outlier influential
250      204.17  207.576   202.602  212.634      81.7 %  -1.16  
300         210  212.044   207.192  216.899      70.0 %  -0.65  
350      209.67  208.108   200.955  215.342      59.9 %   0.75  

Checks
runs         passed: 6 runs of the same sign in 11, p = 0.52
lack of fit  not done: no N is measured twice
outliers     failed: largest t 13.6 at N = 200, limit 4.1
influence    failed: largest Cook's distance 1.71 at N = 200, limit 1
left out     passed: N_c from 287.7 to 319.3, farthest without N = 200
knee         passed: none, p = 0.99

Note: The point at N = 200 is an outlier: it is 13.6 standard errors off the
curve through the others, where 4.1 are rare, unless points scatter more where
throughput is larger. Measure there again.

Note: Much hangs on the point at N = 200 (Cook's distance 1.71): without it
alpha would be -0.001249, beta 9.819e-06 and N_c 319.3. Measure there again.

Note: alpha is below 0 and no share of the work: up to N = 177.226 throughput
grows faster than N.

Note: Some points are superlinear, most of all N = 5 with an efficiency of
113.4 %: the curve may describe that without its bounds, but does not explain
it.

$ pscal fit --superlinear --at 400,401 "$DATA/usl/raytracer.csv"
file                     $DATA/usl/raytracer.csv
model                    usl
points                   11
degrees of freedom       8
residual sum of squares  484.018
the curve ends at N      400.991

Without its bounds the curve ends at N = 401 and has no peak: these data cannot
tell what limits throughput; measure N > 64.

Parameters, standard errors, and intervals of 95 %
                                  best        error          from           to
alpha, contention            0.0781478     0.013405     0.0513014     0.112853
beta, coherency           -0.000201121  0.000119995  -0.000512498  4.07351e-05
gamma, throughput of one       24.7662      2.15706       20.3864      30.2817

Without its bounds this curve ends at N = 400.991: the denominator of the law
falls to 0 there, throughput would grow without limit, and beyond it the law
says nothing.

Models
            RSS     AICc      BIC  left-out error            p
linear  49862.2  129.327  128.623         84.1798            -
amdahl  697.238  86.2868  84.0519         10.0982  1.17631e-09
usl     484.018  87.5098  82.4347         8.35084    0.0973121

beta is below 0, which no cost can be: the curve describes these points and
explains nothing.

Measured and fitted
 N  throughput   fitted     from       to  efficiency      t  flags
 1          20  24.7662  20.3864  30.2817     100.0 %  -0.61  
 4          78  80.4077  70.4799  91.1842      97.5 %  -0.36  
 8         130   129.01   119.07  138.735      81.2 %   0.14  
12         170  162.128  153.994  169.987      70.8 %   1.15  
16         190  186.567  179.493  193.643      59.4 %   0.46  
20         200  205.666  198.473   212.93      50.0 %  -0.78  
24         210   221.26  213.496  229.104      43.8 %  -1.83  
28         230  234.437  226.174  242.833      41.1 %  -0.62  
32         260  245.889   237.34  254.636      40.6 %   2.86  
48         280  281.753  272.487  291.129      29.2 %  -0.25  
64         310  310.038  293.758    326.5      24.2 %  -0.01  

Checks
runs         passed: 5 runs of the same sign in 11, p = 0.33
lack of fit  not done: no N is measured twice
outliers     passed: largest t 2.86 at N = 32, limit 4.1
influence    passed: largest Cook's distance 0.442 at N = 32, limit 1
left out     not done: there is no N_c
knee         passed: none, p = 0.75

Predicted
  N  throughput     from  to  measured from  to  flags
400      120760  293.745   -        293.743   -  extrapolation
401           -        -   -              -   -  extrapolation

Note: beta is below 0, as no cost is: the curve bends upwards beyond the points,
so do not extrapolate it.

Note: Predictions beyond N = 128, twice the largest N measured, are
extrapolations.

# A curve that bends upwards from the beginning has neither payback nor peak.
$ printf '1,10\n2,22\n4,50\n8,130\n16,400\n' | pscal fit --superlinear --amdahl | head -n 25
file                     standard input
model                    amdahl
points                   5
degrees of freedom       3
residual sum of squares  35.3295
the curve ends at N      29.8878

Throughput peaks near N = 25 (24 to 27), beyond the largest N measured.

Parameters, standard errors, and intervals of 95 %
                                best       error        from          to
alpha, contention         -0.0346167  0.00111025  -0.0380112  -0.0309771
beta, coherency                    0           -           0           0
gamma, throughput of one     12.0255    0.394802     10.8076      13.308

Without its bounds this curve ends at N = 29.8878: the denominator of the law
falls to 0 there, throughput would grow without limit, and beyond it the law
says nothing.

Models
             RSS     AICc       BIC  left-out error            p
linear   6383.89  59.9499   53.1687         78.5161            -
amdahl   35.3295  53.9658   28.7941         124.884  0.000175021
usl     0.082893        -  0.128925         16.1894   0.00117383

$ for set in raytracer seed_table4 cisco; do pscal fit --format json "$DATA/usl/$set.csv"; done | jq -c '.[0] | .bound, (.kkt | map_values(. * 1e9 | round))'
"beta"
{"alpha":0,"beta":819620108}
"alpha"
{"alpha":1474010794,"beta":0}
"none"
{"alpha":0,"beta":0}

$ pscal fit --amdahl "$DATA/usl/misra1d.csv" | grep -c Kuhn
0
? 1

$ pscal fit --linear --format json "$DATA/usl/cisco.csv" | jq -c '.[0] | .kkt, .intervals.xmax'
{"alpha":null,"beta":null}
[null,null]

$ pscal fit --format csv --level 0.9 "$DATA/usl/specsdm91.csv" "$DATA/usl/raytracer.csv" | cut -d, -f15- | sed 's/\(\.0*[1-9][0-9]\{4\}\)[0-9]*/\1/g'
alpha_low,alpha_high,beta_low,beta_high,gamma_low,gamma_high,nc_low,nc_high,xmax_low,xmax_high,level,interval_method,payback_n,pole_n,flags
0.012828,0.052912,5.64729e-05,0.00014762,66.62565,128.017479,81.34909,130.14286,1778.38260,1995.91409,0.9,profile-t,,,influential
0.045257,0.069475,0,9.58954e-05,19.38353,24.61085,99.60762,,301.77469,408.79344,0.9,profile-t,,,

$ pscal fit --format csv --superlinear "$DATA/usl/raytracer.csv" | cut -d, -f25,28 | cut -c-12
level,pole_n
0.95,400.991
