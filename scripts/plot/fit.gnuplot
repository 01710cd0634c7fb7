# SPDX-License-Identifier: GPL-3.0-or-later

# --- A fit: throughput above; efficiency and residuals below --------------------------

# Colours for all kinds of colour vision (Okabe and Ito).
black = '#000000'; grey = '#7f7f7f'; blue = '#0072b2'; sky = '#56b4e9'
green = '#009e73'; orange = '#e69f00'; red = '#d55e00'

large = sprintf(',%g', 1.3 * font_size)
small = sprintf(',%g', 0.9 * font_size)

set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.96
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb black
set grid linecolor rgb '#dddddd' linetype 1
set xrange [left_n:right_n]
if (logarithmic) { set logscale x (right_n / left_n < 5000 ? 2 : 10) }
set style fill noborder

set label 1 'Scalability of '.file at screen 0.54, 0.978 center font large
set label 2 parameters at screen 0.54, 0.949 center font small textcolor rgb black
set label 3 verdict at screen 0.54, 0.925 center font small textcolor rgb black

# --- Throughput

set tmargin at screen 0.815
set bmargin at screen 0.44
set yrange [0:top_throughput]
set label 4 'throughput X(N)' at screen 0.025, 0.6275 center rotate
set format x ''
set key at screen 0.54, 0.89 center top horizontal maxrows 2 reverse Left samplen 2.5 \
	width -1 font small

if (has_peak_interval) {
	set object 1 rectangle from peak_low, graph 0 to peak_high, graph 1 \
		behind fillstyle solid 0.15 noborder fillcolor rgb orange
}
if (has_peak) {
	set arrow 1 from peak, graph 0 to peak, graph 1 nohead \
		linecolor rgb red linewidth 1.5 dashtype (8, 5)
	middle = logarithmic ? sqrt(left_n * right_n) : (left_n + right_n) / 2
	if (peak > middle) {
		set label 5 peak_text at peak, graph 0.06 right offset -1, 0 front textcolor rgb red
	} else {
		set label 5 peak_text at peak, graph 0.06 left offset 1, 0 front textcolor rgb red
	}
} else {
	set label 5 peak_text at graph 0.98, graph 0.06 right front textcolor rgb red
}

# A curve or point that is not there has no line, and no entry in the key.
amdahl(column) = has_amdahl ? column : NaN
linear(column) = has_linear ? column : NaN
percent = sprintf('%g %% ', level_percent)

plot \
	$curve using 1:5:6 with filledcurves fillstyle transparent solid 0.22 linecolor rgb sky \
		title has_bands ? percent.'for one measurement' : '', \
	$beyond using 1:5:6 with filledcurves fillstyle transparent solid 0.22 linecolor rgb sky notitle, \
	$curve using 1:3:4 with filledcurves fillstyle transparent solid 0.45 linecolor rgb sky \
		title has_bands ? percent.'for the curve' : '', \
	$beyond using 1:3:4 with filledcurves fillstyle transparent solid 0.45 linecolor rgb sky notitle, \
	$curve using 1:(linear($8)) with lines linecolor rgb grey linewidth 1.5 dashtype (4, 5) \
		title has_linear ? 'linear: γ N' : '', \
	$beyond using 1:(linear($8)) with lines linecolor rgb grey linewidth 1.5 dashtype (4, 5) \
		notitle, \
	$curve using 1:(amdahl($7)) with lines linecolor rgb green linewidth 1.5 dashtype (16, 5, 3, 5) \
		title has_amdahl ? 'Amdahl: β = 0' : '', \
	$beyond using 1:(amdahl($7)) with lines linecolor rgb green linewidth 1.5 dashtype (16, 5, 3, 5) \
		notitle, \
	$curve using 1:2 with lines linecolor rgb blue linewidth 2.5 title 'fitted', \
	$beyond using 1:2 with lines linecolor rgb blue linewidth 2.5 dashtype (10, 6) \
		title 'extrapolated', \
	$predictions using 1:2:3:4 with yerrorbars linecolor rgb red linewidth 1.5 pointtype 12 \
		pointsize 1.3 * dot title has_predictions ? 'predicted' : '', \
	$points using 1:2 with points linecolor rgb black pointtype 7 pointsize 0.9 * dot \
		title one_of > 1 ? sprintf('measured, 1 of %g', one_of) : 'measured'

# --- Efficiency

unset label
unset key
set tmargin at screen 0.41
set bmargin at screen 0.265
set yrange [0:105<*]
set label 4 'efficiency' at screen 0.025, 0.3375 center rotate
set format y '%g %%'

plot \
	100 with lines linecolor rgb grey linewidth 1.5 dashtype (4, 5), \
	$curve using 1:(100 * $9) with lines linecolor rgb blue linewidth 2, \
	$beyond using 1:(100 * $9) with lines linecolor rgb blue linewidth 2 dashtype (10, 6), \
	$points using 1:(100 * $3) with points linecolor rgb black pointtype 7 pointsize 0.8 * dot

# --- Residuals

set tmargin at screen 0.235
set bmargin at screen 0.075
set yrange [*:*]
set offsets 0, 0, graph 0.1, graph 0.1
set label 4 'residual' at screen 0.025, 0.155 center rotate
set format x '%g'
set format y '%g'
set xlabel 'N: '.n_name

plot \
	0 with lines linecolor rgb blue linewidth 1.5, \
	$points using 1:4 with impulses linecolor rgb grey, \
	$points using 1:4 with points linecolor rgb black pointtype 7 pointsize 0.8 * dot

unset multiplot
