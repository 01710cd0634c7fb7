# SPDX-License-Identifier: GPL-3.0-or-later
# CPU time and blocked time by function. The recorded program is not here, and functions in the
# libraries of its machine have names only with these libraries: the test leaves them out, with the
# share of samples without names and the widths of columns.

$ cp "$DATA"/examples/parallel1.data.gz "$DATA"/examples/pscal.data .; pscal profile --by function parallel1.data.gz | head -n 7 | sed 's/^! [0-9]* %/! N %/; s/   */  /g'
stretched (no symbols) takes 99.1 % of 817 ms CPU time.
! N % of the samples are in files that have no symbols or have changed since:
  build with -g, or install the -dbgsym package.
! Functions where threads block are unknown: record with --off-cpu.

function  file  CPU  share  mostly called from
stretched (no symbols)  stretched  810 ms  99.1 %  stretched+0x1614 < stretched+0x1a04 < stretched+0x12fb

$ pscal profile --by function --json parallel1.data.gz | jq -c '.functions[0], .samples, .blocked_s'
{"function":"stretched (no symbols)","file":"stretched","cpu_s":0.8104079649177914,"cpu_share":0.9914110429447853,"samples":808,"kernel_samples":27,"callers":"stretched+0x1614 < stretched+0x1a04 < stretched+0x12fb"}
815
0.119624382

$ pscal profile --by function --format csv parallel1.data.gz | head -n 2
function,file,cpu_s,cpu_share,samples,kernel_samples,callers
stretched (no symbols),stretched,0.8104079649177914,0.9914110429447853,808,27,stretched+0x1614 < stretched+0x1a04 < stretched+0x12fb

$ pscal profile --by function pscal.data
The recording has neither samples nor stacks: functions are unknown.
! CPU time by function is unknown: record with -F 499 -g.
! Functions where threads block are unknown: record with --off-cpu.

next: pscal forecast --why

$ pscal profile --by function --chart pscal.data
pscal profile: --by function: is a table of a whole recording; leave out --follow, --plot and --chart
? 2
