# SPDX-License-Identifier: GPL-3.0-or-later
# Plots of a fit, a profile and a forecast. The script of a plot is text, and shows the content of
# the picture.

$ for ending in svg png pdf gnuplot; do pscal fit --plot a.$ending "$DATA/usl/specsdm91.csv" >fit.txt && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
   #       `   g

# tests/fit/usl/usl_region_test.c has an independent source of the interval of N_c: 77.86 to 156.7.
$ sed '/^[0-9]/d; /^# ---/,$d; /^#/d; s/\(\.[0-9][0-9]\)[0-9]*$/\1/' a.gnuplot
set encoding utf8
height = 1
font_size = 14; dot = 0.6
set terminal svg size 1000,1000*height noenhanced font 'sans-serif,14' background '#ffffff'
file = "specsdm91.csv"
n_name = "load"
parameters = "Universal Scalability Law: α = 0.02773, β = 0.0001044, γ = 90"
verdict = "Throughput peaks at N = 97 (95 %: 78 to 157), with 1884 (1748 to 2031)."
level_percent = 95
left_n = 0
right_n = 280.8
top_throughput = 2285.40
logarithmic = 0
has_bands = 1
has_amdahl = 1
has_linear = 1
has_peak = 1
peak = 96.51
peak_text = "N_c = 96.5 (77.9 to 157)"
has_peak_interval = 1
peak_low = 77.85
peak_high = 156.66
$points << END
END
one_of = 1
$curve << END
END
$beyond << END
END
$predictions << END
END
has_predictions = 0

$ sed -n '/^.points/,/^END/p' a.gnuplot | sed '/^#/d; s/\(\.[0-9][0-9]\)[0-9]*/\1/g'
$points << END
1 64.9 1 -25.09
18 995.9 0.85 -81.65
36 1652.4 0.70 111.09
72 1853.2 0.39 3.05
108 1828.9 0.26 -49.98
144 1775 0.18 -46.59
216 1702.2 0.12 55.99
END

# The curve ends at the last measurement; a second curve continues it.
$ sed -n '/^.curve/,/^END/p' a.gnuplot | sed -n '3p; $!{h}; ${x;p}' | cut -d' ' -f1,2
1 89.9952331
216 1646.204726
$ sed -n '/^.beyond/,/^END/p' a.gnuplot | sed -n '3p; $!{h}; ${x;p}' | cut -d' ' -f1,2 | sed 's/\(\.[0-9][0-9]\)[0-9]*$/\1/'
216 1646.20
280.8 1490.17

# Beyond: up to N_c, to --at, and to 1.3 times the largest N. An N_c too far away is left out.
$ printf '1,20\n4,78\n8,130\n12,170\n16,190\n' >steep.csv; pscal fit --plot a.gp steep.csv >fit.txt; grep -E '^(right_n|has_peak|peak_text)' a.gp | cut -c 1-40
right_n = 28.37614549
has_peak = 1
peak_text = "N_c = 25.8 (17.7 to ∞)"
has_peak_interval = 1
$ pscal fit --at 40,400 --plot a.gp steep.csv >fit.txt; grep -E '^(right_n|logarithmic)' a.gp; sed -n '/^.predictions/,/^END/p' a.gp | cut -d' ' -f1,2 | sed '/^#/d; s/\(\.[0-9][0-9]\)[0-9]*$/\1/'
right_n = 420
logarithmic = 1
$predictions <<
40 192.90
400 34.34
END
$ printf '1,10\n2,19.9\n4,39.5\n8,78\n' | pscal fit --plot a.gp - >fit.txt; grep -E '^(file|right_n|has_peak|peak_text)' a.gp
file = "standard input"
right_n = 10.4
has_peak = 0
peak_text = "no N_c below 43.6"
has_peak_interval = 0

# If each N is twice the one before, the axis is logarithmic; an interval of the peak without an
# upper end is given as "from" its lower one.
$ printf '1,10\n2,18.2\n4,30.7\n8,47.5\n16,63.6\n32,78.2\n64,88\n128,93\n256,96\n' | pscal fit --plot a.gp - >fit.txt; grep -E '^(logarithmic|has_peak|peak_text)' a.gp
logarithmic = 1
has_peak = 1
peak_text = "N_c = 486 (306 to ∞)"
has_peak_interval = 1

