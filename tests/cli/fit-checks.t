# SPDX-License-Identifier: GPL-3.0-or-later
# Whether a curve describes the points it is fitted to.

$ pscal fit --details "$DATA/usl/specsdm91.csv" | sed -n '/^Measured/,$p'
Measured and fitted
  N  throughput   fitted     from       to  efficiency      t  flags
  1        64.9  89.9952  61.2463  144.546     100.0 %  -0.27  
 18       995.9  1077.56  899.418  1265.88      85.3 %  -3.51  influential
 36      1652.4  1541.31  1396.03  1687.71      70.7 %   2.98  
 72      1853.2  1850.15  1697.91  2009.51      39.7 %   0.04  
108      1828.9  1878.89  1747.61   2013.3      26.1 %  -0.70  
144        1775   1821.6  1695.05  1948.05      19.0 %  -0.62  
216      1702.2   1646.2  1444.13  1856.73      12.1 %   1.74  influential

Residuals
  N  residual    error  standardised  studentised   hat  Cook's distance
  1  -25.0952  14.2135         -0.31        -0.27  0.03             0.00
 18  -81.6579  69.2139         -1.79        -3.51  0.70             2.48
 36    111.09  52.2828          1.73         2.98  0.40             0.66
 72   3.05259  55.8912          0.05         0.04  0.46             0.00
108  -49.9896  48.5821         -0.74        -0.70  0.34             0.10
144  -46.5953  45.5659         -0.67        -0.62  0.30             0.07
216   55.9953   72.828          1.42         1.74  0.77             2.28

Without each point
  N      alpha         beta    gamma      N_c  residual
  1   0.028169  0.000104092  90.7024  96.6243  -25.8024
 18  0.0498112  0.000111126  130.578  92.4692  -253.789
 36  0.0256606  8.80287e-05  81.9146  105.207    184.57
 72   0.027987  0.000103758  90.2611  96.7888   5.63065
108  0.0250795  0.000106515  86.6463  95.6707  -75.2612
144   0.027186   0.00010066  89.0214  98.3073  -66.7161
216  0.0171578  0.000145649   77.879  82.1462   233.412

Checks
runs         passed: 4 runs of the same sign in 7, p = 0.54
lack of fit  not done: no N is measured twice
outliers     passed: largest t 3.51 at N = 18, limit 6.58
influence    failed: largest Cook's distance 2.48 at N = 18, limit 1
left out     passed: N_c from 82.15 to 105.2, farthest without N = 216
knee         passed: none, p = 0.017

Note: Much hangs on the point at N = 18 (Cook's distance 2.48): without it alpha
would be 0.04981, beta 0.0001111 and N_c 92.47. Measure there again.

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0] | .flags, .warnings, (.points[1] | keys_unsorted), (.diagnosis | map_values(keys_unsorted))'
["influential"]
["Much hangs on the point at N = 18 (Cook's distance 2.48): without it alpha would be 0.04981, beta 0.0001111 and N_c 92.47. Measure there again."]
["n","throughput","fitted","fitted_low","fitted_high","fitted_se","efficiency","residual","standardised","studentised","hat","cook","loo_alpha","loo_beta","loo_gamma","loo_nc","loo_residual","flags"]
{"runs":["above","below","runs","p_few","p"],"lack_of_fit":["distinct_n","pure_error","pure_df","lack_df","f","p"],"outliers":["n","t","limit","count"],"influence":["n","cook"],"drift":["n","nc_low","nc_high"],"knee":["found","last_n","first_n","places","one_rss","rss","p","distance_share"]}

# A knee behind N = 8, in every output
$ printf '1,100\n2,198\n3,295\n4,391\n5,484\n6,577\n8,761\n10,770\n12,808\n14,843\n16,881\n20,950\n' >knee.csv
$ pscal fit knee.csv | sed -n '/^Checks/,$p'
Checks
runs         passed: 4 runs of the same sign in 12, p = 0.2
lack of fit  not done: no N is measured twice
outliers     failed: largest t 4.17 at N = 8, limit 3.96
influence    failed: largest Cook's distance 4.32 at N = 20, limit 1
left out     passed: N_c from 15.66 to 22.16, farthest without N = 20
knee         failed: between N = 8 and 10, p = 2.2e-07

Note: From N = 10 on these points follow another curve than up to N = 8 (p =
2.2e-07): do threads share cores from there on, or reach a second socket? Fit
each part by itself.

