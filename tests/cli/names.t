# SPDX-License-Identifier: GPL-3.0-or-later
# Names and arguments of any bytes. None of them controls the terminal, and each format stays valid.

$ pscal "$(printf 'a\033]0;b\a')"
pscal: there is no command 'a\x1b]0;b\x07'; 'pscal --help' lists them
? 2

$ pscal profile "$(printf 'no\nsuch \302\233 \342\200\256 file\377.data')"
pscal profile: no\x0asuch \xc2\x9b \xe2\x80\xae file\xff.data: cannot open: No such file or directory
? 1

$ pscal profile --fromat "$(printf '\033[2J')"
pscal profile: --fromat: there is no such option; did you mean '--format'?
? 2

$ pscal profile --format "$(printf '\033[2J')"
pscal profile: --format \x1b[2J: there are text, csv and json
? 2

$ for time in 1.0 2.0; do printf 'a\033"\302\233,\377\303\244 7 [001] %s: sched:sched_switch: prev_comm=a\033"\302\233,\377\303\244 prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n' $time; done >named.txt

$ pscal timeline named.txt
1 thread in 1.00 s, with 0 ns of CPU time and 2 context switches.

tid  pid  thread                 CPU  run queue  blocked  unknown  voluntary  involuntary  wakeups
  7    -  a\x1b"\xc2\x9b,\xffä  0 ns       0 ns     0 ns   1.00 s          2            0        0

         start         seconds      tid  thread           state     cpu    waker
   0.000000000     1.000000000        7  a\x1b"\xc2\x9b,\xffä  unknown     -        -

$ pscal profile -q named.txt | grep -A1 '^  ready'
  ready    time    share  thread                  CPU  run queue  blocked  unknown
unknown  1.00 s  100.0 %  a\x1b"\xc2\x9b,\xffä/7    -          -        -   1.00 s

$ pscal timeline --format csv named.txt
start_s,end_s,duration_s,tid,pid,comm,state,cpu,waker,name,start_function
0,1,1,7,,"a�""�,�ä",unknown,,,"a�""�,�ä",

$ pscal timeline --format json named.txt | jq -c '.timeline[].comm | explode'
[97,27,34,155,44,65533,228]

$ pscal timeline --format json named.txt | grep -o '"comm": "[^,]*,[^,]*,'
"comm": "a\u001B\"\u009B,�ä",

$ pscal export -q -o said.txt --sqlite named.db named.txt && sqlite3 named.db 'SELECT hex(comm) FROM thread WHERE tid = 7'
61EFBFBD22EFBFBD2CEFBFBDC3A4

# Completion offers the names of threads and columns, and runs none.
$ sed 's/pigz/$(id>ran)/g' "$DATA/examples/trace.txt" >evil.txt; printf '# of a sweep\nn,$(id>ran)\n1,2\n' >evil.csv; bash -c '. "$DATA/../../scripts/pscal.bash-completion"; COMP_WORDS=(pscal timeline evil.txt --comm ""); _pscal_complete_names "\$"; echo "${COMPREPLY[0]}"; COMP_WORDS=(pscal fit evil.csv --columns ""); _pscal_complete_columns "n,"; echo "${COMPREPLY[@]}"'; ls ran
\$\(id\>ran\)
n,n n,\$\(id\>ran\)
ls: cannot access 'ran': No such file or directory
? 2
