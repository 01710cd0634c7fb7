# SPDX-License-Identifier: GPL-3.0-or-later
# The fit of one law or another to measured throughput.

$ pscal fit --at 100,500 "$DATA/usl/specsdm91.csv"
file                     $DATA/usl/specsdm91.csv
model                    usl
points                   7
degrees of freedom       4
residual sum of squares  27453.7

Throughput peaks near N = 97 (78 to 157).

Parameters, standard errors, and intervals of 95 %
                                    best        error         from           to
alpha, contention              0.0277285   0.00912173   0.00948473    0.0641035
beta, coherency              0.000104365  1.98753e-05  3.86212e-05  0.000161176
gamma, throughput of one         89.9952      14.2135      61.2463      144.546
N_c, where throughput peaks      96.5196            -      77.8554      156.662
throughput there, X_max           1883.9            -      1747.72      2031.03

Models
                RSS     AICc      BIC  left-out error            p
linear  4.15685e+06  119.926  116.817         1032.55            -
amdahl       131265  102.739  94.5763         210.718  3.04282e-05
usl         27453.7  105.786  85.5692         152.956   0.00885183

At N = 216, 8.5 % (5.5 to 12) of the capacity N gamma does useful work; 50 % (22
to 81) is lost to contention, 41 % (12 to 67) to coherency.

Contention (alpha) is what is done one at a time: locks, queues, serial phases,
a shared device. Look at 'pscal profile' for the time with one thread active, at
'perf sched timehist -w' for who wakes whom, at 'perf trace -s -e futex' for
waits for locks, and at 'perf lock contention' for those of the kernel.

Measured and fitted
  N  throughput   fitted     from       to  efficiency      t  flags
  1        64.9  89.9952  61.2463  144.546     100.0 %  -0.27  
 18       995.9  1077.56  899.418  1265.88      85.3 %  -3.51  influential
 36      1652.4  1541.31  1396.03  1687.71      70.7 %   2.98  
 72      1853.2  1850.15  1697.91  2009.51      39.7 %   0.04  
108      1828.9  1878.89  1747.61   2013.3      26.1 %  -0.70  
144        1775   1821.6  1695.05  1948.05      19.0 %  -0.62  
216      1702.2   1646.2  1444.13  1856.73      12.1 %   1.74  influential

Checks
runs         passed: 4 runs of the same sign in 7, p = 0.54
lack of fit  not done: no N is measured twice
outliers     passed: largest t 3.51 at N = 18, limit 6.58
influence    failed: largest Cook's distance 2.48 at N = 18, limit 1
left out     passed: N_c from 82.15 to 105.2, farthest without N = 216
knee         passed: none, p = 0.017

Predicted
  N  throughput     from       to  measured from       to  flags
100      1883.4  1746.27  2024.08        1615.61  2153.03  
500     1100.84  803.127  1618.16        724.621  1666.99  extrapolation

Note: Much hangs on the point at N = 18 (Cook's distance 2.48): without it alpha
would be 0.04981, beta 0.0001111 and N_c 92.47. Measure there again.

Note: Predictions beyond N = 432, twice the largest N measured, are
extrapolations.

$ pscal fit --format csv "$DATA/usl/raytracer.csv" "$DATA/usl/seed_table4.csv" | cut -d, -f-14
file,model,n,alpha,beta,gamma,alpha_se,beta_se,gamma_se,rss,df,bound,nc,xmax
$DATA/usl/raytracer.csv,usl,11,0.0577707807395694,0,21.84884286568225,0.0052579788414900295,,1.2577786789686736,697.237799748922,9,beta,,
$DATA/usl/seed_table4.csv,usl,11,0,8.347552949992175e-06,1.2331590791343636,,7.218366950406529e-07,0.0387583452264169,274.6759185378857,9,alpha,346.114990028183,213.71615696039453

$ pscal fit --amdahl "$DATA/usl/raytracer6.csv" --format json | jq -c '.[0] | keys_unsorted, [.model, .bound, .nc, .xmax, .beta_se]'
["file","model","n","alpha","beta","gamma","alpha_se","beta_se","gamma_se","rss","df","bound","nc","xmax","payback_n","pole_n","flags","columns","steady","verdict","intervals","level","interval_method","kkt","models","meaning","points","diagnosis","predictions","answers","what_if","warnings"]
["amdahl","none",null,null,null]

$ pscal fit --usl --format json "$DATA/usl/seed_table4.csv" | jq -c '[.[0].points[] | select(.flags | index("superlinear")) | .n]'
[5,10,25,50,100,150]

$ pscal fit --linear --format json --at 64 <"$DATA/usl/raytracer6.csv" | jq -c '.[0].predictions'
[{"n":64,"throughput":759.2826333711691,"throughput_low":595.1644759211994,"throughput_high":923.4007908211398,"measured_low":578.3735059520859,"measured_high":940.1917607902533,"flags":["extrapolation"]}]

$ printf '1;10,500\n2;20,125\n' | pscal fit
pscal fit: standard input:1: column 2: '10,500' is not a number: its comma may be one of decimals or of thousands; write a decimal point, and no commas
? 1

$ printf 'n,throughput\n1,10\n2,fast\n' | pscal fit
pscal fit: standard input:3: column 2 ('throughput'): 'fast' is not a number
? 1

$ printf '1,10\n' | pscal fit
pscal fit: standard input: all points have N = 1; measure at other N too
? 1

$ printf '1,10\n1,11\n1,12\n' | pscal fit
pscal fit: standard input: all points have N = 1; measure at other N too
? 1

$ printf '1,10\n0,11\n2,12\n' | pscal fit
pscal fit: standard input:2: column 1: N must be above 0, not 0
? 1

$ pscal fit --at 0 "$DATA/usl/specsdm91.csv"
pscal fit: --at 0: each N must be above 0
? 2

$ pscal fit "$DATA/usl/specsdm91.csv" no-such-file
pscal fit: no-such-file: cannot open: No such file or directory
? 1

$ pscal fit --level 0.5 --format json --at 900 "$DATA/usl/cisco10.csv" | jq -c '.[0] | .level, (.intervals.nc | map(. * 1e6 | round)), (.intervals | keys_unsorted), .predictions[0].flags'
0.5
[34834274,115469740]
["alpha","beta","gamma","nc","xmax"]
["extrapolation"]

$ pscal fit --level 95 "$DATA/usl/cisco10.csv"
pscal fit: --level 95: the level is a share above 0 and below 1, as 0.9
? 2

$ pscal fit --format json "$DATA/usl/specsdm91.csv" "$DATA/usl/cisco10.csv" | jq -c '.[] | .verdict, [.models[] | .model, (.p | if . then . * 1e6 | round else . end)]'
"Throughput peaks near N = 97 (78 to 157)."
["linear",null,"amdahl",30,"usl",8852]
"These data cannot tell Amdahl from USL: throughput approaches 4.157e+04, or it peaks at some N above 25; measure N > 25."
["linear",null,"amdahl",0,"usl",211807]