# As many parameters as points have no bands.
$ printf '1,10\n2,18\n4,28\n' | pscal fit --plot a.gp - >fit.txt; grep -E '^(has_bands|verdict)' a.gp
verdict = "No error estimate: the curve has as many parameters as there are points. Measure at more N."
has_bands = 0

# Of very many points the picture has a part, and a note says so.
$ { echo n,x; seq 100 | awk '{ for (i = 0; i < 120; i++) printf "%d,%g\n", $1, $1 / (1 + .1 * $1) + i / 1000 }'; } >many.csv; pscal fit --plot a.gp many.csv >fit.txt; grep one_of a.gp | head -n 1; sed -n '/^.points/,/^END/p' a.gp | grep -c ^7
one_of = 3
440

# Names are plain text, whatever characters they have.
$ name='it'"'"'s `touch pwned` $HOME @x "q" \n.csv'; cp "$DATA/usl/specsdm91.csv" "$name"; pscal fit --plot "$name.svg" "$name" >fit.txt; grep -c '<text>Scalability of it.s `touch pwned` $HOME @x "q" .n.csv</text>' "$name.svg"; ls pwned
1
ls: cannot access 'pwned': No such file or directory
? 2
$ pscal fit --plot a.gp it*.csv >fit.txt; grep '^file' a.gp
file = "it\047s \140touch pwned\140 \044HOME \100x \042q\042 \134n.csv"

# In characters.
$ pscal fit --chart "$DATA/usl/specsdm91.csv" | sed -n '/X(N) fitted/,$p' | awk 'END { print NR > 16 && NR < 24 }'
$ COLUMNS=60 LINES=16 pscal fit --chart "$DATA/usl/specsdm91.csv" | sed -n '/X(N) fitted/,$p' | grep -v = | awk 'length > most { most = length } END { print NR < 16, most <= 60 }'
1 1
$ pscal fit -q --chart "$DATA/usl/specsdm91.csv" | sed -n '/X(N) fitted/,$p' | tail -n +3 | grep -o o | wc -l
7

# A profile.
$ pscal profile --plot a.gp "$DATA/cc.perf-script.txt" >profile.txt; sed '/^[0-9]/d; /^# ---/,$d; /^#/d' a.gp | sed -n '/^file/,$p'; sed -n '/^.levels/,/^END/p' a.gp | grep -v '^#'
file = "cc.perf-script.txt"
summary = "wall time 0.01 s, threads ready: 0.9 on average, 2 at most, 2 cores"
mean_active = 0.9
cores = 2
has_cores = 1
$levels << END
END
most_active = 2
beside = 3
has_unknown = 0
$activity << END
END
end_s = 0.01
top_active = 2.2
has_running = 1

$levels << END
0 0.002 20 0
1 0.007 70 0
2 0.001 10 0
END

$ for ending in svg png pdf; do pscal profile --plot a.$ending "$DATA/cc.perf-script.txt" >profile.txt && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
$ sed -n '/^.activity/,/^END/p' a.gp | grep -v '^#' | awk '$2 != before { print } { before = $2 }' | head -7 | cut -c 1-20
$activity << END
0 1 2 2
0.003997696 0.140625
0.00401408 0 0 0
0.006488064 0.271484
0.006504448 1 1 1
END
$ pscal profile --chart "$DATA/cc.perf-script.txt" | grep -q '^ .*####' && echo drawn
drawn

# Unknown time is drawn as such.
$ pscal profile --plot a.gp "$DATA/trouble.perf-script.txt" >profile.txt; grep -E '^(summary|has_unknown)' a.gp; sed -n '/^.levels/,/^END/p' a.gp | tail -2
summary = "wall time 0.0029 s, threads ready: unknown on average, 4 at most, 2 cores"
has_unknown = 1
5 0.0024 82.75862069 1
END
$ sed -n '/^.activity/,/^END/p' a.gp | awk '$4 > $3' | wc -l
586
$ pscal profile --chart "$DATA/trouble.perf-script.txt" | grep -q '^ .*%%%%' && echo drawn
drawn

