# SPDX-License-Identifier: GPL-3.0-or-later

# --- A comparison: core time above, CPU time of functions below -----------------------

# Colours for all kinds of colour vision (Okabe and Ito).
black = '#000000'; grey = '#7f7f7f'; light = '#d9d9d9'; blue = '#0072b2'; sky = '#56b4e9'
red = '#d55e00'; orange = '#e69f00'; purple = '#cc79a7'

# The colours of the parts of core time, as columns.
array colour[6] = [blue, red, purple, orange, grey, light]
array part[6] = ['useful work', 'work inflation', 'overhead', 'run queue', 'waiting tasks', 'idle']

large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

set multiplot
set lmargin at screen 0.3
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid xtics linecolor rgb '#dddddd' linetype 1
set style fill solid noborder

set label 1 'Work inflation of '.program at screen 0.54, 0.97 center font large
set label 2 summary at screen 0.54, 0.935 center font small

# --- Parts of the core time

# A part without a bar is not in the key.
array total[6]
do for [k = 1:6] { stats $cores using (column(k + 1)) nooutput; total[k] = STATS_sum }
has(k) = k == 1 || total[k] > 0

# Seconds, or milliseconds if the times are short.
stats $cores using (column(2)) nooutput
scale = STATS_max < 2 ? 1e3 : 1
set format x STATS_max < 2 ? '%g ms' : '%g s'

set tmargin at screen 0.85
set bmargin at screen 0.62
set xrange [0:*]
set yrange [bar_count + 0.6:0.4]
set ytics () scale 0, 0 textcolor rgb black
do for [i = 1:bar_count] { set ytics add (value('bar_'.i) i) }
set xlabel 'core time' offset 0, 0.3
set key at screen 0.54, 0.905 center top horizontal reverse Left samplen 1 font small maxrows 1

below(k) = k < 2 ? 0 : below(k - 1) + column(k)

plot for [k = 1:6] $cores \
	using (scale * below(k)):1:(scale * below(k)):(scale * below(k + 1)):($1 - 0.35):($1 + 0.35) with boxxyerror \
	linecolor rgb colour[k] title (has(k) ? part[k] : '')

# --- Functions

unset label
set ytics () scale 0, 0 textcolor rgb black
do for [i = 1:row_count] { set ytics add (value('row_'.i) i) }
set tmargin at screen 0.47
set bmargin at screen 0.09
set yrange [row_count + 0.6:0.4]
set xlabel 'CPU time'
set offsets 0, graph 0.35, 0, 0
set key at screen 0.54, 0.525 center top horizontal reverse Left samplen 1 font small maxrows 1

longest(a, b) = a > b ? a : b

plot \
	$rows using (0):1:(0):(scale * $2):($1 - 0.36):($1 - 0.02) with boxxyerror linecolor rgb sky \
		title 'serial', \
	$rows using (0):1:(0):(scale * $3):($1 + 0.02):($1 + 0.36) with boxxyerror linecolor rgb blue \
		title value('bar_'.bar_count), \
	$rows using (scale * longest($2, $3)):1:(value(sprintf('change_%d', $1))) with labels left \
		offset 1, 0 font small notitle

unset multiplot
