# SPDX-License-Identifier: GPL-3.0-or-later

# --- A fit drawn with characters: points and curve ------------------------------------------

set title parameters
set xlabel 'N'
set xrange [left_n:right_n]
set yrange [0:top_throughput]
if (logarithmic) { set logscale x 2 }
set tics nomirror
set border 3 back
set key tmargin center horizontal reverse Left samplen 1
if (has_peak) { set arrow 1 from peak, graph 0 to peak, graph 1 nohead }

plot \
	$curve using 1:2 with points pointtype '.' title 'X(N) fitted', \
	$beyond using 1:2 with points pointtype ':' title 'extrapolated ', \
	$predictions using 1:2 with points pointtype 'x' title has_predictions ? 'predicted' : '', \
	$points using 1:2 with points pointtype 'o' \
		title one_of > 1 ? sprintf('measured, 1 of %g', one_of) : 'measured'
