# SPDX-License-Identifier: GPL-3.0-or-later
# Changes from one series to another.

$ pscal fit --compare "$DATA/usl/specsdm91.csv" "$DATA/usl/cisco.csv"
Contention (alpha): no significant change (p = 0.92); coherency (beta) rose from
0.000104 to 0.000769 (p < 1e-06).

A  $DATA/usl/specsdm91.csv
B  $DATA/usl/cisco.csv

              A         B     B - A  B / A      from        to            p
alpha    0.0277    0.0267  -0.00101      -   -0.0352    0.0199        0.921
beta   0.000104  0.000769  0.000665      -  0.000480  0.000838  0.000000158
gamma      90.0       996         -   11.1      6.93      16.3     0.000153
nc         96.5      35.6         -  0.369     0.251     0.473     0.000474
xmax       1884     12343         -   6.55      6.10      7.06    0.0000221

$ pscal fit --compare "$DATA/usl/raytracer.csv" "$DATA/usl/raytracer6.csv" --format json | jq -c '(.changes[] | [.quantity] + ([.a, .b, .difference, .ratio, .low, .high, .p] | map(if . then . * 1e5 | round / 1e5 else . end))), .verdict'
["alpha",0.05777,0.02444,-0.03333,null,-0.05765,-0.00609,0.02566]
["beta",0,0.00163,0.00163,null,0.00075,0.00237,0.01065]
["gamma",21.84884,20.85605,null,0.95456,0.81015,1.13052,0.53719]
["nc",null,24.48825,null,0,0,0.37612,0.01042]
["xmax",378.19885,203.48818,null,0.53805,0.48645,0.69515,0.00045]
"Contention (alpha) fell from 0.0578 to 0.0244 (p = 0.026); coherency (beta) rose from 0 to 0.00163 (p = 0.011)."

$ pscal fit --compare --model amdahl --format csv "$DATA/usl/raytracer.csv" "$DATA/usl/raytracer6.csv" | cut -d, -f1,4,5 | cut -c-20
quantity,difference,
alpha,0.016118650540
gamma,,1.13076901856
xmax,,0.884096790391

# A curve through all points: no test is possible.
$ printf '1,20\n4,78\n12,170\n' >three.csv; pscal fit --compare three.csv "$DATA/usl/cisco.csv" | tail -n 2
nc        17.5      35.6         -   2.03     -   -  -
xmax       183     12343         -   67.5     -   -  -

$ pscal fit --compare "$DATA/usl/cisco.csv"
pscal fit: --compare: name two files, before and after, not 1
? 2

$ pscal fit --compare --at 3 "$DATA/usl/cisco.csv" "$DATA/usl/cisco10.csv"
pscal fit: --compare: does not go with --at
? 2

$ pscal fit --compare -v "$DATA/usl/cisco.csv" "$DATA/usl/cisco10.csv"
Contention (alpha): no significant change (p = 0.17); coherency (beta): no
significant change (p = 0.56). Together alpha and beta changed (p = 0.00095);
the points do not show which one.

A                       $DATA/usl/cisco.csv
B                       $DATA/usl/cisco10.csv
level of the intervals  0.950

              A         B      B - A  B / A       from        to       p
alpha    0.0267    0.0170   -0.00971      -    -0.0274   0.00287   0.174
beta   0.000769  0.000447  -0.000323      -  -0.000808  0.000883   0.557
gamma       996       938          -  0.942      0.881      1.00  0.0700
nc         35.6      46.9          -   1.32      0.676         -   0.544
xmax      12343     16052          -   1.30      0.908      3.83   0.205

The same alpha and beta in both
alpha       0.0122
beta        0.00101
gamma of A  902
gamma of B  937
p           0.000954

# One outlier, which the robust fit ignores: its intervals are as wide as those of the fits.
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
