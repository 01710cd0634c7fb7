# SPDX-License-Identifier: GPL-3.0-or-later

# --- Durations of a function: their numbers, the lost time by cause, and the threads ---------

# Colours for all kinds of colour vision (Okabe and Ito).
black = '#000000'; grey = '#7f7f7f'; light = '#bfbfbf'; blue = '#0072b2'; sky = '#56b4e9'
red = '#d55e00'; orange = '#e69f00'; green = '#009e73'; purple = '#cc79a7'; yellow = '#f0e442'

# The colours of causes, as columns: run queue, blocked, page faults, disk, stopped, unknown, on
# CPU.
array colour[7] = [orange, blue, yellow, green, purple, light, red]
array cause[7] = ['run queue', 'blocked', 'page faults', 'disk', 'stopped', 'unknown', \
	'on a CPU']

large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid ytics linecolor rgb '#dddddd' linetype 1
set style fill solid noborder

set label 1 block.' of '.file at screen 0.54, 0.975 center font large
set label 2 summary at screen 0.54, 0.94 center font small

# --- Numbers

# A function that always takes the same time has a bar, too.
set logscale x
set xrange [(most_s > least_s ? least_s : least_s / 2):(most_s > least_s ? most_s : most_s * 2)]
set format x '%.0s %cs'
set tmargin at screen 0.9
set bmargin at screen 0.7
set label 4 'calls' at screen 0.025, 0.8 center rotate
set logscale y
set yrange [0.5:*]
set format y '%g'
set format x ''
unset key

plot $classes using ($3 > 0 ? sqrt($1 * $2) : NaN):3:1:2:(0.5):3 with boxxyerror \
	linecolor rgb sky

# --- Lost time by cause

unset label
unset logscale y
set yrange [0:*]
set tmargin at screen 0.66
set bmargin at screen 0.46
set label 4 'lost' at screen 0.025, 0.56 center rotate
set format y '%.1s %cs'
set format x '%.0s %cs'
if (most_s < 30 * least_s) {
	do for [power = -9:3] { do for [digit in '1 2 5'] {
		set xtics add (gprintf('%.0s %cs', digit * 10.0**power) digit * 10.0**power)
	} }
}
set xlabel 'duration of a call' offset 0, 0.3
set key at screen 0.54, 0.385 center top horizontal reverse Left samplen 1 font small maxrows 1

# The sum of causes 1 to k - 1, and that of causes 1 to k.
below(k) = k < 2 ? 0 : below(k - 1) + column(k + 2)
with_it(k) = below(k + 1)

plot for [k = 1:7] $classes \
	using (sqrt($1 * $2)):(with_it(k)):1:2:(below(k)):(with_it(k)) with boxxyerror \
	linecolor rgb colour[k] title (lost[k] > 0 ? cause[k] : '')

# --- Threads

unset label
unset key
unset xlabel
unset logscale x
few = thread_count <= 16
set tmargin at screen 0.3
set bmargin at screen 0.09
set label 4 'score' at screen 0.025, 0.195 center rotate
set label 5 'thread' at screen 0.54, 0.035 center
set xrange [0.4:(thread_count < 4 ? 4 : thread_count) + 0.6]
set format y '%g %%'
set format x '%g'
unset xtics
set offsets 0, 0, graph 0.12, 0

plot for [k = 1:7] $threads \
	using 1:(with_it(k)):($1 - 0.4):($1 + 0.4):(below(k)):(with_it(k)) with boxxyerror \
	linecolor rgb colour[k], \
	$threads using 1:(with_it(7)):(few ? sprintf('%.1f %%', with_it(7)) : '') with labels offset 0, 0.7 font small, \
	$threads using 1:(0):(pooled ? 'all' : few ? sprintf('%.0f', $2) : '') with labels offset 0, -0.8 font small

unset multiplot
