# SPDX-License-Identifier: GPL-3.0-or-later
# The meaning of the parameters at the largest N, by the dominant one.
$ for set in specsdm91 raytracer6 raytracer seed_table4; do pscal fit "$DATA/usl/$set.csv" | grep -e lost -e useful -e ^next; done
contention, alpha           0.0277    0.00948    0.0641  50 % lost (22 to 81)
coherency, beta           0.000104  0.0000386  0.000161  41 % lost (12 to 67)
throughput of one, gamma      90.0       61.2       145  8.5 % useful (5.5 to 12)
next: pscal record -- COMMAND; pscal forecast --why  # at N = 216
contention, alpha          0.0244          0   0.0534  22 % lost (0 to 44)
coherency, beta           0.00163   0.000727  0.00240  30 % lost (12 to 48)
throughput of one, gamma     20.9       18.5     23.5  48 % useful (43 to 54)
next: perf c2c record -- COMMAND; perf c2c report  # at N = 20: shared cache lines
contention, alpha         0.0578     0.0413    0.0726  78 % lost (64 to 82)
coherency, beta                0          0  0.000133  0 % lost (0 to 12)
throughput of one, gamma    21.8       18.7      25.3  22 % useful (18 to 26)
next: pscal record -- COMMAND; pscal forecast --why  # at N = 64
contention, alpha                  0           0    0.00113  0 % lost (0 to 18)
coherency, beta           0.00000835  0.00000616  0.0000102  50 % lost (36 to 55)
throughput of one, gamma        1.23        1.14       1.38  50 % useful (44 to 55)
next: perf c2c record -- COMMAND; perf c2c report  # at N = 350: shared cache lines

$ pscal fit --format json "$DATA/usl/specsdm91.csv" | jq -c '.[0].meaning | map_values(. * 1e6 | round)'
{"n":216000000,"useful_share":84686,"useful_share_low":54596,"useful_share_high":121219,"contention_share":504865,"contention_share_low":224170,"contention_share_high":811656,"coherency_share":410449,"coherency_share_low":123024,"coherency_share_high":669856}

$ printf '1,10\n2,20\n4,40\n8,80\n' | pscal fit | grep -e lost -e useful -e ^next
contention, alpha            0          0  4.98e-13  0 % lost (0 to 0)
coherency, beta              0          0  4.96e-14  0 % lost (0 to 0)
throughput of one, gamma    10      10.00      10.0  100 % useful (100 to 100)
next: pscal fit --suggest: which N to measure

$ printf '1,10\n2,19.9\n4,39.1\n8,76.5\n' | pscal fit | grep -e lost -e useful -e ^next
contention, alpha         0.00617          0   0.0143  4.1 % lost (0 to 9.1)
coherency, beta                 0          0  0.00137  0 % lost (0 to 7.1)
throughput of one, gamma     9.97       9.54     10.4  96 % useful (91 to 100)
next: pscal fit --suggest: which N to measure

# If a law assumes that no performance is lost, the text does not mention a loss.
$ pscal fit --model amdahl "$DATA/usl/specsdm91.csv" | grep -e lost -e useful -e ^next
contention, alpha         0.0736     0.0349  0.182  94 % lost (88 to 98)
throughput of one, gamma     146       78.8    324  5.9 % useful (2.5 to 12)
next: pscal record -- COMMAND; pscal forecast --why  # at N = 216

$ pscal fit --model linear "$DATA/usl/specsdm91.csv" | grep -e lost -e useful -e ^next
throughput of one, gamma  12.0       5.07  19.0  100 % useful (100 to 100)
next: pscal fit --suggest: which N to measure
