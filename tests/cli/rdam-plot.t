# SPDX-License-Identifier: GPL-3.0-or-later
# The plot of a block. The script shows the content of the picture; in the first thread 40 calls of
# lock take 1 us, and 20 take 201 us, in which it is blocked.

$ for ending in svg png pdf gnuplot; do pscal rdam -q -o rdam.txt --comm server --function lock --plot a.$ending "$DATA/examples/blocks.txt.gz" && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
   #       `   g

$ sed '/^# ---/,$d; /^#/d' a.gnuplot | grep -v '^font\|^set\|^dot' | awk '/^.classes/ {inside = 1} !inside || !/^[0-9]/ || $3 > 0; /^END/ {inside = 0}'
height = 1
block = "lock"
summary = "60 calls in thread 102 (server): 4.00 ms lost, a score of 52.2 %"
file = "blocks.txt.gz"
$classes << END
1e-06 1.092412349e-06 40 0 0 0 0 0 0 0
0.0001839964553 0.000201 20 0 0.004 0 0 0 0 0
END
least_s = 1e-06
most_s = 0.000201
$threads << END
1 102 52.21250489 0 52.21250489 0 0 0 0 0
2 101 0 0 0 0 0 0 0 0
END
thread_count = 2
pooled = 0
array lost[7] = [0, 0.004000000000000001, 0, 0, 0, 0, 0]

$ pscal rdam -q -o rdam.txt --comm server --function lookup --plot a.gp "$DATA/examples/blocks.txt.gz" && sed -n '/^.threads/,/^END/p' a.gp | grep -v '^#'
$threads << END
1 101 22.51914127 0 0 0 0 0 0 22.51914127
2 102 19.57968934 0 0 0 0 0 0 19.57968934
END

$ pscal rdam -q -o rdam.txt --plot a.gp --function lock --baseline pooled --comm server "$DATA/examples/blocks.txt.gz" && sed -n '/^.threads/,/^pooled/p' a.gp | grep -v '^#'
$threads << END
1 0 27.92906019 0 27.92906019 0 0 0 0 0
END
thread_count = 1
pooled = 1

$ pscal rdam --plot a.jpg "$DATA/examples/blocks.txt.gz"
pscal rdam: --plot: a.jpg: unknown plot format; use .svg, .png or .pdf, or .gnuplot for the script that draws it
? 2

$ printf '%s\n' '#timestamp #ThreadId #Event' '0.0s 1 Enter function foo()' '1.0s 1 Leave function foo()' >once.txt; pscal rdam --plot a.gp once.txt
No function was called twice to its end in one thread: there is nothing to
compare.
pscal rdam: --plot: no function was called twice in a thread: there is nothing to draw
? 1
