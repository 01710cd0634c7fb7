# SPDX-License-Identifier: GPL-3.0-or-later
# At which N something is reached, and how the curve would be with other parameters.

$ pscal fit --for-throughput 1500,1800,2000,3000 --slo 50ms,1ms --target-efficiency 50%,0.9 "$DATA/usl/specsdm91.csv" | sed -n '/^Reached/,$p'
Reached at
asked for                N     from       to  branch   flags
throughput   1500  33.6936  26.4996  42.8215  rising   
throughput   1500  276.492  200.527  662.657  falling  
throughput   1800  60.5713  43.5496        -  rising   open
throughput   1800  153.803        0  278.958  falling  open
throughput   2000        -  69.0816        -  rising   not-reached open
throughput   3000        -        -        -  rising   not-reached
latency      0.05   94.183  86.6363  101.139  -        
latency     0.001        -        -        -  -        not-reached
efficiency    0.5  33.0718  16.3486  60.2354  -        
efficiency    0.9  4.93405  2.72863  11.1976  -        

A throughput of 2000 is not reached: the most is 1884 near N = 96.5.

A throughput of 3000 is not reached: the most is 1884 near N = 96.5.

No N has a latency within 0.001; that of one is 0.01111.

Note: Much hangs on the point at N = 18 (Cook's distance 2.48): without it alpha
would be 0.04981, beta 0.0001111 and N_c 92.47. Measure there again.

$ pscal fit --what-if alpha=x0.5,beta=0 --what-if beta=-5e-5,gamma=100 --at 64,500 -q "$DATA/usl/specsdm91.csv" | sed -n '/^What/,$p'
What if
with                    N  throughput   gain      N_c  at most  flags
alpha=x0.5,beta=0     216     4883.17  2.97x        -  6491.18  
alpha=x0.5,beta=0      64     3074.38  1.69x        -  6491.18  
alpha=x0.5,beta=0     500     5682.77  5.16x        -  6491.18  extrapolation
beta=-5e-5,gamma=100  216     2276.95  1.38x  133.731  2368.84  
beta=-5e-5,gamma=100   64     2157.72  1.19x  133.731  2368.84  
beta=-5e-5,gamma=100  500     1760.52  1.60x  133.731  2368.84  extrapolation

$ pscal fit --format json --for-throughput 1500,2000 --slo 0.05 "$DATA/usl/specsdm91.csv" | jq -c '.[0].answers[] | map_values(if type == "number" then . * 1e6 | round else . end)'
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
$ pscal fit --amdahl --for-throughput 200,400 --target-efficiency 10% "$DATA/usl/raytracer.csv" | sed -n '/^Reached/,$p'
Reached at
asked for              N     from       to  branch  flags
throughput  200  18.3052  16.8423  19.8122  rising  
throughput  400        -  589.367        -  rising  not-reached open
efficiency  0.1  156.788  127.074   193.65  -       extrapolation

A throughput of 400 is not reached: it approaches 378.2 as N grows.

# What is known of a curve through all points is the curve.
$ printf '1,10\n2,18\n4,28\n' | pscal fit -q --for-throughput 20 --slo 100ms --format json | jq -c '.[0].answers[] | [.n_low, .n_high, .branch, .flags]'
[null,null,"rising",[]]
[null,null,"falling",["extrapolation"]]
[null,null,null,[]]

$ pscal fit --for-throughput 1500,x "$DATA/usl/specsdm91.csv"
pscal fit: --for-throughput: 'x' is no throughput above 0
? 2

$ pscal fit --for-throughput 0 "$DATA/usl/specsdm91.csv"
pscal fit: --for-throughput: '0' is no throughput above 0
? 2

$ pscal fit --slo soon "$DATA/usl/specsdm91.csv"
pscal fit: --slo: 'soon' is not a time: try 2, 0.5 or 250ms
? 2

$ pscal fit --slo 0ms "$DATA/usl/specsdm91.csv"
pscal fit: --slo: '0ms' is no time above 0
? 2

$ pscal fit --target-efficiency 50 "$DATA/usl/specsdm91.csv"
pscal fit: --target-efficiency: '50' is no share above 0 and up to 1, as 0.5 or 50%
? 2

$ pscal fit --what-if kappa=0 "$DATA/usl/specsdm91.csv"
pscal fit: --what-if: 'kappa' is no parameter; there are alpha, beta and gamma
? 2

$ pscal fit --what-if alpha=half "$DATA/usl/specsdm91.csv"
pscal fit: --what-if: alpha=half: give a number, a factor like x0.5, or a difference like +0.01
? 2

$ pscal fit --what-if alpha=-0.1 "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: --what-if alpha=-0.1: alpha would be -0.0722715, and cannot be below 0; it is 0.0277285
? 1

$ pscal fit --what-if gamma=0 "$DATA/usl/specsdm91.csv"
pscal fit: $DATA/usl/specsdm91.csv: --what-if gamma=0: gamma would be 0, which is no throughput
? 1
