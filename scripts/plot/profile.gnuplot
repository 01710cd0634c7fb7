# SPDX-License-Identifier: GPL-3.0-or-later

# --- A profile: wall time by ready threads above, threads over time below --------------------------------

# Colours for all kinds of colour vision (Okabe and Ito).
black = '#000000'; grey = '#7f7f7f'; light = '#bfbfbf'; blue = '#0072b2'; orange = '#e69f00'
red = '#d55e00'

large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

# Seconds, or a smaller unit if times are short.
scale = end_s < 2e-3 ? 1e6 : end_s < 2 ? 1e3 : 1
unit = end_s < 2e-3 ? ' μs' : end_s < 2 ? ' ms' : ' s'

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid ytics linecolor rgb '#dddddd' linetype 1
set style fill solid noborder

set label 1 'Threads ready in '.file at screen 0.54, 0.97 center font large
set label 2 summary at screen 0.54, 0.93 center font small

# --- Wall time by number of ready threads

set tmargin at screen 0.88
set bmargin at screen 0.56
set label 4 'wall time' at screen 0.025, 0.71 center rotate
set label 5 'threads ready at the same time' at screen 0.54, 0.5 center
set yrange [0:*]
set offsets 0, 0, graph 0.12, 0
set xrange [-0.7:0.7 + (has_unknown ? beside : most_active)]
set format y '%g'.unit
unset key
set boxwidth 0.8
few = most_active <= 20
if (few) { set xtics 0, 1, most_active scale 0, 0 }
if (has_unknown) { set xtics add ('unknown' beside) }

plot \
	$levels using 1:($2 * scale):($4 > 0 ? 0xbfbfbf : 0x0072b2) with boxes linecolor rgb variable, \
	$levels using 1:($2 * scale):(few || $4 > 0 ? sprintf('%.1f %%', $3) : '') with labels offset 0, 0.7 \
		font small

# --- Over time

unset label
set tmargin at screen 0.4
set bmargin at screen 0.095
set label 4 'threads' at screen 0.025, 0.25 center rotate
set xrange [0:end_s * scale]
set yrange [0:top_active]
set offsets 0, 0, 0, 0
unset xtics
set xtics nomirror autofreq textcolor rgb black
set grid xtics
set format x '%g'.unit
set format y '%g'
if (top_active <= 12) { set ytics 1 }
set xlabel 'time since the beginning'
set key at screen 0.54, 0.455 center top horizontal reverse Left samplen 2 font small
mean(x) = mean_active
all(x) = cores

plot \
	$activity using ($1 * scale):4 with fillsteps linecolor rgb light \
		title has_unknown ? 'unknown' : '', \
	$activity using ($1 * scale):3 with fillsteps linecolor rgb orange \
		title has_running ? 'runnable' : 'ready', \
	$activity using ($1 * scale):2 with fillsteps linecolor rgb blue title has_running ? 'running' : '', \
	mean(x) with lines linecolor rgb red linewidth 1.5 dashtype (8, 5) \
		title mean_active == mean_active ? (has_unknown ? 'mean ready where known' : 'mean ready') : '', \
	all(x) with lines linecolor rgb black linewidth 1.5 dashtype (4, 5) \
		title has_cores ? 'cores' : ''

unset multiplot
