# SPDX-License-Identifier: GPL-3.0-or-later
# Checks whether a curve describes the points that it was fitted to.

$ pscal fit -v "$DATA/usl/specsdm91.csv"
Throughput peaks at N = 97 (95 %: 78 to 157), with 1884 (1748 to 2031).
! N = 18 dominates the fit (Cook's distance 2.48): measure it again.

file                     $DATA/usl/specsdm91.csv
model                    usl
points                   7
degrees of freedom       4
residual sum of squares  27454

                              best      error  95 % from        to  at N = 216
contention, alpha           0.0277    0.00912    0.00948    0.0641  50 % lost (22 to 81)
coherency, beta           0.000104  0.0000199  0.0000386  0.000161  41 % lost (12 to 67)
throughput of one, gamma      90.0       14.2       61.2       145  8.5 % useful (5.5 to 12)
peak, N_c                     96.5          -       77.9       157
throughput there, X_max       1884          -       1748      2031

Contention (alpha): serialised work - locks, queues, serial phases.

Coherency (beta): cost of keeping shared data consistent between cores (false
sharing, shared counters).

Useful and lost: shares of N gamma on the curve. Efficiency of a point:
throughput / (N X(1)) with the X(1) measured, else gamma.

Models
            RSS  AICc   BIC  left-out error          p
linear  4156849   120   117            1033          -
amdahl   131265   103  94.6             211  0.0000304
usl       27454   106  85.6             153    0.00885

  N  measured  curve  from    to  efficiency      t
  1      64.9   90.0  61.2   145     100.0 %  -0.27
 18       996   1078   899  1266      85.3 %  -3.51  influential
 36      1652   1541  1396  1688      70.7 %   2.98
 72      1853   1850  1698  2010      39.7 %   0.04
108      1829   1879  1748  2013      26.1 %  -0.70
144      1775   1822  1695  1948      19.0 %  -0.62
216      1702   1646  1444  1857      12.1 %   1.74  influential

Residuals
  N  residual  error  standardised  studentised   hat  Cook's distance
  1     -25.1   14.2         -0.31        -0.27  0.03             0.00
 18     -81.7   69.2         -1.79        -3.51  0.70             2.48
 36       111   52.3          1.73         2.98  0.40             0.66
 72      3.05   55.9          0.05         0.04  0.46             0.00
108     -50.0   48.6         -0.74        -0.70  0.34             0.10
144     -46.6   45.6         -0.67        -0.62  0.30             0.07
216      56.0   72.8          1.42         1.74  0.77             2.28

Without each point
  N   alpha       beta  gamma   N_c  residual
  1  0.0282   0.000104   90.7  96.6     -25.8
 18  0.0498   0.000111    131  92.5      -254
 36  0.0257  0.0000880   81.9   105       185
 72  0.0280   0.000104   90.3  96.8      5.63
108  0.0251   0.000107   86.6  95.7     -75.3
144  0.0272   0.000101   89.0  98.3     -66.7
216  0.0172   0.000146   77.9  82.1       233

check        result
residuals    passed  4 runs of the same sign in 7, p = 0.54, limit 0.05
lack of fit  n/a     no N was measured twice
outliers     passed  largest t 3.51 at N = 18, limit 6.58
influence    failed  largest Cook's distance 2.48 at N = 18, limit 1
left out     passed  N_c from 82.1 to 105, farthest without N = 216
knee         passed  no knee, p = 0.017, limit 0.01

Checks: 4 passed, 1 failed (influence), 1 n/a.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 216

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .flags, .warnings, (.points[1] | keys_unsorted), (.diagnosis | map_values(keys_unsorted))'
["influential"]
["N = 18 dominates the fit (Cook's distance 2.48): measure it again."]
["n","throughput","fitted","fitted_low","fitted_high","fitted_se","efficiency","residual","standardised","studentised","hat","cook","loo_alpha","loo_beta","loo_gamma","loo_nc","loo_residual","flags"]
{"runs":["above","below","runs","p_few","p"],"lack_of_fit":["distinct_n","pure_error","pure_df","lack_df","f","p"],"outliers":["n","t","limit","count"],"influence":["n","cook"],"drift":["n","nc_low","nc_high"],"knee":["found","last_n","first_n","places","one_rss","rss","p","distance_share"]}

# A knee behind N = 8, in every output
$ printf '1,100\n2,198\n3,295\n4,391\n5,484\n6,577\n8,761\n10,770\n12,808\n14,843\n16,881\n20,950\n' >knee.csv
$ pscal fit -v knee.csv | sed -n '/^check/,$p'
check        result
residuals    passed  4 runs of the same sign in 12, p = 0.2, limit 0.05
lack of fit  n/a     no N was measured twice
outliers     failed  largest t 4.17 at N = 8, limit 3.96
influence    failed  largest Cook's distance 4.32 at N = 20, limit 1
left out     passed  N_c from 15.7 to 22.2, farthest without N = 20
knee         failed  between N = 8 and 10, p = 2.2e-07, limit 0.01

Checks: 2 passed, 3 failed (outliers, influence, knee), 1 n/a.

next: perf c2c record -- COMMAND; perf c2c report  # at N = 20: shared cache lines
$ pscal fit --format json knee.csv | jq -c '.[0] | .flags, .verdict, .warnings[0], (.diagnosis.knee | [.found, .last_n, .first_n, .places])'
["knee","outlier","influential"]
"Throughput peaks at N = 19 (95 %: 16 to 40), with 915 (863 to 1065)."
"The curve changes at N = 10 (knee, p = 2.2e-07): fit each part alone."
[true,8,10,7]
$ pscal fit --format csv knee.csv | tail -n +2 | sed 's/.*,//'
knee outlier influential

# Each N twice
$ printf '1,10\n1,10.1\n2,18\n2,18.1\n4,40\n4,40.1\n8,47\n8,47.1\n16,50\n16,50.1\n' >twice.csv
$ pscal fit -v twice.csv | sed -n '/^check/,$p'
check        result
residuals    passed  4 runs of the same sign in 5, p = 0.9, limit 0.05
lack of fit  failed  F = 7.13e+03 (2 and 5 degrees of freedom), p = 2.3e-09, limit 0.05
outliers     passed  largest t 1.85 at N = 4, limit 4.32
influence    passed  largest Cook's distance 0.242 at N = 4, limit 1
left out     passed  N_c from 10.7 to 11.8, farthest without N = 8
knee         n/a     too few N

Checks: 4 passed, 1 failed (lack of fit), 1 n/a.

next: perf c2c record -- COMMAND; perf c2c report  # at N = 16: shared cache lines
$ pscal fit --format json twice.csv | jq -c '.[0] | .flags, .verdict, (.diagnosis.lack_of_fit | [.distinct_n, .pure_df, .lack_df, (.pure_error * 1e6 | round)])'
["repeated_n","lack_of_fit"]
"Throughput peaks at N = 11 (95 %: 9.2 to 19), with 51.7 (47.6 to 56.1)."
[5,5,2,70711]

# An outlier
$ printf '1,10\n2,19.4\n3,28\n4,35.4\n6,48.9\n8,47.5\n12,75.5\n16,86.1\n24,96.2\n32,98.4\n' | pscal fit --format json | jq -c '.[0] | .flags, .verdict, .warnings, [.points[] | select(.flags | index("outlier")) | .n]'
["outlier"]
"These points do not tell whether throughput peaks above N = 24 or levels off at 142. Measure N > 32."
["N = 8 is off the curve (t = 77.8 > 4.32): measure it again."]
[8]

# Out of order, and an N_c that is an extrapolation
$ pscal fit --format csv "$DATA/usl/cisco10.csv" | tail -n 1 | sed 's/.*,//'
nc_unstable nc_extrapolated
$ tac "$DATA/usl/cisco10.csv" | sed '/concurrency/d' | pscal fit --format json | jq -c '.[0] | .flags, .warnings'
["unsorted","nc_unstable","nc_extrapolated"]
["The rows are not sorted by N: check that each N has its own throughput.","The peak depends on single points: with one left out it moves from 36.3 to no peak, farthest without N = 7."]

# Points on a curve, and as many as parameters
$ printf '1,10\n2,20\n4,40\n8,80\n8,80\n16,160\n' | pscal fit | sed -n '/^Checks/,$p'
Checks: 0 passed, 0 failed, 6 n/a; -v.

next: pscal fit --suggest: which N to measure
$ printf '1,10\n2,18\n4,28\n' | pscal fit --format json | jq -c '.[0] | .flags, .diagnosis'
["few_points","no_freedom"]
{"runs":{"above":0,"below":0,"runs":0,"p_few":null,"p":null},"lack_of_fit":{"distinct_n":3,"pure_error":null,"pure_df":0,"lack_df":0,"f":null,"p":null},"outliers":{"n":null,"t":null,"limit":null,"count":0},"influence":{"n":null,"cook":null},"drift":{"n":null,"nc_low":null,"nc_high":null},"knee":{"found":null,"last_n":null,"first_n":null,"places":0,"one_rss":null,"rss":null,"p":null,"distance_share":null}}

# Many points
$ awk 'BEGIN { for (i = 0; i < 300; i++) print 1 + i % 30 "," 100 * (1 + i % 30) / (1 + .05 * (i % 30)) + i * 7 % 11 }' | pscal fit | sed -n '/^ *N /,$p'
 N  runs  median   min   max  curve  efficiency
 1    10     104   100   109    101     100.0 %
 5    10     422   417   427    421      80.7 %
10    10     694   690   700    695      66.4 %
15    10     887   882   892    888      56.6 %
20    10    1031  1027  1036   1031      49.3 %
25    10    1142  1136  1146   1141      43.7 %
30    10    1230  1224  1234   1229      39.2 %
... 23 more; --all

Checks: 4 passed, 1 failed (residuals), 1 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 30
$ awk 'BEGIN { for (i = 0; i < 10500; i++) print 1 + i "," 1000 * (1 + i) / (1 + .05 * i) + i * 7 % 11 }' | pscal fit --format json | jq -c '.[0] | .flags, .points, .warnings, .diagnosis.outliers, .diagnosis.runs'
[]
[]
[]
{"n":null,"t":null,"limit":null,"count":null}
{"above":0,"below":0,"runs":0,"p_few":null,"p":null}

# Of several runs at one N a single one may be an outlier, while their median is not.

$ printf '1 100\n1 101\n1 60\n1 102\n2 195\n2 196\n4 370\n4 371\n8 640\n8 644\n' >runs.txt; pscal fit -q runs.txt | grep -A1 'off the curve'
! One run of 4 at N = 1 (60) is off the curve (t = 12.1 > 4.03): measure it
  again.
