# SPDX-License-Identifier: GPL-3.0-or-later

# --- A forecast drawn with characters: speedup ---------------------------------------------

stats $curve using 3 nooutput
top = 1.3 * STATS_max
if (has_measured_speedup) {
	stats $measured using 5 nooutput
	if (1.1 * STATS_max > top) { top = 1.1 * STATS_max }
}

set title 'Speedup by number of cores'
set yrange [0:top]
if (most_cores > 16) {
	set logscale xy 2
	set yrange [0.9:top]
	set xrange [0.9:most_cores * 1.1]
} else {
	set xrange [0:most_cores * 1.05]
	set xtics 1
}
set tics nomirror
set border 3 back
set key tmargin center horizontal reverse Left samplen 1

plot \
	$curve using 1:1 with lines linetype 2 title 'ideal ', \
	$curve using 1:3 with lines linetype 1 title 'forecast ', \
	$measured using 1:5 with points pointtype 'o' title has_measured_speedup ? 'measured' : ''
