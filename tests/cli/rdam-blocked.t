# SPDX-License-Identifier: GPL-3.0-or-later
# The waker of a block is named for its lost time, not for sleep in every call: nap.awk has 25 ms of
# such sleep, which timers end, and 5 ms of lost time, which thread 100 ends.

$ awk -f "$DATA/rdam/nap.awk" >nap.txt; pscal rdam --comm prog --min-score 0 nap.txt
nap costs most: thread 101 (prog) lost 5.00 ms in it (16.5 % of 30.3 ms),
blocked until thread 100 (prog) woke it.

function  thread  calls   score     lost  main cause
nap          101     50  16.5 %  5.00 ms  blocked 100 %

next: pscal timeline --blocks --tid 101 --from 0.000512 --to 0.001214 --comm prog nap.txt
