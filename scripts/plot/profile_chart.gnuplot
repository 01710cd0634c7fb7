# SPDX-License-Identifier: GPL-3.0-or-later

# --- A profile drawn with characters: threads ready over time ---------------------------------

scale = end_s < 2e-3 ? 1e6 : end_s < 2 ? 1e3 : 1
unit = end_s < 2e-3 ? ' μs' : end_s < 2 ? ' ms' : ' s'

set title 'Threads ready over time'
set xrange [0:end_s * scale]
set yrange [0:top_active]
set format x '%g'.unit
if (top_active <= 8) { set ytics 1 }
set tics nomirror
set border 3 back
set key tmargin center horizontal reverse Left samplen 1

plot \
	$activity using ($1 * scale):4 with impulses linetype 4 \
		title has_unknown ? 'unknown' : '', \
	$activity using ($1 * scale):3 with impulses linetype 7 title has_running ? 'runnable' : 'ready', \
	$activity using ($1 * scale):2 with impulses linetype 2 title has_running ? 'running' : ''
