# SPDX-License-Identifier: GPL-3.0-or-later
# Conditions that a fit has to meet.

$ pscal fit --assert 'nc>=64' --assert 'alpha<0.065' --assert 'x(64) > 1600' --assert 'e(64) > 20%' --assert 'n>=6' -q "$DATA/usl/specsdm91.csv" | sed -n '/^Asserted/,$p'
pscal fit: $DATA/usl/specsdm91.csv: 'e(64) > 20%' does not hold: 0.315687, at least 0.188444 with 95 %
Asserted
claim         finding
nc>=64        holds: 96.5196, at least 77.8554 with 95 %
alpha<0.065   holds: 0.0277285, at most 0.0641035 with 95 %
x(64) > 1600  holds: 1818.26, at least 1666.46 with 95 %
e(64) > 20%   does not hold: 0.315687, at least 0.188444 with 95 %
n>=6          holds: 7 points

# The worse end of the interval decides, unless another value is asked for.
$ pscal fit --assert 'alpha < 0.05' --assert 'alpha.best < 0.05' --format csv "$DATA/usl/specsdm91.csv"
file,model,n,alpha,beta,gamma,alpha_se,beta_se,gamma_se,rss,df,bound,nc,xmax,alpha_low,alpha_high,beta_low,beta_high,gamma_low,gamma_high,nc_low,nc_high,xmax_low,xmax_high,level,interval_method,payback_n,pole_n,flags
$DATA/usl/specsdm91.csv,usl,7,0.027728475618634386,0.00010436548384409089,89.995233104332215,0.0091217318082154018,1.9875270907268463e-05,14.213489422585058,27453.719584037422,4,none,96.519560966609419,1883.8989960099627,0.0094847331152555624,0.064103491557767706,3.8621242324914707e-05,0.00016117570862977514,61.246339508234072,144.54555948942664,77.855355850798958,156.66180407258142,1747.7223562762279,2031.0282139295025,0.94999999999999996,profile-t,,,influential
pscal fit: $DATA/usl/specsdm91.csv: 'alpha < 0.05' does not hold: 0.0277285, at most 0.0641035 with 95 %
? 3

$ pscal fit --assert 'nc.low>=64' --assert 'nc.high<=150' --assert 'xmax>=1800' --format json -q "$DATA/usl/specsdm91.csv" | jq -c '.[0].assertions[] | map_values(if type == "number" then . * 1e3 | round else . end)'
pscal fit: $DATA/usl/specsdm91.csv: 'nc.high<=150' does not hold: 96.5196, at most 156.662 with 95 % (the first of 2)
{"assertion":"nc.low>=64","finding":"holds: 96.5196, at least 77.8554 with 95 %","holds":true,"value":77855,"best":96520}
{"assertion":"nc.high<=150","finding":"does not hold: 96.5196, at most 156.662 with 95 %","holds":false,"value":156662,"best":96520}
{"assertion":"xmax>=1800","finding":"does not hold: 1883.9, at least 1747.72 with 95 %","holds":false,"value":1747722,"best":1883899}

$ pscal fit --assert nc.best'>='90 -o report.txt "$DATA/usl/specsdm91.csv"; grep -c . report.txt
55

$ pscal fit --assert 'nc<=150' -q -o report.txt "$DATA/usl/specsdm91.csv"; echo $?; tail -1 report.txt
pscal fit: $DATA/usl/specsdm91.csv: 'nc<=150' does not hold: 96.5196, at most 156.662 with 95 %
3
nc<=150  does not hold: 96.5196, at most 156.662 with 95 %

# Of several files all have to meet it.
$ pscal fit --assert 'nc>=30' -q -o report.txt "$DATA/usl/specsdm91.csv" "$DATA/usl/raytracer6.csv" "$DATA/usl/seed_table4.csv"
pscal fit: $DATA/usl/raytracer6.csv: 'nc>=30' does not hold: 24.4883, at least 20.3932 with 95 %
? 3

# No peak is a peak beyond all N, as far as the points exclude one before.
$ pscal fit --assert 'nc>=24' --assert 'nc<=100' --assert 'xmax<1e5' "$DATA/usl/cisco10.csv" | sed -n '/^Asserted/,/^$/p'
pscal fit: $DATA/usl/cisco10.csv: 'nc<=100' does not hold: 46.9187, with 95 % perhaps no peak
Asserted
claim     finding
nc>=24    holds: 46.9187, at least 24.623 with 95 %
nc<=100   does not hold: 46.9187, with 95 % perhaps no peak
xmax<1e5  holds: 16052.1, at most 47266.4 with 95 %

$ pscal fit --assert 'nc.best>=64' --assert 'xmax<1000' --linear -q --format json "$DATA/usl/raytracer6.csv" | jq -c '.[0].assertions[] | .finding'
pscal fit: $DATA/usl/raytracer6.csv: 'nc.best>=64' does not hold, as nothing is known of it: the law that is fitted takes it for granted (the first of 2)
"does not hold, as nothing is known of it: the law that is fitted takes it for granted"
"does not hold: no limit"

# What is not known, or taken for granted, does not hold.
$ printf '1,10\n2,18\n4,28\n' | pscal fit --assert 'alpha<1' --format csv
file,model,n,alpha,beta,gamma,alpha_se,beta_se,gamma_se,rss,df,bound,nc,xmax,alpha_low,alpha_high,beta_low,beta_high,gamma_low,gamma_high,nc_low,nc_high,xmax_low,xmax_high,level,interval_method,payback_n,pole_n,flags
standard input,usl,3,0.079365079365079361,0.015873015873015872,10,,,,2.3039689276116835e-36,0,none,7.6157731058639087,32.758676450872798,,,,,,,,,,,0.94999999999999996,profile-t,,,few_points no_freedom
pscal fit: standard input: 'alpha<1' does not hold, as nothing is known of it: there are as many parameters as points, and no interval
? 3

$ pscal fit --amdahl --assert 'nc>=1' --format csv "$DATA/usl/specsdm91.csv"
file,model,n,alpha,beta,gamma,alpha_se,beta_se,gamma_se,rss,df,bound,nc,xmax,alpha_low,alpha_high,beta_low,beta_high,gamma_low,gamma_high,nc_low,nc_high,xmax_low,xmax_high,level,interval_method,payback_n,pole_n,flags
$DATA/usl/specsdm91.csv,amdahl,7,0.073648162611030452,0,146.21055173856107,0.025652276044518564,,43.427927296563738,131265.38903619422,5,none,,,0.034892270010411612,0.18165860690909216,0,0,78.832408813596714,323.99820903878935,,,1694.2296965309224,2350.9351510823376,0.94999999999999996,profile-t,,,influential
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