Note: Much hangs on the point at N = 20 (Cook's distance 4.32): without it alpha
would be 0, beta 0.004077 and N_c 15.66. Measure there again.
$ pscal fit --format json knee.csv | jq -c '.[0] | .flags, .verdict, .warnings[0], (.diagnosis.knee | [.found, .last_n, .first_n, .places])'
["knee","outlier","influential"]
"Throughput peaks near N = 19 (16 to 40), but the points from N = 10 on follow another curve than those before (a knee, p = 2.2e-07)."
"From N = 10 on these points follow another curve than up to N = 8 (p = 2.2e-07): do threads share cores from there on, or reach a second socket? Fit each part by itself."
[true,8,10,7]
$ pscal fit --format csv knee.csv | tail -n +2 | sed 's/.*,//'
knee outlier influential

# Each N twice
$ printf '1,10\n1,10.1\n2,18\n2,18.1\n4,40\n4,40.1\n8,47\n8,47.1\n16,50\n16,50.1\n' >twice.csv
$ pscal fit twice.csv | sed -n '/^Checks/,$p'
Checks
runs         passed: 4 runs of the same sign in 5, p = 0.9
lack of fit  failed: F = 7.13e+03 for 2 and 5 degrees of freedom, p = 2.3e-09
outliers     passed: largest t 1.85 at N = 4, limit 4.32
influence    passed: largest Cook's distance 0.242 at N = 4, limit 1
left out     passed: N_c from 10.7 to 11.81, farthest without N = 8
knee         not done: too few N to look for one

Note: The curve does not describe these points: measurements at the same N agree
too well for being that far off it (lack of fit, p = 2.3e-09).
$ pscal fit --format json twice.csv | jq -c '.[0] | .flags, .verdict, (.diagnosis.lack_of_fit | [.distinct_n, .pure_df, .lack_df, (.pure_error * 1e6 | round)])'
["repeated_n","lack_of_fit"]
"Throughput peaks near N = 11 (9.2 to 19), but the curve does not describe these points (lack of fit, p = 2.3e-09)."
[5,5,2,70711]

# An outlier
$ printf '1,10\n2,19.4\n3,28\n4,35.4\n6,48.9\n8,47.5\n12,75.5\n16,86.1\n24,96.2\n32,98.4\n' | pscal fit --format json | jq -c '.[0] | .flags, .verdict, .warnings, [.points[] | select(.flags | index("outlier")) | .n]'
["outlier"]
"These data cannot tell Amdahl from USL: throughput approaches 141.8, or it peaks at some N above 24; measure N > 32; but N = 8 lies far off the curve."
["The point at N = 8 is an outlier: it is 77.8 standard errors off the curve through the others, where 4.32 are rare. Measure there again."]
[8]

# Out of order, and an N_c that is an extrapolation
$ pscal fit --format csv "$DATA/usl/cisco10.csv" | tail -n 1 | sed 's/.*,//'
nc_unstable nc_extrapolated
$ tac "$DATA/usl/cisco10.csv" | sed '/concurrency/d' | pscal fit --format json | jq -c '.[0] | .flags, .warnings'
["unsorted","nc_unstable","nc_extrapolated"]
["The rows are not in the order of N, which makes no difference to the fit; look whether each N stands beside its own throughput.","N_c hangs on single points: with one left out it goes from 36.34 to no peak, farthest without N = 7.","N_c = 46.9187 is more than twice the largest N measured, 10: an extrapolation."]

# Points on a curve, and as many as parameters
$ printf '1,10\n2,20\n4,40\n8,80\n8,80\n16,160\n' | pscal fit | sed -n '/^Checks/,$p'
Checks
runs         not done: the curve passes through all points
lack of fit  not done: the curve passes through all points
outliers     not done: the curve passes through all points
influence    not done: the curve passes through all points
left out     not done: the curve passes through all points
knee         not done: the curve passes through all points
$ printf '1,10\n2,18\n4,28\n' | pscal fit --format json | jq -c '.[0] | .flags, .diagnosis'
["few_points","no_freedom"]
{"runs":{"above":0,"below":0,"runs":0,"p_few":null,"p":null},"lack_of_fit":{"distinct_n":3,"pure_error":null,"pure_df":0,"lack_df":0,"f":null,"p":null},"outliers":{"n":null,"t":null,"limit":null,"count":0},"influence":{"n":null,"cook":null},"drift":{"n":null,"nc_low":null,"nc_high":null},"knee":{"found":null,"last_n":null,"first_n":null,"places":0,"one_rss":null,"rss":null,"p":null,"distance_share":null}}

# Many points
$ awk 'BEGIN { for (i = 0; i < 300; i++) print 1 + i % 30 "," 100 * (1 + i % 30) / (1 + .05 * (i % 30)) + i * 7 % 11 }' | pscal fit | sed -n '/^Of/,$p'
Of 300 points only those with flags are listed; --format json has all.

Checks
runs         failed: 11 runs of the same sign in 30, p = 0.046
lack of fit  passed: F = 0.984 for 28 and 270 degrees of freedom, p = 0.49
outliers     passed: largest t 2.33 at N = 1, limit 3.81
influence    passed: largest Cook's distance 0.0218 at N = 30, limit 1
left out     not done: not tried with so many points
knee         passed: none, p = 0.064

Note: The curve does not describe these points: above and below it they lie in
11 groups only (runs test, p = 0.046).

Note: beta is on its bound: without it the best beta would be -2.691e-05. These
points show no cost of coherency, and no peak.

Note: With more than 200 points, what the fit would be without each of them was
not computed.
$ awk 'BEGIN { for (i = 0; i < 10500; i++) print 1 + i "," 1000 * (1 + i) / (1 + .05 * i) + i * 7 % 11 }' | pscal fit --format json | jq -c '.[0] | .flags, .points, .warnings, .diagnosis.outliers, .diagnosis.runs'
[]
[]
["beta is on its bound: without it the best beta would be -1.928e-11. These points show no cost of coherency, and no peak.","With more than 10000 points, none was looked at by itself: outliers and influential points are not known."]
{"n":null,"t":null,"limit":null,"count":null}
{"above":0,"below":0,"runs":0,"p_few":null,"p":null}
