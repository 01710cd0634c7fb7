# SPDX-License-Identifier: GPL-3.0-or-later
# The N at which a goal is reached, and the curve with other parameters.

$ pscal fit --find throughput=1500,1800,2000,3000 --find latency=50ms,1ms --find efficiency=50%,0.9 "$DATA/usl/specsdm91.csv" | sed -n '/^Reached/,$p'
Reached at
asked for               N  from    to  branch   flags
throughput     1500  33.7  26.5  42.8  rising
throughput     1500   276   201   663  falling
throughput     1800  60.6  43.5     -  rising   open
throughput     1800   154     0   279  falling  open
throughput     2000     -  69.1     -  rising   not-reached open
throughput     3000     -     -     -  rising   not-reached
latency     50.0 ms  94.2  86.6   101  -
latency     1.00 ms     -     -     -  -        not-reached
efficiency   50.0 %  33.1  16.3  60.2  -
efficiency   90.0 %  4.93  2.73  11.2  -

A throughput of 2000 is not reached: the maximum is 1884 at N = 96.5.

A throughput of 3000 is not reached: the maximum is 1884 at N = 96.5.

No N has a latency within 1.00 ms; N = 1 has 11.1 ms.

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

$ pscal fit --what-if alpha=x0.5,beta=0 --what-if beta=-5e-5,gamma=100 --at 64,500 -q "$DATA/usl/specsdm91.csv" | sed -n '/^What/,$p'
What if
with                    N  throughput   gain  N_c  at most  flags
alpha=x0.5,beta=0     216        4883  2.97x    -     6491
alpha=x0.5,beta=0      64        3074  1.69x    -     6491
alpha=x0.5,beta=0     500        5683  5.16x    -     6491  extrapolation
beta=-5e-5,gamma=100  216        2277  1.38x  134     2369
beta=-5e-5,gamma=100   64        2158  1.19x  134     2369
beta=-5e-5,gamma=100  500        1761  1.60x  134     2369  extrapolation

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

$ pscal fit --format json --find throughput=1500,2000 --find latency=0.05 "$DATA/usl/specsdm91.csv" | jq -c '.[0].answers[] | map_values(if type == "number" then . * 1e6 | round else . end)'
{"question":"throughput","target":1500000000,"n":33693605,"n_low":26499612,"n_high":42821525,"branch":"rising","flags":[]}
{"question":"throughput","target":1500000000,"n":276492394,"n_low":200526602,"n_high":662656680,"branch":"falling","flags":[]}
{"question":"throughput","target":2000000000,"n":null,"n_low":69081646,"n_high":null,"branch":"rising","flags":["not-reached","open"]}
{"question":"latency","target":50000,"n":94183023,"n_low":86636308,"n_high":101138682,"branch":null,"flags":[]}

$ pscal fit --format json --what-if gamma=x2 --what-if beta=0 "$DATA/usl/raytracer6.csv" | jq -c '.[0].what_if[] | [.change, .n, .gain * 1e6, .xmax] | map(if type == "number" then round else . end)'
["gamma=x2",20,2000000,407]
["beta=0",20,1422133,853]

$ pscal fit --format json "$DATA/usl/raytracer6.csv" | jq -c '.[0] | .answers, .what_if, .assertions'
[]
[]
null

# Amdahl's law has one branch, and a limit that is not reached.
$ pscal fit --model amdahl --find throughput=200,400 --find efficiency=10% "$DATA/usl/raytracer.csv" | sed -n '/^Reached/,$p'
Reached at
asked for              N  from    to  branch  flags
throughput     200  18.3  16.8  19.8  rising
throughput     400     -   589     -  rising  not-reached open
efficiency  10.0 %   157   127   194  -       extrapolation

A throughput of 400 is not reached: it approaches 378.2 as N grows.

                            best  95 % from      to  at N = 64
contention, alpha         0.0578     0.0467  0.0714  78 % lost (75 to 82)
throughput of one, gamma    21.8       19.2    25.1  22 % useful (18 to 25)

 N  measured  curve  efficiency
 1        20   21.8     100.0 %
 4        78   74.5      97.5 %
 8       130    124      81.2 %
16       190    187      59.4 %
20       200    208      50.0 %
28       230    239      41.1 %
64       310    301      24.2 %
... 4 more; --all

Checks: 4 passed, 0 failed, 2 n/a; -v.

next: pscal record -- COMMAND; pscal forecast --why  # at N = 64

# A curve through all points has no intervals.
$ printf '1,10\n2,18\n4,28\n' | pscal fit -q --find throughput=20 --find latency=100ms --format json | jq -c '.[0].answers[] | [.n_low, .n_high, .branch, .flags]'
[null,null,"rising",[]]
[null,null,"falling",["extrapolation"]]
[null,null,null,[]]

$ pscal fit --find throughput=1500,x "$DATA/usl/specsdm91.csv"
pscal fit: --find throughput: 'x' is not a throughput above 0
? 2

$ pscal fit --find throughput=0 "$DATA/usl/specsdm91.csv"
pscal fit: --find throughput: '0' is not a throughput above 0
? 2

# A latency given with a unit has one in the answer. Of run times it is N times as long as a run.

$ printf 'threads,time\n1,40\n2,21\n4,12\n8,8\n' | pscal fit --find latency=50s,5s | sed -n '/^Reached/,/^  *best/p'
Reached at
asked for             N  from    to  branch  flags
latency    50.0 s  4.60  4.12  5.07  -
latency    5.00 s     -     -     -  -       not-reached

Of run times, latency is N times 'time'. For a run within 50.0 s ask --find
throughput=0.02.

No N has a latency within 5.00 s; N = 1 has 39.8 s.

Of run times, latency is N times 'time'. For a run within 5.00 s ask --find
throughput=0.2.

                             best  95 % from       to  at N = 8
$ pscal fit --find latency=soon "$DATA/usl/specsdm91.csv"
pscal fit: --find latency: 'soon' is not a time; try 250ms, 10s or 2m
? 2

$ pscal fit --find latency=0ms "$DATA/usl/specsdm91.csv"
pscal fit: --find latency: '0ms' is not a time above 0
? 2

$ pscal fit --find efficiency=50 "$DATA/usl/specsdm91.csv"
pscal fit: --find efficiency: '50' is not a share above 0 and up to 1, as 0.5 or 50%
? 2

$ pscal fit --what-if kappa=0 "$DATA/usl/specsdm91.csv"
pscal fit: --what-if: 'kappa' is not a parameter; there are alpha, beta and gamma
? 2

$ pscal fit --what-if alpha=half "$DATA/usl/specsdm91.csv"
pscal fit: --what-if: alpha=half: give a number, a factor like x0.5, or a difference like +0.01
? 2

$ pscal fit --what-if alpha=-0.1 "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: --what-if alpha=-0.1: alpha would be -0.0722715, and cannot be below 0; it is 0.0277285
? 1

$ pscal fit --what-if gamma=0 "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: --what-if gamma=0: gamma would be 0, and must be above 0
? 1
