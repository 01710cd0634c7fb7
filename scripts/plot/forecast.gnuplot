# SPDX-License-Identifier: GPL-3.0-or-later

# --- A forecast: wall time above, speedup below --------------------------------------

# Colours for all kinds of colour vision (Okabe and Ito).
black = '#000000'; grey = '#7f7f7f'; blue = '#0072b2'; red = '#d55e00'

large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid linecolor rgb '#dddddd' linetype 1

set label 1 'Forecast from '.file at screen 0.54, 0.97 center font large
set label 2 summary at screen 0.54, 0.93 center font small

if (most_cores > 16) {
	set logscale x 2
	set xrange [0.75:most_cores * 1.2]
} else {
	set xrange [0:most_cores * 1.06]
	set xtics 1
}
set key at screen 0.54, 0.9 center top horizontal reverse Left samplen 2.5 font small

# --- Wall time

set tmargin at screen 0.84
set bmargin at screen 0.51
set label 4 'wall time' at screen 0.025, 0.675 center rotate
stats $curve using 2 nooutput
least = STATS_min
most = STATS_max
if (measured_count) {
	stats $measured using 2 nooutput
	if (STATS_min < least) { least = STATS_min }
	if (STATS_max > most) { most = STATS_max }
}
if (has_interval) {
	stats $interval using 3 nooutput
	if (STATS_max > most) { most = STATS_max }
}
if (most > 20 * least) {
	set logscale y
	set yrange [least / 2:most * 2]
} else {
	set yrange [0:*]
	set offsets 0, 0, graph 0.15, 0
}
set format x ''
set format y '%g s'

# Up to 12 measured points have their error beside them, on the side away from the curve.
note(error, here) = here && measured_count <= 12 ? sprintf('%+.1f %%', error) : ''

# A replay has an interval and the closed form beside it; without a replay neither is drawn.
plot \
	$interval using 1:2:3 with filledcurves fillcolor rgb '#cce3f0' title \
		has_interval ? '90 % interval' : '', \
	$beside using 1:2 with lines linecolor rgb grey linewidth 1.5 dashtype (8, 4) title \
		is_replay ? 'closed form' : '', \
	$law using 1:2 with lines linecolor rgb red linewidth 1.5 dashtype (2, 3) title \
		has_law ? 'USL' : '', \
	$curve using 1:2 with lines linecolor rgb blue linewidth 2 notitle, \
	$asked using 1:2 with points linecolor rgb blue pointtype 7 pointsize 0.9 * dot \
		title 'forecast', \
	'+' using (profile_cores):(profile_s) every ::0::0 with points linecolor rgb black \
		pointtype 4 pointsize 2 * dot linewidth 1.5 title 'recorded', \
	$measured using 1:2:3:4 with yerrorbars linecolor rgb red linewidth 1.5 pointtype 12 \
		pointsize 1.4 * dot title measured_count ? 'measured, with its error' : '', \
	$measured using 1:2:(note($6, $6 < 0)) with labels center offset 0, 1 font small \
		textcolor rgb red notitle, \
	$measured using 1:2:(note($6, $6 >= 0)) with labels center offset 0, -1 font small \
		textcolor rgb red notitle

# --- Speedup

unset label
set key at screen 0.54, 0.475 center top horizontal reverse Left samplen 2.5 font small
set tmargin at screen 0.43
set bmargin at screen 0.095
set label 4 'speedup' at screen 0.025, 0.2625 center rotate
unset logscale y
set format x '%g'
set format y '%g'
set xlabel 'cores'
stats $curve using 3 nooutput
top = 1.3 * STATS_max
if (has_measured_speedup) {
	stats $measured using 5 nooutput
	if (1.1 * STATS_max > top) { top = 1.1 * STATS_max }
}
set offsets 0, 0, 0, 0
set yrange [0:top]
if (most_cores > 16) {
	set logscale y 2
	set yrange [0.8:top]
}

plot \
	$curve using 1:1 with lines linecolor rgb grey linewidth 1.5 dashtype (4, 5) \
		title 'ideal', \
	$beside using 1:3 with lines linecolor rgb grey linewidth 1.5 dashtype (8, 4) title \
		is_replay ? 'closed form' : '', \
	$law using 1:3 with lines linecolor rgb red linewidth 1.5 dashtype (2, 3) title \
		has_law ? 'USL' : '', \
	$curve using 1:3 with lines linecolor rgb blue linewidth 2 notitle, \
	$asked using 1:3 with points linecolor rgb blue pointtype 7 pointsize 0.9 * dot \
		title 'forecast', \
	$measured using 1:5 with points linecolor rgb red linewidth 1.5 pointtype 12 \
		pointsize 1.4 * dot title has_measured_speedup ? 'measured' : ''

unset multiplot
