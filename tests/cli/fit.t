# SPDX-License-Identifier: GPL-3.0-or-later
# Fits of several laws to measured throughput.

$ pscal fit --at 100,500 "$DATA/usl/specsdm91.csv"
Throughput peaks at N = 97 (95 %: 78 to 157), with 1884 (1748 to 2031).
! N = 18 dominates the fit (Cook's distance 2.48): measure it again.
! Predictions beyond N = 432, twice the largest N measured, are extrapolations.

Predicted
  N  throughput  from    to  measured from    to  flags
100        1883  1746  2024           1616  2153
500        1101   803  1618            725  1667  extrapolation

                              best  95 % from        to  at N = 216
contention, alpha           0.0277    0.00948    0.0641  50 % lost (22 to 81)
coherency, beta           0.000104  0.0000386  0.000161  41 % lost (12 to 67)
throughput of one, gamma      90.0       61.2       145  8.5 % useful (5.5 to 12)

  N  measured  curve  efficiency
  1      64.9   90.0     100.0 %
 18       996   1078      85.3 %  influential
 36      1652   1541      70.7 %
 72      1853   1850      39.7 %
108      1829   1879      26.1 %
144      1775   1822      19.0 %
216      1702   1646      12.1 %  influential

Checks: 4 passed, 1 failed (influence), 1 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 216

$ pscal fit --format csv "$DATA/usl/raytracer.csv" "$DATA/usl/seed_table4.csv" | cut -d, -f-14
file,model,n,alpha,beta,gamma,alpha_se,beta_se,gamma_se,rss,df,bound,nc,xmax
$DATA/usl/raytracer.csv,usl,11,0.0577707807395694,0,21.84884286568225,0.0052579788414900295,,1.2577786789686736,697.237799748922,9,beta,,
$DATA/usl/seed_table4.csv,usl,11,0,8.347552949992175e-06,1.2331590791343636,,7.218366950406529e-07,0.0387583452264169,274.6759185378857,9,alpha,346.114990028183,213.71615696039453

$ pscal fit --model amdahl "$DATA/usl/raytracer6.csv" --format json | jq -c '.[0] | keys_unsorted, [.model, .bound, .nc, .xmax, .beta_se]'
["verdict","file","model","n","alpha","beta","gamma","alpha_se","beta_se","gamma_se","rss","df","bound","nc","xmax","payback_n","pole_n","flags","columns","steady","predictions","answers","what_if","intervals","level","interval_method","meaning","kkt","models","points","diagnosis","warnings"]
["amdahl","none",null,null,null]

$ pscal fit --format json "$DATA/usl/seed_table4.csv" | jq -c '[.[0].points[] | select(.flags | index("superlinear")) | .n]'
[5,10,25,50,100,150]

$ pscal fit --model linear --format json --at 64 <"$DATA/usl/raytracer6.csv" | jq -c '.[0].predictions'
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
pscal fit: --level 95: the level is a share above 0 and below 1, as 0.9 or 90%
? 2

$ pscal fit --format json "$DATA/usl/specsdm91.csv" "$DATA/usl/cisco10.csv" | jq -c '.[] | .verdict, [.models[] | .model, (.p | if . then . * 1e6 | round else . end)]'
"Throughput peaks at N = 97 (95 %: 78 to 157), with 1884 (1748 to 2031)."
["linear",null,"amdahl",30,"usl",8852]
"These points do not tell whether throughput peaks above N = 25 or levels off far above the largest throughput measured. Measure N > 25."
["linear",null,"amdahl",0,"usl",211807]
