# SPDX-License-Identifier: GPL-3.0-or-later

# --- Forecasts of a performance model: times above, throughput below ---------------

# Colours for all kinds of colour vision (Okabe and Ito).
array colours[8] = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#999933', '#000000']
black = '#000000'; grey = '#7f7f7f'
large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid linecolor rgb '#dddddd' linetype 1

note = curves_left ? sprintf('%g more curves are left out', curves_left) : \
	'bars: 90 % interval'.(measured_times + measured_throughputs ? '; crosses: measured' : '')
set label 1 'Forecast from '.file at screen 0.54, 0.97 center font large
set label 2 note at screen 0.54, 0.93 center font small

if (least > 0 && most >= 16 * least) {
	set logscale x 2
	set xrange [least / 1.2:most * 1.2]
} else {
	set xrange [0:most > 0 ? most * 1.06 : 1]
}
set key at screen 0.54, 0.9 center top horizontal reverse Left samplen 2.5 font small

mine(curve, value) = column(1) == curve ? value : NaN

# --- Times; none where requests pile up

set tmargin at screen 0.83
set bmargin at screen 0.51
set label 4 is_batch ? 'wall time' : 'response time' at screen 0.02, 0.67 center rotate
set format x ''
set format y '%.1s %cs'
set yrange [0:*]
set offsets 0, 0, graph 0.1, 0
if (has_times) {
	stats $rows using 3 nooutput
	shortest = STATS_min
	stats $rows using 5 nooutput
	if (STATS_max > 20 * shortest) { set logscale y; set yrange [*:*]; set offsets 0, 0, 0, 0 }
	plot for [c = 1:curve_count] $rows using 2:(mine(c, $3)) with lines linewidth 2 \
			linecolor rgb colours[c] title value(sprintf('title_%d', c)), \
		for [c = 1:curve_count] $rows using 2:(mine(c, $3)):4:5 with yerrorbars \
			linecolor rgb colours[c] pointtype 7 pointsize 0.9 * dot notitle, \
		for [c = 1:curve_count] $rows using 2:(mine(c, $6)) with lines linewidth 1.2 \
			dashtype (4, 4) linecolor rgb colours[c] \
			title c == 1 && !is_batch ? '95 % of requests' : '', \
		for [c = 1:curve_count] $rows using 2:(mine(c, $10)) with points linewidth 1.5 \
			pointtype 2 pointsize 1.6 * dot linecolor rgb colours[c] notitle
} else {
	set label 5 'requests pile up in each row' at graph 0.5, 0.5 center
	set yrange [0:1]
	plot NaN notitle
	unset label 5
}

# --- Throughput

unset label
unset key
unset logscale y
set offsets 0, 0, graph 0.1, 0
set yrange [0:*]
set tmargin at screen 0.46
set bmargin at screen 0.095
set label 4 is_batch ? 'items a second' : 'answered a second' at screen 0.02, 0.28 center rotate
set format x '%g'
set format y '%.6g'
set xlabel axis
plot for [c = 1:curve_count] $rows using 2:(mine(c, $7)) with lines linewidth 2 \
		linecolor rgb colours[c], \
	for [c = 1:curve_count] $rows using 2:(mine(c, $7)):8:9 with yerrorbars \
		linecolor rgb colours[c] pointtype 7 pointsize 0.9 * dot, \
	for [c = 1:curve_count] $rows using 2:(mine(c, $11)) with points linewidth 1.5 \
		pointtype 2 pointsize 1.6 * dot linecolor rgb colours[c]

unset multiplot
