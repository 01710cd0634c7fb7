# SPDX-License-Identifier: GPL-3.0-or-later
# What has changed from one series to another.

$ pscal fit --compare "$DATA/usl/specsdm91.csv" "$DATA/usl/cisco.csv"
A                       $DATA/usl/specsdm91.csv
B                       $DATA/usl/cisco.csv
level of the intervals  0.95

Changes
                 A            B        B - A     B / A        from           to            p
alpha    0.0277285    0.0267159  -0.00101253         -  -0.0352087    0.0199145     0.921497
beta   0.000104365  0.000769094  0.000664728         -  0.00047994  0.000838003  1.58277e-07
gamma      89.9952      995.649            -   11.0634     6.93304      16.2741  0.000152701
nc         96.5196      35.5738            -  0.368566    0.250697     0.473293  0.000474075
xmax        1883.9      12342.9            -   6.55176     6.10414      7.05916  2.21107e-05

The same alpha and beta in both
alpha       0.0578267
beta        0.000117956
gamma of A  142.572
gamma of B  1160.6
p           1.30399e-07

Contention: no change that these data show (p = 0.92); coherency rose from
0.000104 to 0.000769 (p < 1e-06).

$ pscal fit --compare "$DATA/usl/raytracer.csv" "$DATA/usl/raytracer6.csv" --format json | jq -c '(.changes[] | [.quantity] + ([.a, .b, .difference, .ratio, .low, .high, .p] | map(if . then . * 1e5 | round / 1e5 else . end))), .verdict'
["alpha",0.05777,0.02444,-0.03333,null,-0.05765,-0.00609,0.02566]
["beta",0,0.00163,0.00163,null,0.00075,0.00237,0.01065]
["gamma",21.84884,20.85605,null,0.95456,0.81015,1.13052,0.53719]
["nc",null,24.48825,null,0,0,0.37612,0.01042]
["xmax",378.19885,203.48818,null,0.53805,0.48645,0.69515,0.00045]
"Contention fell from 0.0578 to 0.0244 (p = 0.026); coherency rose from 0 to 0.00163 (p = 0.011)."

$ pscal fit --compare --amdahl --format csv "$DATA/usl/raytracer.csv" "$DATA/usl/raytracer6.csv" | cut -d, -f1,4,5 | cut -c-20
quantity,difference,
alpha,0.016118650540
gamma,,1.13076901856
xmax,,0.884096790391

# A curve through all points: nothing to test with.
$ printf '1,20\n4,78\n12,170\n' >three.csv; pscal fit --compare three.csv "$DATA/usl/cisco.csv" | tail -n 2
Nothing tells whether anything has changed: one of the curves has as many
parameters as there are points; measure at more N.

$ pscal fit --compare "$DATA/usl/cisco.csv"
pscal fit: --compare: name two files, before and after, not 1
? 2

$ pscal fit --compare --at 3 "$DATA/usl/cisco.csv" "$DATA/usl/cisco10.csv"
pscal fit: --compare: does not go with --at
? 2

$ pscal fit --compare --details "$DATA/usl/cisco.csv" "$DATA/usl/cisco10.csv"
pscal fit: --compare: does not go with --details
? 2

# One wild point, which the robust fit does without: intervals are as wide as those of the fits.
$ sed 's/^12,.*/12,90/' "$DATA/usl/raytracer6.csv" >wild.csv
$ pscal fit --compare --robust wild.csv "$DATA/usl/raytracer6.csv" --format csv | cut -d, -f1,8 | cut -c-12
quantity,p
alpha,0.7085
beta,0.66946
gamma,0.8135
nc,0.6696639
xmax,0.74245

$ pscal fit --compare no-such-file "$DATA/usl/cisco.csv"
pscal fit: no-such-file: cannot open: No such file or directory
? 1
