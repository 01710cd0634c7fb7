# SPDX-License-Identifier: GPL-3.0-or-later
# Three threads and a mutex with only its futex calls recorded: it is a lock with waits of the C
# library (FUTEX_WAIT) and of Rust (FUTEX_WAIT_BITSET), and unknown with other values.

$ for wait in 128:2 137:2 128:1 137:1; do awk -v op=${wait%:*} -v value=${wait#*:} -f "$DATA/replay/mutex.awk" </dev/null >trace.txt; pscal forecast --recorded-cores 3 -n 2,3 --why --format json trace.txt | jq -c "[\"$wait\", .forecast[].wall_s, (.why.sites[] | select(.cores == 3 and .kind != \"work\") | [.name, .kind, .visits])]"; done
["128:2",0.181003,0.18094245585694604,["lock 0x1000","lock",90]]
["137:2",0.181003,0.18094245585694604,["lock 0x1000","lock",90]]
["128:1",0.181003,0.18094055851289592,["futex 0x1000","futex",89]]
["137:1",0.181003,0.18094055851289592,["futex 0x1000","futex",89]]