# A forecast, and measurements.
$ printf 'cores,wall_s\n1,36.5\n2,30.9\n2,31.1\n8,28\n' >runs.csv
$ pscal forecast --recorded-cores 1 --measured runs.csv --plot a.gp "$DATA/examples/profile.csv" >forecast.txt; sed -n '/^#/d; /^file/,/^.curve/p; /^.measured/,/^has_/p' a.gp
file = "profile.csv"
summary = "closed form, from a profile of 36.47 s on 1 core; mean absolute relative error 3.3 %"
most_cores = 8
profile_cores = 1
profile_s = 36.4727
$curve << END
$measured << END
1 36.5 36.5 36.5 1 -0.07479452055
2 31 30.9 31.1 1.177419355 -2.744032258
8 28 28 28 1.303571429 3.777970238
END
measured_count = 3
has_measured_speedup = 1

$ for ending in svg png pdf; do pscal forecast --recorded-cores 1 --plot a.$ending "$DATA/examples/profile.csv" >forecast.txt && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
$ pscal forecast --recorded-cores 1 --measured runs.csv --chart "$DATA/examples/profile.csv" | sed -n '/ideal/,$p' | tail -n +3 | grep -o o | wc -l
3

# A plot that cannot be drawn gets one sentence, and the rest is printed.
$ pscal fit --plot a.gif "$DATA/usl/specsdm91.csv"
pscal fit: --plot: a.gif: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
$ pscal profile --plot plot "$DATA/cc.perf-script.txt"
pscal profile: --plot: plot: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
$ pscal forecast --recorded-cores 1 --plot .svgz "$DATA/examples/profile.csv"
pscal forecast: --plot: .svgz: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2
$ pscal fit --plot no/such/a.svg "$DATA/usl/specsdm91.csv" >fit.txt
pscal fit: no/such/a.svg: cannot write: No such file or directory; make its directory first
? 1
$ pscal fit --plot a.svg "$DATA/usl/specsdm91.csv" "$DATA/usl/cisco.csv"
pscal fit: --plot: takes one FILE, as each FILE has its own picture
? 2
$ pscal fit --chart --format json "$DATA/usl/specsdm91.csv"
pscal fit: --chart: characters are drawn in text only; take --plot FILE beside --format json
? 2
$ pscal profile --chart --format csv "$DATA/cc.perf-script.txt"
pscal profile: --chart: characters are drawn in text only; take --plot FILE beside --format csv
? 2
$ head -n 1 "$DATA/examples/trace.txt" | pscal profile -q --chart >/dev/null
pscal profile: there is nothing to draw: no time passes between the first and the last event
? 1
$ pscal profile --follow --chart "$DATA/cc.perf-script.txt"
pscal profile: --follow: draws no plots; plot the whole recording at its end
? 2
$ pscal profile --counters --plot a.svg "$DATA/cc.perf-script.txt"
pscal profile: --counters: has nothing to draw; leave out --plot and --chart
? 2

$ mkdir bin; ln -s "$(command -v pscal)" bin; rm -f b.svg; PATH=$PWD/bin; pscal fit --plot b.svg "$DATA/usl/specsdm91.csv" >/dev/null
pscal fit: gnuplot, which draws plots, is not installed: install it (Debian: apt install gnuplot-nox)
? 1
$ PATH=$PWD/bin; pscal profile --chart "$DATA/cc.perf-script.txt" >/dev/null
pscal profile: gnuplot, which draws plots, is not installed: install it (Debian: apt install gnuplot-nox)
? 1
$ PATH=$PWD/bin; pscal fit --plot b.gp "$DATA/usl/specsdm91.csv" >/dev/null && echo the script needs no gnuplot
the script needs no gnuplot
$ printf '#!/bin/sh\necho "gnuplot: no fonts" >&2; exit 1\n' >bin/gnuplot; chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH; pscal fit --plot b.svg "$DATA/usl/specsdm91.csv" >/dev/null
pscal fit: gnuplot could not draw the plot: gnuplot: no fonts
? 1
$ printf '#!/bin/sh\nkill -SEGV $$\n' >bin/gnuplot; PATH=$PWD/bin:$PATH; pscal fit --plot b.svg "$DATA/usl/specsdm91.csv" >/dev/null
pscal fit: gnuplot could not draw the plot: it crashed
? 1
$ ls b.svg
ls: cannot access 'b.svg': No such file or directory
? 2
