# SPDX-License-Identifier: GPL-3.0-or-later

# --- Forecasts of a performance model drawn with characters: times, or else throughput -----

array letters[8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

set title (has_times ? (is_batch ? 'Wall time' : 'Mean response time') : \
	is_batch ? 'Items a second' : 'Answered a second').' over '.axis
set format y has_times ? '%.1s %cs' : '%.6g'
set yrange [0:*]
if (least > 0 && most >= 16 * least) {
	set logscale x 2
	set xrange [least / 1.1:most * 1.1]
} else {
	set xrange [0:most > 0 ? most * 1.05 : 1]
}
set tics nomirror
set border 3 back
set key tmargin center horizontal reverse Left samplen 1

shown = has_times ? 3 : 7
beside = has_times ? 10 : 11
# Without known values there is no curve: gnuplot 5.4 crashes on its points.
beside_count = has_times ? measured_times : measured_throughputs
plot for [c = 1:curve_count] $rows using 2:($1 == c ? column(shown) : NaN) with linespoints \
		linetype c pointtype letters[c] title value(sprintf('title_%d', c)).' ', \
	for [m = 1:beside_count > 0] $rows using 2:(column(beside)) with points pointtype 'o' \
		title 'measured'
